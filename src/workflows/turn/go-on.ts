/** Continues a text that was cut at the output limit, in one more reply. */

import { ANSWER_BYTES } from '../../base/sizes/bounds.js';
import { fill } from '../../base/words/words.js';
import { joinCut, lastWords, upToWord } from '../../conversation/cut-text.js';
import type { PinnedRole } from '../../run/agents/role.js';
import { textOf, toolCallsOf } from '../../run/messages/message.js';
import { here } from '../../run/state/cursor.js';
import { accountOf } from '../../run/state/run-state.js';
import { keepText } from '../run/keep-text.js';
import type { Run } from '../run/run.js';
import type { WholeReply } from './call-model.js';

/** Asks for the rest of a cut reply, once. False if it is read as it is: cut JSON cannot be continued. */
export async function askForRemainder(
  run: Run,
  role: PinnedRole,
  { message, text }: WholeReply,
): Promise<boolean> {
  const { turns } = here(run.cursor);
  if (message.stopReason !== 'max_tokens' || !isText(role) || turns.reasked) return false;
  if (text.trim() === '' || toolCallsOf(message).length > 0) return false;
  turns.cut = await withCut(run, message.id, text);
  turns.reasked = true;
  const account = accountOf(run.state);
  account.counters = { ...account.counters, reasks: account.counters.reasks + 1 };
  run.journal('reask', { role: role.name, errors: ['cut off at the output limit: it goes on there'] });
  run.say(run.threadOf(role), 'reask', fill(run.words.goOnText, { end: lastWords(turns.cut) }));
  return true;
}

/** Ensures that a request does not end with a cut-off reply. Text that a person interrupted continues like cut text. */
export async function answerable(run: Run, role: PinnedRole): Promise<void> {
  const thread = run.threadOf(role);
  const last = thread.messages.at(-1);
  if (last?.kind !== 'assistant') return;
  const { turns } = here(run.cursor);
  const text = textOf(last);
  const isInterrupted = last.stopReason === 'interrupted';
  if (isInterrupted && last.role === role.name && isText(role) && text.trim() !== '')
    turns.cut = await withCut(run, last.id, text);
  run.say(thread, 'instruction', isInterrupted ? run.words.interrupted : run.words.cutOff);
}

function isText({ output, dialect }: PinnedRole): boolean {
  return output === 'text' && dialect === 'component';
}

/** Returns the text of the cut replies so far, joined. */
function withCut(run: Run, id: string, text: string): Promise<string> {
  const { cut } = here(run.cursor).turns;
  const begun = upToWord(text);
  return keepText(run, `reply-${id}`, cut === null ? begun : joinCut(cut, begun), ANSWER_BYTES);
}
