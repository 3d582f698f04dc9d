/** A run in memory that stands at the tool calls of one reply, for tests of what becomes of them. */

import { getCurrentTest } from 'vitest/suite';
import type { CallToolInput, LookFinds, LookInput } from '../../src/activities/types.js';
import { FEATURES } from '../../src/compose.js';
import type { PinnedRole } from '../../src/run/agents/role.js';
import type { PinnedRun, RunSettings } from '../../src/run/agents/run-config.js';
import type { AssistantMessage, ToolResultBlock, ToolUseBlock } from '../../src/run/messages/message.js';
import { NO_USAGE } from '../../src/run/messages/message.js';
import { executionAt } from '../../src/run/position/position.js';
import { newRunState } from '../../src/run/state/run-state.js';
import type { ToolDefinition, ToolPolicy } from '../../src/run/tools/tool.js';
import { DEFAULT_TOOL_POLICY } from '../../src/run/tools/tool.js';
import { takeAnswer } from '../../src/workflows/inbox/inbox-handlers.js';
import type { AnswerRoute } from '../../src/workflows/inbox/read-input.js';
import { answerReader } from '../../src/workflows/inbox/read-input.js';
import type { Ports } from '../../src/workflows/run/ports.js';
import { Run } from '../../src/workflows/run/run.js';
import { pinnedRun } from './core-values.js';

export function fileTool(name: string, policy: Partial<ToolPolicy> = {}): ToolDefinition {
  return {
    name,
    serverToolName: name,
    origin: { type: 'mcp', server: 'files' },
    description: '',
    inputSchema: {},
    validation: 'strict',
    policy: { ...DEFAULT_TOOL_POLICY, ...policy },
  };
}

export function testRole(name: string, more: Partial<PinnedRole> = {}): PinnedRole {
  return {
    name,
    description: '',
    memory: 'shared',
    prefix: more.memory === 'private' ? 'own' : 'shared',
    tools: ['*'],
    output: 'execution',
    agents: [],
    requires: [],
    maxRounds: null,
    toolCallsPerTurn: null,
    dialect: 'component',
    models: [],
    temperature: null,
    topP: null,
    reasoning: null,
    toolSyntax: null,
    stop: [],
    maxOutputTokens: null,
    prompt: '',
    ...more,
  };
}

export interface SmallRun {
  run: Run;
  /** What the tools were called with. */
  ran: CallToolInput[];
  /** The results that were written, in order. */
  results(): ToolResultBlock[];
}

const never = new Promise<never>(() => undefined);

const NOTHING_FOUND: LookFinds = {
  before: [],
  now: { files: [], others: [], more: 0 },
  start: { ref: null },
  list: '',
};

/** Ports of a world where every tool answers "done" at once and only a test's own acts end a wait. */
export function quietPorts(ran: CallToolInput[]): Ports {
  return {
    chainId: 'chain-1',
    runId: 'run-1',
    now: () => 1_000,
    callModel: () => Promise.reject(new Error('no model is called here')),
    resolveModel: async () => ({ ok: true, value: { model: null } }),
    runCheck: async () => ({ ok: true, value: { status: 'passed', why: 'ok' } }),
    compareFile: async () => ({ ok: true, value: { kind: 'unread' } }),
    look: async <I extends LookInput>({ at }: I) => ({
      ok: true as const,
      value: NOTHING_FOUND[at] as LookFinds[I['at']],
    }),
    offer: () => {},
    reloadTools: () => Promise.reject(new Error('no tools are listed here')),
    callTool: async input => {
      ran.push(input);
      const content = [{ type: 'text' as const, text: 'done' }];
      return { ok: true, value: { ending: 'executed', content, isError: false, durationMs: 1 } };
    },
    callWorkflow: async () => ({ ok: true, value: { kind: 'returned', value: 'done' } }),
    activity: async () => ({ ok: true, value: { ref: 'ref', bytes: 3 } }),
    keep: async () => ({ ok: true, value: null }),
    openSession: async () => ({ ok: true, value: { messages: [] } }),
    tell: async () => ({ ok: true, value: { goOn: true } }),
    storeText: async () => ({ ok: true, value: { ref: 'ref' } }),
    wait: async done => {
      const test = getCurrentTest();
      // Files share their process: a run that its test has left waiting must not turn on through the next ones.
      while (!done()) await (test?.result?.state === 'run' ? new Promise(setImmediate) : never);
    },
    callSubagent: () => Promise.reject(new Error('no sub-agent is called here')),
    tellSubagent: (_id, _message, told) => told(false),
    cancelSubagents: () => {},
    tellCaller: () => {},
    callerTold: () => null,
    startRun: async id => id,
    cancelCalls: () => {},
    throwIfCancelled: () => {},
    handoverDue: () => false,
    handoverNear: () => false,
    handoverSuggested: () => false,
    handOver: () => Promise.reject(new Error('nothing is handed over here')),
    show: () => {},
  };
}

/** A run whose executor has just asked for these calls of tools. */
export function runAtCalls(
  calls: readonly (Pick<ToolUseBlock, 'name' | 'input'> & Partial<ToolUseBlock>)[],
  given: { pinned?: Partial<PinnedRun>; settings?: Partial<RunSettings>; ports?: Partial<Ports> } = {},
): SmallRun {
  const settings: RunSettings = {
    mode: 'team',
    workspace: '/w',
    autoApprove: false,
    attended: true,
    ...given.settings,
  };
  const state = newRunState('Do it.', settings, 0);
  state.pinned = pinnedRun({
    roles: { executor: testRole('executor') },
    tools: [fileTool('put'), fileTool('read', { readOnly: true })],
    ceilings: {},
    gateTimeoutMs: 60_000,
    ...given.pinned,
  });
  const ran: CallToolInput[] = [];
  const run = new Run(state, { ...quietPorts(ran), ...given.ports }, FEATURES);
  const reply: AssistantMessage = {
    id: 'm1',
    at: 0,
    kind: 'assistant',
    action: 'calling_tool',
    role: 'executor',
    content: calls.map((call, index) => ({ type: 'tool_use', id: `t${index + 1}`, ...call })),
    stopReason: 'tool_use',
    model: 'p/a',
    usage: NO_USAGE,
  };
  const thread = run.append(run.mainThread(), reply) && run.mainThread();
  state.lastId = 1;
  const batch = { thread: thread.id, messageId: reply.id, turn: 1, toolsOffered: true, next: 0, edited: {} };
  state.cursor.position = executionAt(1, { kind: 'work', taskId: 'task-1' });
  state.cursor.position.turns.batch = batch;
  const results = () =>
    thread.messages.flatMap(message => (message.kind === 'tool_result' ? [message.content[0]] : []));
  return { run, ran, results };
}

/** Answers as the update does. */
export function answer(run: Run, input: unknown, via: AnswerRoute = 'answerGate'): void {
  const read = answerReader(run.state, via)(input);
  if ('error' in read) throw new Error(read.error);
  takeAnswer(run, read.ok);
}
