/** An open batch of tool calls: the reply it comes from, and how it ends. */
import type { AssistantMessage } from '../core/message.js';
import { toolCallsOf } from '../core/message.js';
import type { Batch } from '../core/run-state.js';
import { toolResult } from '../core/tool-call.js';
import { closeGates } from './gates.js';
import type { Run } from './run.js';

export function replyOf(run: Run, batch: Batch): AssistantMessage {
  const messages = run.state.threads[batch.thread]?.messages ?? [];
  for (let i = messages.length - 1; i >= 0; i--) {
    const message = messages[i];
    if (message?.kind === 'assistant' && message.id === batch.messageId) return message;
  }
  throw new Error(`the reply ${batch.messageId} of an open batch is gone`);
}

export function endBatch(run: Run): void {
  run.state.cursor.batch = null;
  closeGates(run, 'approval:');
  closeGates(run, 'client:');
}

/** Closes the calls of an open batch that have not begun, for a message of the user (C25). Returns their names. */
export function skipOpenCalls(run: Run, batch: Batch): string[] {
  return closeCalls(run, batch, 'skipped', 'Not run: superseded by a message of the user, which follows.');
}

/** Closes the calls of an open batch without running them: for ends that the loop does not see. */
export function closeOpenCalls(run: Run): void {
  const { batch } = run.state.cursor;
  if (batch) closeCalls(run, batch, 'cancelled', 'Not finished: the run was cancelled.');
}

function closeCalls(run: Run, batch: Batch, ending: 'skipped' | 'cancelled', text: string): string[] {
  const thread = run.state.threads[batch.thread];
  if (!thread) throw new Error(`no thread ${batch.thread}`);
  const open = toolCallsOf(replyOf(run, batch)).slice(batch.next);
  for (const call of open) {
    const result = toolResult(call, ending, [{ type: 'text', text }]);
    run.append(thread, { id: run.nextId('m'), at: run.ports.now(), kind: 'tool_result', content: [result] });
  }
  endBatch(run);
  return open.map(call => call.name);
}
