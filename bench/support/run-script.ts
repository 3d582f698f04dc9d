/** What the scripted model of benchmarks says: a run of a known number of calls, read off each request. */
import { setTimeout as sleep } from 'node:timers/promises';
import { roleOf } from '../../packages/test-kit/by-role.js';
import { execution, plan, verdict } from '../../packages/test-kit/role-outputs.js';
import type { Mode } from '../../src/run/position/modes.js';
import type { ChatRequest, ScriptedReply } from '../../test/support/endpoint/model.js';

/**
 * How a run goes: whoever works takes a turn for each of `toolCalls`, and one more that reports. In `team` and
 * `plan` the executor works, on the tasks that the planner makes, in `lead` each of its agents, in `auto` the
 * one role of `react`.
 */
export interface RunShape {
  /** Default `team`. */
  mode?: Mode;
  /** How often each turn that calls the tool calls it. */
  toolCalls: readonly number[];
  /** In `team` and `plan`: tasks that the planner makes, none of which needs another. Default 1. */
  tasks?: number;
  /** In the mode `lead`: agents that are called with its first reply. Default 0. */
  agents?: number;
}

/** Turns that call the tool once each. */
export function singleCalls(turns: number): number[] {
  return Array(turns).fill(1);
}

/** Replies beside those of who works, where there are any: of planner and verifier, planner and summary, selector, the lead. */
const BESIDE: Readonly<Partial<Record<Mode, number>>> = { team: 2, plan: 2, lead: 2, auto: 1 };

/** Model and tool calls of a run with its agents: each is one activity. */
export function callsOf({ mode = 'team', toolCalls, tasks = 1, agents = 0 }: RunShape): {
  model: number;
  tool: number;
} {
  const workers = mode === 'lead' ? agents : tasks;
  const calls = toolCalls.reduce((sum, each) => sum + each, 0);
  return { model: (BESIDE[mode] ?? 0) + workers * (toolCalls.length + 1), tool: workers * calls };
}

/** The same request always gets the same reply, `thinkMs` later. */
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

/** A run's tool calls are numbered, so that none repeats another and all are really made. */
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

/** Calls of the turn that comes after `made` of them; 0 where all are made. */
function nextTurn(toolCalls: readonly number[], made: number): number {
  let sum = 0;
  for (const calls of toolCalls) {
    if (sum >= made) return calls;
    sum += calls;
  }
  return 0;
}

/** Of the last call for the task at hand: the results before it may have been left out of the request. */
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

/** The number of the task at hand, from 0; 0 where there is none. */
function taskOf({ body }: Pick<ChatRequest, 'body'>): number {
  const instruction = body.messages.findLast(
    ({ role, content }) => role === 'user' && BRIEF.test(`${content}`),
  );
  return Number(BRIEF.exec(`${instruction?.content}`)?.[1] ?? 1) - 1;
}

/** What a task is given begins so. */
const BRIEF = /Do this task now: task-(\d+)/;
/** Numbers of a task's calls: none is another's. */
const OF_TASK = 1_000;
