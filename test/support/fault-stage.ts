/**
 * A stage for faults: a scripted model and a fake MCP server that count what really happened, and workers
 * in processes of their own on a queue of their own.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { roleOf } from '../../packages/test-kit/by-role.js';
import { execution, plan, verdict } from '../../packages/test-kit/role-outputs.js';
import type { RunSettings } from '../../src/run/agents/run-config.js';
import { WORKFLOW_TYPE } from '../../src/run/agents/run-config.js';
import type { RunResult } from '../../src/workflows/run/definitions.js';
import type { ChatRequest, ScriptedModel, ScriptedReply, ScriptedToolCall } from './endpoint/model.js';
import { startScriptedModel } from './endpoint/model.js';
import { type FakeMcp, fakeMcp } from './fake-mcp-server.js';
import { replayAll, treeOf } from './histories.js';
import type { WorkerProcess, WorkerProcessOptions } from './processes.js';
import { firedPassages, isRunning, processesNaming, spawnWorker, startWorkerProcess } from './processes.js';
import { makeProject, type TestProject, writingSearch } from './project.js';
import { runSettings } from './rig.js';
import { messagesOf, toolTexts } from './run-views.js';
import { until } from './wait.js';

/** What the model says in a run: one tool call a turn, then reports. */
export interface Part {
  calls: ScriptedToolCall[];
  /** Changes a reply: `nth` counts requests with this very conversation, from 1; `at` the calls made so far. */
  change?: (
    reply: ScriptedReply,
    given: { role: string; at: number; nth: number; lastUser: string },
  ) => ScriptedReply;
  /** Of the sub-agents that it calls, by their instructions. */
  agents?: Record<string, Part>;
}

export interface FaultStage {
  model: ScriptedModel;
  fake: FakeMcp;
  project: TestProject;
  /** Starts a run of team mode that may change things. */
  start(goal: string, part: Part, settings?: Partial<RunSettings>): Promise<StagedRun>;
  /** A worker that polls. Its failpoints are those of the stage. */
  worker(): Promise<WorkerProcess>;
  /** A worker, and a new one whenever it was killed. Resolves when it is spawned. */
  keepWorker(): KeptWorker;
  /** Passages at which a failpoint fired. */
  fired(name: string): number[];
  /** Ends all workers in order where that may still be asked for, replays all histories, removes everything. */
  close(played: boolean): Promise<void>;
}

export interface StagedRun {
  handle: WorkflowHandle;
  /** Every request of this run that reached the model, repeated ones too. */
  requests(): StagedRequest[];
  /** Results of its tool calls, as the model saw them last. */
  seen(): string[];
  result(): Promise<RunResult>;
}

export interface StagedRequest extends ChatRequest {
  /** When it arrived, milliseconds since the epoch. */
  at: number;
  /** Counts requests with the same conversation, from 1: above 1 it is a repeated call. */
  nth: number;
}

export interface KeptWorker {
  /** How many were started. */
  readonly lives: number;
}

export interface FaultStageOptions {
  client: Client;
  address: string;
  /** As STEERSMAN_FAILPOINTS takes it. */
  failpoints?: string;
  workspace?: Record<string, string>;
  /** Files of its configuration beside those of its servers. */
  config?: Record<string, string>;
  /** Variables of its workers. */
  env?: Record<string, string>;
  /** Adds a server `held`, the fake one once more, that is stateful. */
  stateful?: boolean;
}

const RUN_TIMEOUT = '5 minutes';
/** How an ordinary result is wrapped for the model. */
const OUTPUT = /^<tool_output [^>]*>\n(.*)\n<\/tool_output>$/s;

/** Plays on a stage and clears it away, also when `play` fails. */
export async function onStage(
  options: FaultStageOptions,
  play: (stage: FaultStage) => Promise<void>,
): Promise<void> {
  const stage = await startFaultStage(options);
  let played = false;
  try {
    await play(stage);
    played = true;
  } finally {
    await stage.close(played);
  }
}

