/** The eight events of an agent loop: turns, tools, steering, the end. */
import type { JournalEvent } from '../../core/journal.js';
import type { StopReason, Usage } from '../../core/message.js';
import type { RunEvent } from '../runs/run-event.js';
import { failureOf, isPassing } from './failure-of.js';
import type { Vocabulary } from './translate.js';

export type TurnEvent =
  | { type: 'turn_start'; turn_number: number; agent: string }
  /** `model`: `endpoint/model`, of which `provider` is the first part. */
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
      result: string;
      is_error: boolean;
      duration_ms: number;
    }
  /** The run waits for a tool of the client: `run.submitToolResult({ gateId: gate_id, … })`. */
  | { type: 'client_tool_request'; gate_id: string; request: string }
  /** A person's message was taken in, and these tool calls were skipped for it. */
  | { type: 'steering'; message_ids: string[]; skipped_tools: string[] }
  | { type: 'provider_switch'; agent: string; from_model: string; to_model: string; why: string }
  /** Turns and usage of all goals of the run. */
  | { type: 'done'; outcome: string; final_text: string; total_turns: number; total_usage: Usage }
  /** `is_retryable`: what ended the run is a failure that a later try may cure. */
  | { type: 'error'; error: string; is_retryable: boolean };

export function turnEvents(): Vocabulary<TurnEvent> {
  return event => {
    if (event.type === 'end') return [ofEnd(event)];
    return event.type === 'journal' ? ofJournal(event.event) : [];
  };
}

function ofEnd({ end }: Extract<RunEvent, { type: 'end' }>): TurnEvent {
  const error = failureOf(end);
  const { result, outcome } = end;
  if (error !== null || result === null) {
    return { type: 'error', error: error ?? 'The run left no result.', is_retryable: isPassing(end) };
  }
  const { answer, goals, usage } = result;
  const turns = goals.reduce((sum, goal) => sum + goal.turns, 0);
  const done = { final_text: answer, total_turns: turns, total_usage: usage };
  return { type: 'done', outcome: outcome ?? result.outcome, ...done };
}

function ofJournal(event: JournalEvent): TurnEvent[] {
  switch (event.type) {
    case 'model_call_started':
      return [{ type: 'turn_start', turn_number: event.turn, agent: event.role }];
    case 'model_call_ended': {
      const { turn, role, stopReason, model } = event;
      const [provider = ''] = model.split('/', 1);
      return [{ type: 'turn_end', turn_number: turn, agent: role, stop_reason: stopReason, model, provider }];
    }
    case 'tool_call_ended': {
      const { turn, tool, text, isError, durationMs } = event;
      const told = { tool_name: tool, result: text, is_error: isError, duration_ms: durationMs };
      return [{ type: 'tool_execution', turn_number: turn, ...told }];
    }
    case 'gate_opened':
      if (event.kind !== 'clientTool') return [];
      return [{ type: 'client_tool_request', gate_id: event.gateId, request: event.body }];
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
