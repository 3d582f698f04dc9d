/** A whole run in memory whose models answer by a list: what becomes of a goal, without a server. */

import type { CallToolInput, CheckEnd, RefusalLesson } from '../../src/activities/types.js';
import { FEATURES } from '../../src/compose.js';
import type { ModelRequestPage } from '../../src/rules/prompts/model-request.js';
import type { PinnedRun, RunSettings } from '../../src/run/agents/run-config.js';
import type { GateAnswer } from '../../src/run/gates/gate.js';
import type { AssistantMessage, StopReason, Usage } from '../../src/run/messages/message.js';
import { NO_USAGE } from '../../src/run/messages/message.js';
import type { GoalEnd } from '../../src/run/state/goal.js';
import { newRunState } from '../../src/run/state/run-state.js';
import { beginRun, pursue } from '../../src/workflows/goals.js';
import { receive } from '../../src/workflows/inbox/inbox-handlers.js';
import type { Ports } from '../../src/workflows/run/ports.js';
import { modelRequestPage } from '../../src/workflows/run/requests.js';
import { Run } from '../../src/workflows/run/run.js';
import { modelFacts, pinnedRun } from './core-values.js';
import { fileTool, quietPorts, testRole } from './small-run.js';

/**
 * One reply, or `fails`: the model fails for good. `said`: what a person says meanwhile. `usage`: none by default.
 * `takesMs`: by the run's clock, 0 by default. `lessons`: what was changed of the request.
 */
export type TeamReply =
  | {
      text?: string;
      calls?: string[];
      /** Of each of the calls. Default: none. */
      input?: Record<string, unknown>;
      stopReason?: StopReason;
      said?: string;
      usage?: Partial<Usage>;
      takesMs?: number;
      lessons?: RefusalLesson[];
    }
  | { fails: string };

export interface TeamGiven {
  pinned?: Partial<PinnedRun>;
  settings?: Partial<RunSettings>;
  /** Answers to gates, in order; where they run out, nobody answers. */
  answers?: GateAnswer[];
  /** What a tool gives. Default: it is executed, with nothing to say. */
  callTool?: Ports['callTool'];
  /** How a sub-agent ends. Default: none may be called. */
  callSubagent?: Ports['callSubagent'];
  /** What is found where the run looks at files. Default: nothing. */
  look?: Ports['look'];
  /** What activities of features give, by their types. Default: none may be made. */
  activity?: Ports['activity'];
  /** What comes of calls of hooks. Default: the goal goes on. */
  hook?: Ports['tell'];
  /** What a check says, beside what happens meanwhile. Default: it passes. */
  runCheck?: (run: Run) => CheckEnd;
}

export interface TeamRun {
  run: Run;
  end: GoalEnd;
  /** Roles that were asked, in order. */
  asked: string[];
  /** What was sent to each of them. */
  requests: ModelRequestPage[];
  ran: CallToolInput[];
}

/** Pursues one goal to its end. */
export async function runTeam(replies: readonly TeamReply[], given: TeamGiven = {}): Promise<TeamRun> {
  const settings: RunSettings = { mode: 'team', workspace: '/w', autoApprove: false, ...given.settings };
  const ran: CallToolInput[] = [];
  const asked: string[] = [];
  const requests: ModelRequestPage[] = [];
  const ports = portsOf(replies, given, { asked, ran, requests });
  const run = new Run(newRunState('Do it.', settings, 0), ports, FEATURES);
  served.set(run.ports, run);
  await beginRun(
    run,
    pinnedRun({
      roles: {
        planner: testRole('planner', { tools: [], output: 'plan' }),
        executor: testRole('executor'),
        verifier: testRole('verifier', { tools: [], output: 'verdict' }),
        summary: testRole('summary', { tools: [], output: 'text' }),
      },
      models: ['p/a'],
      modelInfo: { 'p/a': modelFacts(100_000, true) },
      tools: [fileTool('put'), fileTool('read', { readOnly: true })],
      gateTimeoutMs: 60_000,
      ...given.pinned,
    }),
  );
  return { run, end: await pursue(run), asked, requests, ran };
}

/** The run that ports serve: they are made before it. */
const served = new WeakMap<Ports, Run>();

function portsOf(
  replies: readonly TeamReply[],
  { answers = [], callTool, callSubagent, activity, hook, look, runCheck }: TeamGiven,
  { asked, ran, requests }: Pick<TeamRun, 'asked' | 'ran' | 'requests'>,
): Ports {
  const left = [...answers];
  let clock = 1_000;
  const ports: Ports = {
    ...quietPorts(ran),
    ...(callTool && { callTool }),
    ...(callSubagent && { callSubagent }),
    ...(hook && { tell: hook }),
    ...(look && { look }),
    ...(runCheck && {
      runCheck: async () => {
        const run = served.get(ports);
        if (!run) throw new Error('a check is made before there is a run');
        return { ok: true as const, value: runCheck(run) };
      },
    }),
    ...(activity && { activity }),
    now: () => clock,
    callModel: async ({ role, callId }) => {
      const asking = served.get(ports);
      if (asking) requests.push(structuredClone(modelRequestPage(asking.state, callId, {}, FEATURES)));
      const reply = replies[asked.length];
      asked.push(role);
      if (reply === undefined)
        throw new Error(`no reply is left for ${role}, asked after ${asked.join(', ')}`);
      if ('fails' in reply)
        return { ok: false, failure: { kind: 'application', type: reply.fails, message: 'It failed.' } };
      clock += reply.takesMs ?? 0;
      const run = served.get(ports);
      if (run && reply.said !== undefined) receive(run, { text: reply.said }, 'steer');
      const stopReason = reply.stopReason ?? 'end_turn';
      const usage = { ...NO_USAGE, ...reply.usage };
      const { lessons } = reply;
      const said = { content: contentOf(reply), stopReason, model: 'p/a', usage, durationMs: 7 };
      const value = { ...said, ...(lessons && { lessons }) };
      return { ok: true, value };
    },
    wait: async () => {
      const gate = served.get(ports)?.state.people.gates.find(({ answer }) => answer === null);
      const answer = left.shift();
      if (!gate || !answer) throw new Error('the run waits, and nobody has an answer');
      gate.answer = answer;
    },
  };
  return ports;
}

function contentOf({
  text,
  calls = [],
  input = {},
}: {
  text?: string;
  calls?: string[];
  input?: Record<string, unknown>;
}): AssistantMessage['content'] {
  return [
    ...(text === undefined ? [] : [{ type: 'text' as const, text }]),
    ...calls.map((name, index) => ({ type: 'tool_use' as const, id: `t${index}`, name, input })),
  ];
}