export async function startFaultStage(options: FaultStageOptions): Promise<FaultStage> {
  const { client, address } = options;
  const fake = fakeMcp();
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of .mcp.json
  const filesystem = { command: 'mcp-server-filesystem', args: ['${workspace}'] };
  const held = options.stateful ? { held: { ...fake.stdioEntry(), stateful: true } } : {};
  const mcp = JSON.stringify({ mcpServers: { fake: fake.stdioEntry(), filesystem, ...held } });
  const project = makeProject({
    config: { '.mcp.json': mcp, ...writingSearch(), ...options.config },
    workspace: options.workspace ?? {},
  });
  const parts = new Map<string, Part>();
  const requests: StagedRequest[] = [];
  const model = await startScriptedModel({
    reply: request => {
      const staged = { ...request, at: Date.now(), nth: nthOf(request, requests) };
      requests.push(staged);
      return replyOf(staged, parts);
    },
  });
  const failpoints = { plan: options.failpoints ?? '', dir: join(project.dir, 'failpoints') };
  mkdirSync(failpoints.dir);
  const workerOptions: WorkerProcessOptions = {
    address,
    taskQueue: `faults-${randomUUID().slice(0, 8)}`,
    project,
    model,
    ...(options.failpoints === undefined ? {} : { failpoints }),
    ...(options.env && { env: options.env }),
  };
  const workers: WorkerProcess[] = [];
  const handles: WorkflowHandle[] = [];
  let closing = false;

  const track = (worker: WorkerProcess): WorkerProcess => {
    workers.push(worker);
    return worker;
  };
  return {
    model,
    fake,
    project,
    fired: name => firedPassages(failpoints.dir, name),
    start: async (goal, part, settings) => {
      parts.set(goal, part);
      for (const [instruction, own] of Object.entries(part.agents ?? {})) parts.set(instruction, own);
      const handle = await client.workflow.start(WORKFLOW_TYPE, {
        args: [{ goal, settings: runSettings(project.workspace, { autoApprove: true, ...settings }) }],
        taskQueue: workerOptions.taskQueue,
        workflowId: `${workerOptions.taskQueue}-${handles.length + 1}`,
        workflowExecutionTimeout: RUN_TIMEOUT,
      });
      handles.push(handle);
      const own = () => requests.filter(request => goalOf(request) === goal);
      return {
        handle,
        requests: own,
        seen: () => toolTexts(own().at(-1)).map(text => OUTPUT.exec(text)?.[1] ?? text),
        result: async () => (await handle.result()) as RunResult,
      };
    },
    worker: async () => track(await startWorkerProcess(workerOptions)),
    keepWorker: () => {
      const kept = { lives: 0 };
      const live = () => {
        kept.lives += 1;
        const worker = track(spawnWorker(workerOptions));
        void worker.exited.then(end => end === 'SIGKILL' && !closing && live());
      };
      live();
      return kept;
    },
    close: async played => {
      closing = true;
      // One that hangs on purpose does not end in order.
      const inOrder = played && !options.failpoints?.includes('hang');
      for (const worker of workers) worker.end(inOrder ? 'SIGTERM' : 'SIGKILL');
      await Promise.all(workers.map(worker => worker.exited));
      const histories = played ? await Promise.all(handles.map(handle => treeOf(client, handle))) : [];
      const servers = () => [...processesNaming(project.dir), ...fake.events().map(({ pid }) => pid)];
      if (played) await noneLeft(servers, inOrder);
      await model.close();
      fake.remove();
      rmSync(project.dir, { recursive: true, force: true });
      await replayAll(histories.flat());
    },
  };
}

/** Tool servers end with their worker: in order at once, else when they find their pipes closed. */
async function noneLeft(processes: () => number[], atOnce: boolean): Promise<void> {
  const left = () => processes().filter(isRunning);
  if (atOnce && left().length > 0) throw new Error(`tool servers are left: ${left().join(', ')}`);
  await until('the tool servers are gone', () => left().length === 0);
}

/** The goal is the first thing that is said in a run; a sub-agent has it in its instruction. */
function goalOf(request: ChatRequest): string {
  const [first] = messagesOf(request, 'user');
  const text = typeof first?.content === 'string' ? first.content : '';
  return /<goal>\n(.*)\n<\/goal>/s.exec(text)?.[1] ?? text;
}

function nthOf(request: ChatRequest, earlier: readonly StagedRequest[]): number {
  const { messages } = request.body;
  const last = JSON.stringify(messages);
  const same = earlier.filter(
    ({ body }) => body.messages.length === messages.length && JSON.stringify(body.messages) === last,
  );
  return same.length + 1;
}

function replyOf(request: StagedRequest, parts: ReadonlyMap<string, Part>): ScriptedReply {
  const part = parts.get(goalOf(request));
  const role = roleOf(request);
  const at = messagesOf(request, 'tool').length;
  if (!part) return { error: { status: 400, message: `no script for ${goalOf(request)}` } };
  const reply = plainReply(role, part.calls[at]);
  return part.change?.(reply, { role, at, nth: request.nth, lastUser: request.lastUser }) ?? reply;
}

function plainReply(role: string, call: ScriptedToolCall | undefined): ScriptedReply {
  if (role === 'planner') return { text: plan({ todos: ['Do all of it'] }) };
  if (role === 'verifier')
    return {
      text: verdict({ summary: 'Every tool was called in its order, and the results are as reported.' }),
    };
  if (call) return { text: 'On it.', toolCalls: [call] };
  return {
    text: execution({
      summary: 'The tools answered one after another, as their results show.',
      taskCompleted: true,
    }),
  };
}

export const call = (name: string, args: Record<string, unknown>): ScriptedToolCall => ({
  name,
  arguments: args,
});

/** How many model calls of a run were made again. */
export const repeatedCalls = (run: StagedRun) => run.requests().filter(({ nth }) => nth > 1).length;

/** Where the tools of a stage append their lines. */
export const linesFile = (stage: FaultStage) => join(stage.project.dir, 'lines.txt');

/** Resolves with the server's process id when a tool waits at a gate: after its effect, where it has one. */
export function waitsAt(stage: FaultStage, gate: string, times = 1): Promise<number> {
  return until(`${gate} is waited for`, () => {
    const calls = stage.fake.events().filter(({ event, args }) => event === 'call' && args?.gate === gate);
    return calls.length >= times && calls.at(-1)?.pid;
  });
}

/** Holds the executor's reply in its middle after so many tool results, the first time it is asked for. */
export function heldOnce(after: number): NonNullable<Part['change']> {
  return (reply, { role, at, nth }) =>
    role === 'executor' && at === after && nth === 1
      ? { ...reply, chunkChars: 4, hold: { until: new Promise(() => {}), atChunk: 2 } }
      : reply;
}
