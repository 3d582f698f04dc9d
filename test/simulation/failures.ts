/** Random ends of calls other than a good one. */
import type { CallToolResult } from '../../src/activities/types.js';
import { type CallFailure, FAILURE } from '../../src/run/limits/failure.js';
import type { ToolContent } from '../../src/run/messages/message.js';
import { NO_USAGE } from '../../src/run/messages/message.js';
import type { Random } from './random.js';
import type { Scenario } from './scenario.js';

const MODEL_TYPES = [...Object.values(FAILURE.model), 'TypeError', ''];
const TOOL_TYPES = [...Object.values(FAILURE.tool), ''];
const LOST_TYPES = [FAILURE.stateUnavailable, FAILURE.workerShutdown, ''];

export function modelFailure(random: Random): CallFailure {
  const failed = failure(random, MODEL_TYPES);
  if (!random.chance(0.5)) return failed;
  const costUsd = random.int(0, 9) / 1_024;
  const usage = { ...NO_USAGE, inputTokens: random.int(1, 200), outputTokens: random.int(0, 50), costUsd };
  return { ...failed, usage: { ...usage, estimated: true } };
}

export function toolFailure(random: Random): CallFailure {
  return failure(random, TOOL_TYPES);
}

function failure(random: Random, types: readonly string[]): CallFailure {
  const message = random.pick(['', 'it broke']);
  const kind = random.pick(['application', 'application', 'application', 'lost', 'timedOut'] as const);
  const typed = { application: types, lost: LOST_TYPES, timedOut: [''] };
  return { kind, type: random.pick(typed[kind]), message };
}

export const CANCELLED: CallFailure = { kind: 'cancelled', type: '', message: '' };

export function toolResultOf(random: Random, scenario: Scenario, text: string): CallToolResult {
  const ending = random.weighted([
    [20, 'executed'],
    [1, 'invalid'],
    [1, 'timed_out'],
    [1, 'unavailable'],
    [1, 'outcome_unknown'],
  ] as const);
  const isError = ending !== 'executed' || random.chance(0.1);
  return { ending, content: content(random, scenario, text), isError, durationMs: random.int(0, 500) };
}

function content(random: Random, scenario: Scenario, text: string): ToolContent[] {
  const length = scenario.longTexts ? random.int(0, 800) : 0;
  return random.weighted<ToolContent[]>([
    [10, [{ type: 'text', text: text + 'z'.repeat(length) }]],
    [1, [{ type: 'json', value: { text, list: [1, null, true] } }]],
    [1, [{ type: 'text', text, totalBytes: 90_000 }]],
    [1, [{ type: 'text', text, totalBytes: 90_000, ref: 'r1' }]],
    [1, [{ type: 'image', mimeType: 'image/png', ref: 'r2', totalBytes: 10 }]],
    [1, []],
  ]);
}

export const NOT_SENT: CallFailure = { kind: 'application', type: FAILURE.tool.notSent, message: '' };
