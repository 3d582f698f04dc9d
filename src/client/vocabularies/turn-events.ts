/** Translates a run into the eight events of an agent loop: turns, tools, steering, the end. */

import { causeText } from '../../run/limits/cause.js';
import { FAILURE, isRetryableModelFailure } from '../../run/limits/failure.js';
import type { StopReason, Usage } from '../../run/messages/message.js';
import type { JournalPayloads } from '../../run/state/journal.js';
import type { RunEnd } from '../record/run-end.js';
import type { RunEvent } from '../watch/run-event.js';
import { oneAtATime, type Vocabulary } from './translate.js';

export type TurnEvent =
  | { type: 'turn_start'; turn_number: number; agent: string }
  /** `model`: `endpoint/model`; `provider` is its first part. */
  | {
      type: 'turn_end';
      turn_number: number;
      agent: string;
      stop_reason: StopReason;
      model: string;
      provider: string;
    }
  | {
      type: 'tool_execution';
      turn_number: number;
      tool_name: string;
      /** At most 200 characters on one line; `is_cut`: the transcript has more. */
      result: string;
      is_cut: boolean;
      is_error: boolean;
      duration_ms: number;
    }
  /**
   * The run waits for a tool of the client: `run.submitToolResult({ gateId: gate_id, … })`. `tool_call_id`: the model's
   * id of the call.
   */
  | {
      type: 'client_tool_request';
      gate_id: string;
      tool_name: string;
      tool_call_id: string;
      request: string;
    }
  /** A person's message was applied, and these tool calls were skipped for it. */
  | { type: 'steering'; message_ids: string[]; skipped_tools: string[] }
  | { type: 'provider_switch'; agent: string; from_model: string; to_model: string; why: string }
  /** Turns and usage of all goals of the run. */
  | { type: 'done'; outcome: string; final_text: string; total_turns: number; total_usage: Usage }
  /** `is_retryable`: the run ended by a failure that a later attempt may avoid. */
  | { type: 'error'; error: string; is_retryable: boolean };

export function turnEvents(): Vocabulary<TurnEvent> {
  const numbers = new TurnNumbers();
  return oneAtATime(event => {
    if (event.type === 'end') return [ofEnd(event.end)];
    return ofEvent(event, numbers);
  });
}

/** Numbers turns. The order in which concurrent replies end is unknown at their start, so each keeps its first number. */
class TurnNumbers {
  /** The task of the reply that got a number. */
  readonly #given = new Map<number, string | null>();
  readonly #ofCall = new Map<string, number>();
  /** The assigned number of each reply, by the number that the run gave it at its end. */
  readonly #numbers = new Map<number, number>();

  started({ callId, turn, taskId }: JournalPayloads['model_call_started']): number {
    let number = turn;
    while (taskId !== null && (this.#given.get(number) ?? taskId) !== taskId) number += 1;
    this.#given.set(number, taskId);
    this.#ofCall.set(callId, number);
    return number;
  }

  ended({ callId, turn }: JournalPayloads['model_call_ended']): number {
    const number = this.#ofCall.get(callId) ?? turn;
    this.#ofCall.delete(callId);
    this.#numbers.set(turn, number);
    return number;
  }

  failed({ callId }: JournalPayloads['model_call_failed']): void {
    this.#given.delete(this.#ofCall.get(callId) ?? 0);
    this.#ofCall.delete(callId);
  }

  of(turn: number): number {
    return this.#numbers.get(turn) ?? turn;
  }
}

function ofEnd(end: RunEnd): TurnEvent {
  const error = failureOf(end);
  const { result, outcome } = end;
  if (error !== null || result === null) {
    return { type: 'error', error: error ?? 'The run left no result.', is_retryable: isPassing(end) };
  }
  const { text, goals, usage } = result;
  const turns = goals.reduce((sum, goal) => sum + goal.turns, 0);
  const done = { final_text: text, total_turns: turns, total_usage: usage };
  return { type: 'done', outcome: outcome ?? result.outcome, ...done };
}

function ofEvent(event: RunEvent, numbers: TurnNumbers): TurnEvent[] {
  switch (event.type) {
    case 'model_call_started':
      return [{ type: 'turn_start', turn_number: numbers.started(event), agent: event.role }];
    case 'model_call_ended': {
      const { role, stopReason, model } = event;
      const turn = numbers.ended(event);
      const [provider = ''] = model.split('/', 1);
      return [{ type: 'turn_end', turn_number: turn, agent: role, stop_reason: stopReason, model, provider }];
    }
    case 'model_call_failed':
      numbers.failed(event);
      return [];
    case 'tool_call_ended': {
      const { tool, text, cut = false, isError, durationMs } = event;
      const output = { tool_name: tool, result: text, is_cut: cut };
      const ended = { ...output, is_error: isError, duration_ms: durationMs };
      return [{ type: 'tool_execution', turn_number: numbers.of(event.turn), ...ended }];
    }
    case 'gate_opened':
      if (event.kind !== 'clientTool') return [];
      return [clientRequest(event)];
    case 'steering':
      return [{ type: 'steering', message_ids: event.ids, skipped_tools: event.skippedTools }];
    case 'provider_switch':
      return [
        {
          type: 'provider_switch',
          agent: event.role,
          from_model: event.fromModel,
          to_model: event.toModel,
          why: event.why,
        },
      ];
    default:
      return [];
  }
}

function clientRequest({ gateId, call, body }: JournalPayloads['gate_opened']): TurnEvent {
  // Events of earlier code have no call.
  const { tool = '', id = '' } = call ?? {};
  const named = { tool_name: tool, tool_call_id: id };
  return { type: 'client_tool_request', gate_id: gateId, ...named, request: body };
}

/** Returns why the run failed, in a sentence; null if it ended otherwise, such as stopped or out of budget. */
export function failureOf({ outcome, cause, failure }: RunEnd): string | null {
  if (outcome !== null && outcome !== 'failed') return null;
  if (failure !== null && failure.message !== '') return failure.message;
  return cause === null ? 'The run failed.' : causeText(cause);
}

/** Temporary failures other than a model's: a call that took too long, workers that died, too many runs at once. */
const PASSING: ReadonlySet<string> = new Set(['timedOut', FAILURE.workerLost, FAILURE.run.busy]);

/** True if a later attempt may avoid the run's failure, judged by its own record. */
function isPassing({ cause }: RunEnd): boolean {
  const type = /^failed:(.*)$/.exec(cause ?? '')?.[1] ?? '';
  return isRetryableModelFailure(type) || PASSING.has(type);
}
