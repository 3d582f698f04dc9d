/**
 * Runs among random faults: workers, tool servers and the Temporal server are killed and paused while people
 * watch, ask and steer. One seed gives one plan of faults; what holds afterwards is in `findings.ts`.
 */
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Temporal } from '../../../src/client/connection/connect.js';
import { Random } from '../../simulation/random.js';
import { startScriptedModel } from '../endpoint/model.js';
import { type FakeMcp, fakeMcp } from '../fake-mcp-server.js';
import type { TemporalProcess } from '../processes.js';
import { makeProject, type TestProject } from '../project.js';
import { settingsYaml } from '../steering.js';
import { until } from '../wait.js';
import { Crowd } from './crowd.js';
import { CHAOS_KINDS, type ChaosKind, chaosPrompts } from './kinds.js';
import { textOf } from './people.js';
import { faultPlan } from './plan.js';
import { Stage } from './stage.js';
import { KEEPER } from './tool-work.js';
import { Work } from './work.js';

export interface ChaosOptions {
  client: Client;
  /** Of the Temporal server. */
  address: string;
  /** The server's process, where it is to be struck as well. */
  server?: TemporalProcess;
  seed: number;
  faults: number;
  /** Runs at once; a new one begins when one ends, until all faults have happened. */
  runs: number;
  workers: number;
  longestPauseMs: number;
  /** Of runs, in turn. Default: all. */
  kinds?: readonly ChaosKind[];
  /** Share of the model's replies that go wrong, from 0 to 1. Default 0; with any, a run may end without success. */
  badReplies?: number;
}

export interface ChaosFigures {
  seed: number;
  /** What was done, such as `worker paused`, with how often. */
  struck: Record<string, number>;
  runs: number;
  /** Of the runs, those that ended as they should: where nobody ends it before its time, with its work done. */
  completed: number;
  /** Sub-agents of them, and theirs. */
  agents: number;
  /** Replies of the model, and those that went wrong. */
  replies: number;
  badReplies: number;
  wallMs: number;
  /** From the last fault until all runs had ended, at once when their model was asked next. */
  settleMs: number;
  queries: number;
  queriesFailed: number;
  messages: number;
  /** Of them those that were for an agent. */
  toAgents: number;
  effects: number;
  historyEvents: number;
  /** What is wrong, each with the run's id; none when all is well. */
  faults: string[];
}

/** Faults may come thick all the same. */
const RECOVERY_MS = 6_000;

/** Plays one seed to its end. */
export async function chaos(options: ChaosOptions): Promise<ChaosFigures> {
  const { client, address, seed, server = null, badReplies = 0, kinds = CHAOS_KINDS } = options;
  const fake = fakeMcp();
  const project = chaosProject(fake);
  const work = new Work({ seed, fake, dir: project.dir, badReplies });
  const model = await startScriptedModel({
    reply: request => {
      // Whole conversations of thousands of requests would fill the memory.
      model.requests.length = 0;
      return work.reply(request);
    },
  });
  const taskQueue = `chaos-${seed}-${randomUUID().slice(0, 8)}`;
  const worker = { address, taskQueue, project, model };
  const random = new Random(seed, 'stage');
  const stage = new Stage({ worker, workers: options.workers, fake, server, dir: project.dir, random });
  const temporal: Temporal = { client, address, namespace: 'default', local: null, close: async () => {} };
  const crowd = new Crowd(temporal, { taskQueue, workspace: project.workspace, seed, kinds });
  const startedAt = performance.now();
  let calmAt = startedAt;
  const faults: string[] = [];
  try {
    const filling = crowd.keep(options.runs);
    // Before that there is little to disturb.
    await until('a tool is called', () => fake.events().some(({ event }) => event === 'call'), 60_000);
    for (const fault of faultPlan(seed, { ...options, strikesServer: server !== null })) {
      // A fault strikes what works: where nothing does any more, there is nothing to learn.
      const due = work.replies + options.runs;
      await until('the work goes on', () => work.replies >= due, RECOVERY_MS).catch(() => undefined);
      await sleep(fault.afterMs);
      stage.strike(fault);
    }
    await stage.calm();
    calmAt = performance.now();
    work.finish();
    await crowd.end();
    await filling;
  } catch (error) {
    faults.push(textOf(error), ...(await crowd.unfinished()));
  }
  const wallMs = Math.round(performance.now() - startedAt);
  const toolLog = fake.events();
  const { found, historyEvents } = await crowd.examine(toolLog, badReplies > 0);
  faults.push(...found);
  await crowd.terminate();
  const left = await stage.close();
  faults.push(...stage.faults);
  if (left.length > 0) faults.push(`left running: processes ${left.join(', ')}`);
  await model.close();
  fake.remove();
  rmSync(project.dir, { recursive: true, force: true });
  const effects = toolLog.filter(({ event }) => event === 'effect').length;
  const settleMs = Math.round(performance.now() - calmAt);
  const { replies, bad } = work;
  return {
    ...{ seed, struck: stage.done, wallMs, settleMs, effects, historyEvents, ...crowd.counts() },
    ...{ replies, badReplies: bad, faults },
  };
}

/** One server that all runs share, and one of which each has a session of its own. */
function chaosProject(fake: FakeMcp): TestProject {
  const keeper = { ...fake.stdioEntry({ FAKE_MCP_ONLY: 'remember,recall' }), stateful: true };
  return makeProject({
    config: {
      ...chaosPrompts(),
      '.mcp.json': JSON.stringify({ mcpServers: { fake: fake.stdioEntry(), [KEEPER]: keeper } }),
      'steersman.yaml': settingsYaml('steering: note', 'dedupe: off', 'gates: { onBudget: ask }'),
    },
  });
}
