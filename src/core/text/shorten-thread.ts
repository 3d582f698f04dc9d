/** Shortening a thread of a run's state, with all that refers to its messages. */

import { wordsOf } from '../prompts/words.js';
import { replaceMessages } from '../state/branch-threads.js';
import { record } from '../state/journal.js';
import { taskOf } from '../state/position.js';
import type { RunState } from '../state/run-state.js';
import type { Thread } from '../state/thread.js';
import { forgetResults } from '../tools/ledger.js';
import { trimThread } from './trim.js';

/** A thread that is too long goes down to this share, so that many turns pass before it is again. */
const TARGET_SHARE = 0.7;

/** Trims a thread above its limit well below it, and says whether anything changed. Changes `state`, and journals it. */
export function shortenThread(
  state: RunState,
  thread: Thread,
  limitTokens: number,
  {
    why,
    at,
    targetShare = TARGET_SHARE,
    keepsUserNotes = true,
  }: { why: string; at: number; targetShare?: number; keepsUserNotes?: boolean },
): boolean {
  if (thread.tokens <= limitTokens) return false;
  const { messages, tokens, dropped, shortened, lost } = trimThread(thread.messages, {
    limitTokens,
    targetTokens: Math.floor(limitTokens * targetShare),
    // Also while another role is asked, or a message is being understood.
    taskId: thread.branch?.taskId ?? taskOf(state.cursor.position),
    words: wordsOf(state),
    keepsUserNotes,
    mark: { id: `cut-${thread.id}-${thread.epoch + 1}`, at },
  });
  if (dropped === 0 && shortened === 0) return false;
  forgetResults(state.tools.ledger, lost);
  replaceMessages(thread, messages);
  Object.assign(thread, { tokens, epoch: thread.epoch + 1, dropped: thread.dropped + dropped });
  record(state.log.journal, at, 'thread_trimmed', { thread: thread.id, dropped, shortened, why });
  return true;
}
