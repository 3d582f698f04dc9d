/** Many runs at once whose only worker is killed: what that costs, counted at the model and at the tools. */

import { createHash, randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { roleOf } from '../../packages/test-kit/by-role.js';
import { wireText } from '../../packages/test-kit/model-server.js';
import { execution, plan, verdict } from '../../packages/test-kit/role-outputs.js';
import { errorText } from '../../src/base/text/error-text.js';
import { WORKFLOW_TYPE } from '../../src/run/agents/run-config.js';
import type { RunResult } from '../../src/workflows/run/definitions.js';
import type { ChatRequest, ScriptedReply } from './endpoint/model.js';
import { startScriptedModel } from './endpoint/model.js';
import { type FakeMcp, fakeMcp } from './fake-mcp-server.js';
import { partsOf, type RecordedPart } from './histories.js';
import { startWorkerProcess, type WorkerProcess } from './processes.js';
import { makeProject } from './project.js';
import { runSettings } from './rig.js';
import { messagesOf } from './run-views.js';
import { until } from './wait.js';

export interface StormOptions {
  client: Client;
  /** Of the Temporal server. */
  address: string;
  runs: number;
  /** Model replies of each run: one plan, tool calls, one report, one verdict. */
  turns: number;
  /** How often the only worker is killed, evenly spread over the work. */
  kills: number;
  report?: (line: string) => void;
}

export interface StormFigures {
  runs: number;
  turns: number;
  kills: number;
  wallMs: number;
  /** From each kill until the model heard of half of the runs, and of every run, again. */
  recoveryMs: { half: number; all: number }[];
  outcomes: Record<string, number>;
  /** Models asked for over all requests: one where nothing changed its model. */
  models: string[];
  modelRequests: number;
  /** Requests with a conversation that had been sent before. */
  modelCallsRepeated: number;
  /** The most of one run. */
  modelCallsRepeatedOfOneRun: number;
  toolCalls: number;
  /** Calls that reached the server again under their old id, by tool. */
  toolCallsRepeated: Record<string, number>;
  /** Lines that are in the file twice: effects that happened again. */
  effectsDoubled: number;
  /** Effects whose result the model was told to be unknown. */
  effectsUnknown: number;
  /** Lines that should be there and are not, though the model was not told that they may be missing. */
  effectsLostUntold: number;
  /** Attempts of activities that ended without a result, over all histories, by the last failure of each activity. */
  attemptsLost: Record<string, number>;
  /** Model calls that the runs had to schedule again. */
  modelCallsRescheduled: number;
  historyEvents: number;
}

/** Runs the storm to its end. `histories` are for a replay. */
export async function storm(
  options: StormOptions,
): Promise<{ figures: StormFigures; histories: RecordedPart[] }> {
  const { client, address, runs, turns, kills, report = () => {} } = options;
  const fake = fakeMcp();
  const project = makeProject({
    config: { '.mcp.json': JSON.stringify({ mcpServers: { fake: fake.stdioEntry() } }) },
  });
  const count = new ModelCount();
  const model = await startScriptedModel({
    reply: request => {
      count.add(request);
      // Whole conversations of thousands of requests would fill the memory.
      model.requests.length = 0;
      return replyOf(request, turns, join(project.dir, 'lines.txt'));
    },
  });
  const taskQueue = `storm-${randomUUID().slice(0, 8)}`;
  const worker = () =>
    startWorkerProcess({
      address,
      taskQueue,
      project,
      model,
    });
  let current: WorkerProcess = await worker();
  const startedAt = performance.now();
  try {
    const handles = await startRuns(client, taskQueue, project.workspace, runs, turns);
    const ended = new Set<string>();
    const results = Promise.all(
      handles.map(async (handle, index) => {
        const outcome = await outcomeOf(handle);
        ended.add(goalNumber(index));
        return outcome;
      }),
    );
    const recoveryMs: StormFigures['recoveryMs'] = [];
    for (let kill = 1; kill <= kills; kill++) {
      const target = Math.floor((runs * turns * kill) / (kills + 1));
      await until(`${target} model calls`, () => count.total >= target, 3_600_000);
      await current.kill();
      count.forgetWhoAsked();
      const diedAt = performance.now();
      report(`killed after ${count.total} model calls, at ${seconds(diedAt - startedAt)}`);
      current = await worker();
      const back = async (share: number) => {
        await count.untilBack(Math.ceil(runs * share), ended);
        return Math.round(performance.now() - diedAt);
      };
      const recovery = { half: await back(0.5), all: await back(1) };
      recoveryMs.push(recovery);
      report(`half of the runs are back after ${seconds(recovery.half)}, all after ${seconds(recovery.all)}`);
    }
    const outcomes = tally(await results);
    const wallMs = Math.round(performance.now() - startedAt);
    const histories = (await Promise.all(handles.map(handle => partsOf(client, handle)))).flat();
    const figures = { runs, turns, kills, wallMs, recoveryMs, outcomes };
    return {
      figures: {
        ...figures,
        ...count.figures(),
        ...toolFigures(fake, count, { runs, turns }),
        ...historyFigures(histories, runs * turns),
      },
      histories,
    };
  } finally {
    current.end('SIGTERM');
    await current.exited;
    await model.close();
    fake.remove();
    rmSync(project.dir, { recursive: true, force: true });
  }
}

const goalNumber = (index: number) => `Storm ${index + 1}`;
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

async function startRuns(
  client: Client,
  taskQueue: string,
  workspace: string,
  runs: number,
  turns: number,
): Promise<WorkflowHandle[]> {
  // Turns alone end a run: two hundred of them send more than its tokens are by default.
  const limits = {
    execution: turns,
    replies: turns,
    turns: turns + 10,
    tokens: 1_000_000_000,
    wallTimeMs: 10 * 3_600_000,
  };
  const settings = runSettings(workspace, { autoApprove: true, limits });
  return Promise.all(
    Array.from({ length: runs }, (_, index) =>
      client.workflow.start(WORKFLOW_TYPE, {
        args: [{ goal: goalNumber(index), settings }],
        taskQueue,
        workflowId: `${taskQueue}-${index + 1}`,
      }),
    ),
  );
}

async function outcomeOf(handle: WorkflowHandle): Promise<string> {
  try {
    const result = (await handle.result()) as RunResult;
    return result.outcome;
  } catch (error) {
    const cause = error instanceof Error ? error.cause : error;
    return `failed: ${errorText(cause)}`;
  }
}

function tally(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** One tool call a turn, effects and reads in turns, told from the conversation alone. */
function replyOf(request: ChatRequest, turns: number, file: string): ScriptedReply {
  const role = roleOf(request);
  if (role === 'planner') return { text: plan({ todos: ['Write every line'] }) };
  if (role === 'verifier')
    return { text: verdict({ summary: 'The lines of this storm were written in order.' }) };
  const at = messagesOf(request, 'tool').length + 1;
  if (at > turns - 3) {
    const summary = 'Each line was written by its own call, in order.';
    return { text: execution({ summary, taskCompleted: true }) };
  }
  const line = `${goalOf(request)}, line ${at}`;
  const call =
    at % 2 === 1
      ? { name: 'append_line', arguments: { file, line } }
      : { name: 'echo', arguments: { text: line } };
  return { toolCalls: [call] };
}

function goalOf(request: ChatRequest): string {
  const [first] = messagesOf(request, 'user');
  return first ? wireText(first) : '';
}

/** What reached the model, without keeping conversations. */
class ModelCount {
  total = 0;
  readonly #models = new Set<string>();
  readonly #sent = new Map<string, number>();
  readonly #repeatedOf = new Map<string, number>();
  /** Lines by which the model was told that an effect is unknown. */
  readonly unknown = new Set<string>();
  readonly #back = new Set<string>();

  add(request: ChatRequest): void {
    const goal = goalOf(request);
    this.total += 1;
    this.#models.add(request.body.model);
    this.#back.add(goal);
    const key = createHash('sha1').update(JSON.stringify(request.body.messages)).digest('base64');
    const before = this.#sent.get(key) ?? 0;
    this.#sent.set(key, before + 1);
    if (before > 0) this.#repeatedOf.set(goal, (this.#repeatedOf.get(goal) ?? 0) + 1);
    const results = messagesOf(request, 'tool');
    const last = results.at(-1);
    if (last && /outcome unknown/i.test(wireText(last))) this.unknown.add(`${goal}, line ${results.length}`);
  }

  /** From here on it counts anew which runs have asked. */
  forgetWhoAsked(): void {
    this.#back.clear();
  }

  /** Resolves when so many runs have asked again, or have ended. */
  async untilBack(runs: number, ended: ReadonlySet<string>): Promise<void> {
    const back = () => new Set([...this.#back, ...ended]).size;
    await until(`${runs} runs ask their model again`, () => back() >= runs, 600_000);
  }

  figures() {
    const repeated = [...this.#repeatedOf.values()];
    return {
      models: [...this.#models],
      modelRequests: this.total,
      modelCallsRepeated: repeated.reduce((sum, count) => sum + count, 0),
      modelCallsRepeatedOfOneRun: Math.max(0, ...repeated),
    };
  }
}

function toolFigures(fake: FakeMcp, { unknown }: ModelCount, size: { runs: number; turns: number }) {
  const calls = fake.events().filter(({ event }) => event === 'call');
  const seen = new Set<string>();
  const toolCallsRepeated: Record<string, number> = {};
  for (const { tool = '', args } of calls) {
    // Every call of the script has arguments of its own.
    const key = JSON.stringify([tool, args?.line ?? args?.text]);
    if (seen.has(key)) toolCallsRepeated[tool] = (toolCallsRepeated[tool] ?? 0) + 1;
    seen.add(key);
  }
  const lines = fake.effects().map(({ args }) => String(args?.line));
  const written = new Set(lines);
  const expected = Array.from({ length: size.runs }, (_, run) =>
    Array.from({ length: size.turns - 3 }, (_, at) => `${goalNumber(run)}, line ${at + 1}`).filter(
      (_, at) => at % 2 === 0,
    ),
  ).flat();
  return {
    toolCalls: calls.length,
    toolCallsRepeated,
    effectsDoubled: lines.length - written.size,
    effectsUnknown: unknown.size,
    effectsLostUntold: expected.filter(line => !written.has(line) && !unknown.has(line)).length,
  };
}

function historyFigures(histories: readonly RecordedPart[], modelCalls: number) {
  const attemptsLost: Record<string, number> = {};
  const lose = (why: string, count: number) => {
    if (count > 0) attemptsLost[why] = (attemptsLost[why] ?? 0) + count;
  };
  let scheduledModelCalls = 0;
  let historyEvents = 0;
  for (const { history } of histories) {
    for (const event of history.events ?? []) {
      historyEvents += 1;
      const started = event.activityTaskStartedEventAttributes;
      lose(failureName(started?.lastFailure), (started?.attempt ?? 1) - 1);
      const ended = event.activityTaskTimedOutEventAttributes ?? event.activityTaskFailedEventAttributes;
      if (ended) lose(failureName(ended.failure), 1);
      const type = event.activityTaskScheduledEventAttributes?.activityType?.name;
      if (type === 'steersmanCallModel') scheduledModelCalls += 1;
    }
  }
  return { attemptsLost, modelCallsRescheduled: scheduledModelCalls - modelCalls, historyEvents };
}

interface WireFailure {
  message?: string | null;
  applicationFailureInfo?: { type?: string | null } | null;
}

function failureName(failure: WireFailure | null | undefined): string {
  return failure?.applicationFailureInfo?.type || failure?.message || 'unknown';
}
