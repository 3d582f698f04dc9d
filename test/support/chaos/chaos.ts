/**
 * Runs among random faults: workers, tool servers and the Temporal server are killed and paused while people
 * watch, ask and steer. One seed gives one plan of faults; what holds afterwards is in `findings.ts`.
 */
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Temporal } from '../../../src/client/runs/connect.js';
import { startScriptedModel } from '../../../src/testing/scripted-model.js';
import { WORKFLOW_TYPE } from '../../../src/workflows/messages.js';
import { Random } from '../../simulation/random.js';
import { fakeMcp } from '../fake-mcp-server.js';
import { partsOf, type RecordedPart, replayAll } from '../histories.js';
import type { TemporalProcess } from '../processes.js';
import { makeProject } from '../project.js';
import { runSettings } from '../rig.js';
import { transcriptOf } from '../run-views.js';
import { settingsYaml } from '../steering.js';
import { until } from '../wait.js';
import { faultsOf } from './findings.js';
import { People, textOf } from './people.js';
import { faultPlan } from './plan.js';
import { Stage } from './stage.js';
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
  /** Share of the model's replies that go wrong, from 0 to 1. Default 0; with any, a run may end without success. */
  badReplies?: number;
}

export interface ChaosFigures {
  seed: number;
  /** What was done, such as `worker paused`, with how often. */
  struck: Record<string, number>;
  runs: number;
  /** Of the runs, those whose work was done and verified. */
  completed: number;
  /** Replies of the model, and those that went wrong. */
  replies: number;
  badReplies: number;
  wallMs: number;
  /** From the last fault until all runs had ended, at once when their model was asked next. */
  settleMs: number;
  queries: number;
  queriesFailed: number;
  messages: number;
  effects: number;
  historyEvents: number;
  /** What is wrong, each with the run's id; none when all is well. */
  faults: string[];
}

/** Faults may come thick all the same. */
const RECOVERY_MS = 6_000;
/** A run that has not ended so long after the last fault hangs. */
const SETTLE_WITHIN_MS = 180_000;
const LIMITS = { execution: 10_000, turns: 100_000, totalTurns: 100_000, tokens: 1_000_000_000 };

