/**
 * The replies of the benchmarks' scripted model: a run with a known number of calls. Each reply follows from its
 * request alone.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { roleOf } from '../../packages/test-kit/by-role.js';
import { execution, plan, verdict } from '../../packages/test-kit/role-outputs.js';
import type { Mode } from '../../src/run/position/modes.js';
import type { ChatRequest, ScriptedReply } from '../../test/support/endpoint/model.js';

/**
 * The shape of a run: the working role takes a turn for each item of `toolCalls`, and one more for its report. In
 * `team` and `plan` the executor works on the planner's tasks, in `lead` each agent works, in `auto` the only role of
 * `react`.
 */
export interface RunShape {
  /** Default `team`. */
  mode?: Mode;
  /** Number of calls in each turn that calls the tool. */
  toolCalls: readonly number[];
  /** In `team` and `plan`: number of independent tasks of the plan. Default 1. */
  tasks?: number;
  /** In the mode `lead`: number of agents that its first reply calls. Default 0. */
  agents?: number;
}

/** Returns a shape's turns with one tool call each. */
export function singleCalls(turns: number): number[] {
  return Array(turns).fill(1);
}

/**
 * Number of replies besides those of working roles: planner and verifier, planner and summary, selector, or the
 * lead's two.
 */
const BESIDE: Readonly<Partial<Record<Mode, number>>> = { team: 2, plan: 2, lead: 2, auto: 1 };

/** Returns the model and tool calls of a run with its agents: each is one activity. */
export function callsOf({ mode = 'team', toolCalls, tasks = 1, agents = 0 }: RunShape): {
  model: number;
  tool: number;
} {
  const workers = mode === 'lead' ? agents : tasks;
  const calls = toolCalls.reduce((sum, each) => sum + each, 0);
  return { model: (BESIDE[mode] ?? 0) + workers * (toolCalls.length + 1), tool: workers * calls };
}

/** Replies after `thinkMs`. The same request always gets the same reply. */
export async function replyTo(
  request: Pick<ChatRequest, 'system' | 'body'>,
  shape: RunShape,
  thinkMs: number,
): Promise<ScriptedReply> {
  await sleep(thinkMs);
  const role = roleOf(request);
  switch (role) {
    case 'planner':
      return {
        text: plan({ todos: Array.from({ length: shape.tasks ?? 1 }, (_, nth) => taskText(nth + 1)) }),
      };
    case 'verifier':
      return { text: verdict({ summary: 'All records are in order.' }) };
    case 'selector':
      return { text: JSON.stringify({ mode: 'react', reason: 'One role can do it.' }) };
    case 'summary':
      return { text: 'All records are in order.' };
    case 'lead':
      return leadReply(request, shape.agents ?? 0);
    default:
      return workReply(request, role, shape.toolCalls);
  }
}

function taskText(number: number): string {
  return `Look the records of part ${number} up and say what they show.`;
}

function leadReply({ body }: Pick<ChatRequest, 'body'>, agents: number): ScriptedReply {
  if (body.messages.some(({ tool_calls: calls = [] }) => calls.length > 0))
    return { text: `${agents} agents say that all records are in order.` };
  const instructions = Array.from({ length: agents }, (_, nth) => `Look up the records of part ${nth + 1}.`);
  const call = (instruction: string) => ({
    name: 'call_subagent',
    arguments: { agent_name: 'search', instruction },
  });
  return { text: 'Each part has an agent of its own.', toolCalls: instructions.map(call) };
}

/** A run's tool calls are numbered, so that no call repeats another and all are really made. */
function workReply(
  request: Pick<ChatRequest, 'body'>,
  role: string,
  toolCalls: readonly number[],
): ScriptedReply {
  const read = lastNumber(request);
  const before = OF_TASK * taskOf(request);
  const calls = nextTurn(toolCalls, read);
  if (calls === 0) {
    const summary = `${read} records read.`;
    return { text: role === 'executor' ? execution({ summary, taskCompleted: true }) : summary };
  }
  return {
    text: 'The next record tells more.',
    toolCalls: Array.from({ length: calls }, (_, i) => ({
      name: 'lookup',
      arguments: { number: before + read + i + 1 },
    })),
  };
}

/** Returns the number of calls in the turn after `made` calls; 0 if all are made. */
function nextTurn(toolCalls: readonly number[], made: number): number {
  let sum = 0;
  for (const calls of toolCalls) {
    if (sum >= made) return calls;
    sum += calls;
  }
  return 0;
}

/** Returns the number of the current task's last call, because the request may lack the results of earlier ones. */
function lastNumber({ body }: Pick<ChatRequest, 'body'>): number {
  const begun = body.messages.findLastIndex(
    ({ role, content }) => role === 'user' && BRIEF.test(`${content}`),
  );
  const call = body.messages
    .slice(Math.max(0, begun))
    .flatMap(message => message.tool_calls ?? [])
    .at(-1);
  return call ? Number(JSON.parse(call.function.arguments).number) % OF_TASK : 0;
}

/** Returns the number of the current task, from 0; 0 without a task. */
function taskOf({ body }: Pick<ChatRequest, 'body'>): number {
  const instruction = body.messages.findLast(
    ({ role, content }) => role === 'user' && BRIEF.test(`${content}`),
  );
  return Number(BRIEF.exec(`${instruction?.content}`)?.[1] ?? 1) - 1;
}

/** The beginning of a task's instruction. */
const BRIEF = /Do this task now: task-(\d+)/;
/** Distance between the call numbers of two tasks, so that tasks share no number. */
const OF_TASK = 1_000;
