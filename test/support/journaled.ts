/** Steps of a trace, as events in a journal. */
import { NO_USAGE } from '../../src/run/messages/message.js';
import { type Journal, type JournalPayloads, record } from '../../src/run/state/journal.js';

const USAGE = { ...NO_USAGE, inputTokens: 3, outputTokens: 4 };

/** Records a reply; returns its number. */
export function noteReply(
  journal: Journal,
  more: Partial<JournalPayloads['model_call_ended']> & { at?: number } = {},
): number {
  const { at = 1, ...payload } = more;
  const turn = journal.events.filter(({ type }) => type === 'model_call_ended').length + 1;
  record(journal, at, 'model_call_ended', {
    ...{
      callId: `c${turn}`,
      taskId: 'task-1',
      role: 'executor',
      model: 'test/a',
      turn,
      messageId: `m${turn}`,
    },
    ...{ stopReason: 'end_turn', toolCalls: 1, usage: USAGE, durationMs: 7, ...payload },
  });
  return turn;
}

export type NotedCall = Partial<JournalPayloads['tool_call_ended']> & { at?: number };

/** Records a call of a reply of its own, unless `turn` names one. It never started, unless the journal has its start. */
export function noteCall(journal: Journal, tool: string, more: NotedCall = {}): void {
  const { at = 1, turn = noteReply(journal, { at }), callId = 'c', ...payload } = more;
  const started = journal.events.some(event => event.type === 'tool_call_started' && event.callId === callId);
  record(journal, at, 'tool_call_ended', {
    ...{ callId, taskId: 'task-1', turn, messageId: 'm2', tool, ending: 'executed', isError: false },
    ...{ durationMs: 5, text: 'ok', ...(!started && { arguments: '{}' }), ...payload },
  });
}