/** Plays one seed to its end. */
export async function chaos(options: ChaosOptions): Promise<ChaosFigures> {
  const { client, address, seed, server = null, badReplies = 0 } = options;
  const fake = fakeMcp();
  const project = makeProject({
    config: {
      '.mcp.json': JSON.stringify({ mcpServers: { fake: fake.stdioEntry() } }),
      'steersman.yaml': settingsYaml('steering: note', 'dedupe: off'),
    },
  });
  const work = new Work({ seed, fake, dir: project.dir, badReplies });
  const model = await startScriptedModel({
    reply: request => {
      // Whole conversations of thousands of requests would fill the memory.
      model.requests.length = 0;
      return work.reply(request);
    },
  });
  const taskQueue = `chaos-${seed}-${randomUUID().slice(0, 8)}`;
  const home = join(project.dir, 'home');
  const worker = { address, taskQueue, configDir: project.configDir, home, modelUrl: model.baseUrl };
  const random = new Random(seed, 'stage');
  const stage = new Stage({ worker, workers: options.workers, fake, server, dir: project.dir, random });
  const temporal: Temporal = { client, address, namespace: 'default', local: null, close: async () => {} };
  const crowd = new Crowd(temporal, { taskQueue, workspace: project.workspace, seed });
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

/** All runs of a chaos, and their people. */
class Crowd {
  readonly #temporal: Temporal;
  readonly #given: { taskQueue: string; workspace: string; seed: number };
  readonly #people: People[] = [];
  #started = 0;
  #ending = false;

  constructor(temporal: Temporal, given: { taskQueue: string; workspace: string; seed: number }) {
    this.#temporal = temporal;
    this.#given = given;
  }

  /** So many runs at once. Resolves when the last has ended. */
  async keep(runs: number): Promise<void> {
    const place = async () => {
      while (!this.#ending) await (await this.#start()).attend();
    };
    await Promise.all(Array.from({ length: runs }, place));
  }

  /** Resolves when all runs have ended; rejects when one hangs. */
  async end(): Promise<void> {
    this.#ending = true;
    const open = () => this.#people.filter(({ end, faults }) => end === null && faults.length === 0);
    await Promise.all(open().map(people => people.beQuiet()));
    await until('all runs have ended', () => open().length === 0, SETTLE_WITHIN_MS);
  }

  /** What the runs that hang say of themselves. */
  async unfinished(): Promise<string[]> {
    const open = this.#people.filter(({ end }) => end === null);
    return Promise.all(
      open.map(async ({ handle }) => {
        const { raw } = await handle.describe();
        const pending = (raw.pendingActivities ?? []).map(
          ({ activityType, state, attempt, lastFailure }) =>
            `${activityType?.name} in state ${state}, attempt ${attempt}: ${lastFailure?.message ?? ''}`,
        );
        const task = raw.pendingWorkflowTask;
        if (task) pending.push(`workflow task in state ${task.state}, attempt ${task.attempt}`);
        return `${handle.workflowId} hangs: ${pending.join('; ') || 'nothing is pending'}`;
      }),
    );
  }

  /** Looks at every run; asks the workers for its conversation. */
  async examine(toolLog: Parameters<typeof faultsOf>[0]['toolLog'], mayFail: boolean) {
    const found: string[] = [];
    let historyEvents = 0;
    for (const people of this.#people) {
      const { handle } = people;
      const note = (faults: string[]) => found.push(...faults.map(fault => `${handle.workflowId}: ${fault}`));
      try {
        const histories = await partsOf(this.#temporal.client, handle);
        historyEvents += histories.reduce((sum, { history }) => sum + (history.events?.length ?? 0), 0);
        note(await replayFaults(histories));
        note(faultsOf({ people, histories, transcript: await transcriptOf(handle), toolLog, mayFail }));
      } catch (error) {
        note([textOf(error)]);
      }
    }
    return { found, historyEvents };
  }

  async terminate(): Promise<void> {
    const open = this.#people.filter(({ end }) => end === null);
    await Promise.all(open.map(({ handle }) => handle.terminate().catch(() => undefined)));
  }

  counts() {
    const sum = (name: 'queries' | 'queriesFailed' | 'messages') =>
      this.#people.reduce((total, { counts }) => total + counts[name], 0);
    const [queries, queriesFailed, messages] = [sum('queries'), sum('queriesFailed'), sum('messages')];
    const completed = this.#people.filter(({ end }) => end?.outcome === 'completed').length;
    return { runs: this.#people.length, completed, queries, queriesFailed, messages };
  }

  async #start(): Promise<People> {
    const { taskQueue, workspace, seed } = this.#given;
    this.#started += 1;
    const number = this.#started;
    const random = new Random(seed, 'people', number);
    const settings = runSettings(workspace, {
      limits: LIMITS,
      ...(random.chance(0.5) ? { attended: true } : { autoApprove: true }),
      ...(random.chance(0.2) ? { continueAsNew: 'every-safe-point' as const } : {}),
    });
    const workflowId = `${taskQueue}-${number}`;
    const args = [{ goal: `Weather the chaos of ${workflowId}`, settings }];
    const { workflow } = this.#temporal.client;
    const start = () => workflow.start(WORKFLOW_TYPE, { args, taskQueue, workflowId });
    // The server may be away just now.
    const handle = await until(`${workflowId} is started`, () => start().catch(startedAlready), 60_000);
    const people = new People(
      this.#temporal,
      handle === true ? workflow.getHandle(workflowId) : handle,
      random,
    );
    this.#people.push(people);
    return people;
  }
}

/** True where an earlier try was taken and its answer lost. */
function startedAlready(error: unknown): boolean {
  return error instanceof Error && error.name === 'WorkflowExecutionAlreadyStartedError';
}

async function replayFaults(histories: readonly RecordedPart[]): Promise<string[]> {
  try {
    await replayAll(histories);
    return [];
  } catch (error) {
    return [textOf(error)];
  }
}
