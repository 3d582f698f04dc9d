/** What the scripted model of benchmarks says: a team run of a known number of turns, read off each request. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatRequest } from '../../src/protocol-server/server.js';
import { roleOf } from '../../src/testing/by-role.js';
import { execution, plan, verdict } from '../../src/testing/role-outputs.js';
import type { ScriptedReply } from '../../src/testing/scripted-model.js';

/**
 * How a run goes: the planner makes one task, the executor takes `toolTurns` turns that call the tool and one
 * that reports, the verifier is content. Model calls in all: `toolTurns` + 3.
 */
export interface PlanShape {
  toolTurns: number;
  /** So many of the first tool turns call the tool twice. Default 0. */
  doubleTurns: number;
}

/** Model and tool calls of a run: each is one activity. */
export function callsOf({ toolTurns, doubleTurns }: PlanShape): { model: number; tool: number } {
  return { model: toolTurns + 3, tool: toolTurns + doubleTurns };
}

/** A run's tool calls are numbered, so that none repeats another and all are really made. */
export async function replyTo(
  request: Pick<ChatRequest, 'system' | 'body'>,
  shape: PlanShape,
  thinkMs: number,
): Promise<ScriptedReply> {
  await sleep(thinkMs);
  if (roleOf(request) === 'planner') {
    return { text: plan({ todos: ['Look the records up and say what they show.'] }) };
  }
  if (roleOf(request) === 'verifier') return { text: verdict({ summary: 'All records are in order.' }) };
  const results = lastNumber(request);
  const { tool } = callsOf(shape);
  if (results >= tool)
    return { text: execution({ summary: `${results} records read.`, taskCompleted: true }) };
  const calls = results < shape.doubleTurns * 2 ? 2 : 1;
  return {
    text: 'The next record tells more.',
    toolCalls: Array.from({ length: calls }, (_, i) => ({
      name: 'lookup',
      arguments: { number: results + i + 1 },
    })),
  };
}

/** Of the last call: the results before it may have been left out of the request. */
function lastNumber({ body }: Pick<ChatRequest, 'body'>): number {
  const call = body.messages.flatMap(message => message.tool_calls ?? []).at(-1);
  return call ? Number(JSON.parse(call.function.arguments).number) : 0;
}
