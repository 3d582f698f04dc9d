import { lostResult } from '../../../core/gates/gate.js';
import { here, levels } from '../../../core/state/cursor.js';
import { type AssistantMessage, toolCallsOf } from '../../../core/state/message.js';
import type { Batch, Turns } from '../../../core/state/position.js';
import { replyOf } from '../../../core/state/thread.js';
import { clientResult, toolResult } from '../../../core/tools/tool-result.js';
import type { Run } from '../../run.js';
import { answerTo, closeApprovals, closeBatchGates, isWithClient } from './call-permission.js';
import { finishCall } from './finish-call.js';

export function openReply(run: Run, batch: Batch): AssistantMessage {
  const reply = replyOf(run.state, batch);
  if (!reply) throw new Error(`the reply ${batch.messageId} of an open batch is gone`);
  return reply;
}

export function endBatch(run: Run, reply: AssistantMessage): void {
  here(run.state.cursor).turns.batch = null;
  closeBatchGates(run, reply, 'no longer needed');
}

/** Closes the calls of an open batch that have not begun, for a message of the user. Returns their names. */
export function skipOpenCalls(run: Run, batch: Batch): string[] {
  const end: BatchEnd = { ending: 'skipped', note: run.words.noteSuperseded, why: 'a message of the user' };
  return closeCalls(run, here(run.state.cursor).turns, batch, end);
}

/**
 * Closes the calls of every open batch without running them, also of one that waits behind a question to
 * another role: for ends that the loop does not see (ST8).
 */
export function closeOpenCalls(run: Run, end: BatchEnd = cancelled(run)): void {
  for (const { turns } of levels(run.state.cursor)) {
    if (turns.batch) closeCalls(run, turns, turns.batch, end);
  }
}

export interface BatchEnd {
  ending: 'skipped' | 'cancelled';
  note: string;
  /** For whoever has a gate open about one of the calls. */
  why: string;
}

/** For the calls of a run that was cancelled. */
export function cancelled({ words }: Run): BatchEnd {
  return { ending: 'cancelled', note: words.noteRunCancelled, why: 'the run was cancelled' };
}

function closeCalls(run: Run, turns: Turns, batch: Batch, { ending, note, why }: BatchEnd): string[] {
  const reply = openReply(run, batch);
  const open = toolCallsOf(reply).slice(batch.next);
  closeApprovals(run, reply, why);
  for (const call of open) {
    const said = answerTo(run, call) ?? (isWithClient(run, call) ? lostResult('cancelled') : null);
    const tool = run.pinned.tools.find(({ name }) => name === call.name) ?? null;
    // What the client ran has happened, and what it was given may have.
    const ran = said?.kind === 'clientTool' ? tool : null;
    const result =
      ran && said?.kind === 'clientTool'
        ? clientResult(call, ran, said, run.words)
        : toolResult(call, ending, { note }, run.words);
    const callId = run.nextId('c');
    finishCall(run, { batch, reply, call, callId, result, input: call.input, ran });
  }
  closeBatchGates(run, reply, why);
  turns.batch = null;
  return open.map(call => call.name);
}
