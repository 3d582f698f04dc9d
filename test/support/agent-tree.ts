/** A lead with its sub-agents, and theirs, in memory: every one a run of the same code, with signals between them. */

import { FEATURES } from '../../src/compose.js';
import type { ToCaller } from '../../src/rules/agents/agent-message.js';
import { reportOf, totalsOf } from '../../src/rules/agents/subagent.js';
import type { AgentEnd } from '../../src/run/agents/children.js';
import type { PinnedRole } from '../../src/run/agents/role.js';
import type { RunSettings } from '../../src/run/agents/run-config.js';
import { DEFAULT_LIMITS, type Limits } from '../../src/run/limits/limits.js';
import type { AssistantMessage } from '../../src/run/messages/message.js';
import { NO_USAGE } from '../../src/run/messages/message.js';
import type { GoalEnd } from '../../src/run/state/goal.js';
import { newRunState } from '../../src/run/state/run-state.js';
import type { InboxItem } from '../../src/run/steering/inbox.js';
import { addWorkflowTools } from '../../src/run/tools/workflow-tools.js';
import { hearAgent } from '../../src/workflows/agents/agents.js';
import { beginRun, endCancelled, endRun, goOn, pursue } from '../../src/workflows/goals.js';
import {
  answerFromCaller,
  hearCaller,
  receive,
  requestPause,
  requestResume,
  requestStop,
} from '../../src/workflows/inbox/inbox-handlers.js';
import type { Ports, ToChild } from '../../src/workflows/run/ports.js';
import { Run } from '../../src/workflows/run/run.js';
import { resultOf } from '../../src/workflows/run/views.js';
import { modelFacts, pinnedRun } from './core-values.js';
import { fileTool, quietPorts, testRole } from './small-run.js';

/** Calls by the name of their tool; a text is the answer. `failure`: the type of what the call ends with. */
export type TreeReply = string | [tool: string, input: Record<string, unknown>][] | { failure: string };

export interface TreeCall {
  /** The way to the run: '' for the lead, then `search/1`, `middle/1/search/1`. */
  path: string;
  /** Of the calls of this run's model, from 1. */
  times: number;
  /** The role that is called, and its model. */
  role: string;
  model: string;
  run: Run;
}

export interface TreeGiven {
  reply: (call: TreeCall) => TreeReply | Promise<TreeReply>;
  settings?: Partial<RunSettings>;
  limits?: Partial<Limits>;
  /** Over the profiles of the roles. */
  roles?: Record<string, Partial<PinnedRole>>;
  /** The chain of all roles. */
  models?: string[];
  /** Known beside those: names of models without a price. */
  unpriced?: string[];
}

export interface AgentTree {
  readonly lead: Run;
  /** By the way to them, those that have begun; the lead has none. */
  readonly agents: ReadonlyMap<string, Run>;
  /** Tools that ran, each as `path tool`. */
  ran: string[];
  /** Models that were called, each as `path model`. */
  called: string[];
  clock: { now: number };
  end: Promise<TreeEnd>;
  /** As the platform cancels a workflow: all of the tree. `end` is rejected. */
  cancel: () => void;
  /** As somebody ends an agent's run from outside: its caller hears of nothing but that. */
  terminate: (path: string) => void;
}

type TreeEnd = GoalEnd & { unread: InboxItem[] };

interface InMemory {
  readonly run: Run;
  pursue: (limits: Partial<Limits> | undefined) => Promise<TreeEnd>;
  cancel: () => void;
}

class Cancelled extends Error {}

/** A line on which one message comes after the other, each a moment after it was sent. */
class Line {
  #last: Promise<void> | null = null;

