/** A text that was cut at the output limit goes on in one more reply, where it was cut. */
import { ANSWER_BYTES } from '../../core/bounds.js';
import { here } from '../../core/cursor.js';
import { lastWords, upToWord } from '../../core/cut-text.js';
import { toolCallsOf } from '../../core/message.js';
import type { PinnedRole } from '../../core/role.js';
import { accountOf } from '../../core/run-state.js';
import { fill, wordsOf } from '../../core/words.js';
import type { Run } from '../run.js';
import type { ModelReply } from './call-model.js';
import { keepText } from './keep-text.js';

/** Asks for the rest of a reply, once; false where it is to be read as it is. JSON does not go on: half of it is none. */
export async function goOn(
  run: Run,
  role: PinnedRole,
  { message, text }: Extract<ModelReply, { kind: 'message' }>,
): Promise<boolean> {
  const { turns } = here(run.state.cursor);
  const isText = role.output === 'text' && role.dialect === 'component';
  if (message.stopReason !== 'max_tokens' || !isText || turns.reasked || turns.cut !== null) return false;
  if (text.trim() === '' || toolCallsOf(message).length > 0) return false;
  turns.cut = await keepText(run, `reply-${message.id}`, upToWord(text), ANSWER_BYTES);
  turns.reasked = true;
  const account = accountOf(run.state);
  account.counters = { ...account.counters, reasks: account.counters.reasks + 1 };
  run.journal('reask', { role: role.name, errors: ['cut off at the output limit: it goes on there'] });
  run.say(run.threadOf(role), 'reask', fill(wordsOf(run.state).goOnText, { end: lastWords(turns.cut) }));
  return true;
}