  send(deliver: () => void): void {
    const sent = (this.#last ?? Promise.resolve())
      .then(() => new Promise(setImmediate))
      .then(deliver)
      .then(() => {
        if (this.#last === sent) this.#last = null;
      });
    this.#last = sent;
  }

  /** Null where nothing is on its way. */
  get empty(): Promise<void> | null {
    return this.#last;
  }
}

/** `middle` calls agents of its own. */
const ROLES: Record<string, PinnedRole> = Object.fromEntries(
  [
    testRole('lead', { output: 'text', tools: ['*', 'call_subagent'], agents: ['search', 'middle'] }),
    testRole('middle', { output: 'text', tools: ['call_subagent'], agents: ['search'] }),
    testRole('search', { output: 'text', memory: 'private' }),
  ].map(role => [role.name, role]),
);
const AGENTS = [
  { name: 'search', description: '', requires: [] },
  { name: 'middle', description: '', requires: [], calls: ['search'] },
];
const PER_CALL = { ...NO_USAGE, inputTokens: 10, outputTokens: 1 };

export function call(agent_name: string, instruction: string): [string, Record<string, unknown>] {
  return ['call_subagent', { agent_name, instruction }];
}

export function agentTree(given: TreeGiven): AgentTree {
  const runs = new Map<string, InMemory>();
  const terminators = new Map<string, () => void>();
  const ran: string[] = [];
  const called: string[] = [];
  const { models = ['p/a'], unpriced = [] } = given;
  const modelInfo = Object.fromEntries(
    [...models, ...unpriced].map(model => [model, modelFacts(100_000, !unpriced.includes(model))]),
  );
  const clock = { now: 1_000 };
  const settings: RunSettings = {
    mode: 'lead',
    workspace: '/w',
    autoApprove: false,
    attended: true,
    ...given.settings,
  };

  function begin(path: string, goal: string, own: RunSettings, hear: (message: ToCaller) => void): InMemory {
    let times = 0;
    let cancelled = false;
    let cutOff = () => {};
    const up = new Line();
    const children = new Map<string, { agent: InMemory; down: Line }>();
    const quiet = quietPorts([]);
    const ports: Ports = {
      ...quiet,
      now: () => clock.now,
      tellCaller: message => {
        const sent = JSON.parse(JSON.stringify(message));
        up.send(() => hear(sent));
      },
      callerTold: () => up.empty,
      wait: async (done, timeoutMs) => {
        const deadline = timeoutMs === null ? Number.POSITIVE_INFINITY : clock.now + timeoutMs;
        while (!done() && !cancelled && clock.now < deadline) await new Promise(setImmediate);
      },
      cancelCalls: () => cutOff(),
      callModel: async ({ role, model }) => {
        times += 1;
        called.push(`${path} ${model}`.trim());
        const cut = new Promise<null>(resolve => {
          cutOff = () => resolve(null);
        });
        const reply = await Promise.race([given.reply({ path, times, role, model, run }), cut]);
        cutOff = () => {};
        if (reply === null) return { ok: false, failure: { kind: 'cancelled', type: '', message: '' } };
        if (typeof reply === 'object' && 'failure' in reply)
          return { ok: false, failure: { kind: 'application', type: reply.failure, message: 'No.' } };
        const content: AssistantMessage['content'] =
          typeof reply === 'string'
            ? [{ type: 'text', text: reply }]
            : reply.map(([name, input], index) => ({
                type: 'tool_use',
                id: `t${times}_${index}`,
                name,
                input,
              }));
        const value = {
          content,
          stopReason: 'end_turn' as const,
          model,
          usage: PER_CALL,
          durationMs: 1,
        };
        return { ok: true, value };
      },
      callTool: async (input, options) => {
        ran.push(`${path} ${input.tool}`);
        return quiet.callTool(input, options);
      },
      callSubagent: async child => {
        const at = path === '' ? child.id : `${path}/${child.id}`;
        const agent = begin(at, child.goal, child.settings, message => {
          hearAgent(run, { ...message, id: child.id, run: `lead/${at}` });
        });
        runs.set(at, agent);
        const down = new Line();
        children.set(child.id, { agent, down });
        const terminated = new Promise<null>(resolve => terminators.set(at, () => resolve(null)));
        try {
          const end = await Promise.race([agent.pursue(child.settings.limits), terminated]);
          if (end === null) return { kind: 'lost', why: 'it was terminated' };
          for (let told = agent.run.ports.callerTold(); told; told = agent.run.ports.callerTold()) await told;
          return ended(agent.run, end);
        } catch (error) {
          if (!(error instanceof Cancelled)) throw error;
          const result = resultOf(agent.run.state, { ...endCancelled(agent.run), id: at, now: 0 });
          agent.run.ports.tellCaller({ type: 'cancelled', rest: totalsOf(result) });
          for (let told = agent.run.ports.callerTold(); told; told = agent.run.ports.callerTold()) await told;
          return { kind: 'cancelled' };
        } finally {
          children.delete(child.id);
          await down.empty;
        }
      },
      tellSubagent: (id, message, told) => {
        const child = children.get(id);
        if (!child) {
          told(false);
          return;
        }
        const sent = JSON.parse(JSON.stringify(message));
        child.down.send(() => {
          const isOpen = children.has(id);
          if (isOpen) deliver(child.agent.run, sent);
          told(isOpen);
        });
      },
      cancelSubagents: () => {
        for (const { agent } of children.values()) agent.cancel();
      },
      throwIfCancelled: () => {
        if (cancelled) throw new Cancelled();
      },
    };
    const run: Run = new Run(newRunState(goal, own, clock.now), ports, FEATURES);
    const cancel = () => {
      cancelled = true;
      cutOff();
      ports.cancelSubagents();
    };
    return {
      run,
      cancel,
      pursue: async limits => {
        await pin(run, limits);
        return session(run);
      },
    };
  }

  async function pin(run: Run, limits: Partial<Limits> = {}): Promise<void> {
    const name = run.state.settings.role ?? 'lead';
    const role = { ...(ROLES[name] ?? testRole('lead')), ...given.roles?.[name] };
    await beginRun(
      run,
      pinnedRun({
        roles: { [role.name]: role },
        agents: AGENTS,
        tools: addWorkflowTools([fileTool('put')], [role]).tools,
        models,
        modelInfo,
        limits: { ...DEFAULT_LIMITS, ...limits },
        gateTimeoutMs: 60_000,
      }),
    );
  }

  const lead = begin('', 'Find out.', settings, () => {});
  return {
    lead: lead.run,
    get agents() {
      return new Map([...runs].map(([path, { run }]) => [path, run]));
    },
    cancel: lead.cancel,
    terminate: path => terminators.get(path)?.(),
    ran,
    called,
    clock,
    end: lead.pursue(given.limits),
  };
}

/** As the workflow does. */
async function session(run: Run): Promise<TreeEnd> {
  for (;;) {
    const end = await pursue(run);
    if (goOn(run, end)) continue;
    for (let told = run.ports.callerTold(); told; told = run.ports.callerTold()) await told;
    if (goOn(run, end)) continue;
    return { ...end, unread: endRun(run, end) };
  }
}

function ended(run: Run, end: TreeEnd): AgentEnd {
  return { kind: 'ended', report: reportOf(resultOf(run.state, { ...end, id: 'x', now: 0 })) };
}

/** As the workflow's signal handlers do. */
function deliver(run: Run, { signal, input }: ToChild): void {
  if (signal === 'steer') receive(run, input, 'steer');
  if (signal === 'pause') requestPause(run, input);
  if (signal === 'resume') requestResume(run, input);
  if (signal === 'stop') requestStop(run, input);
  if (signal === 'answer') answerFromCaller(run, input);
  if (signal === 'caller') hearCaller(run, input);
}
