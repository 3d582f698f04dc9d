/** What a role's envelope wants a person to confirm before its output counts. */

import { ask } from '../gates.js';
import type { Run } from '../run.js';
import { keepUserNote } from '../turn/take-steering.js';

export type Confirmed =
  | { kind: 'yes' }
  /** A person said no, perhaps with what to do instead. */
  | { kind: 'no'; instead: string | null }
  /** Nobody could be asked or answered: the work goes on, and the goal ends unverified. */
  | { kind: 'nobody' }
  | { kind: 'stopped' };

/** Puts the concerns of a role to the person: the caller keeps them at its position until there is an answer. */
export async function confirm(
  run: Run,
  concerns: readonly string[],
  { key, title, body }: { key: string; title: string; body: string },
): Promise<Confirmed> {
  if (concerns.length === 0) return { kind: 'yes' };
  const listed = concerns.map(concern => `- ${concern}`).join('\n');
  const asked = await ask(run, {
    key,
    kind: 'route',
    title,
    body: `${listed}\n\n${body}`,
    subject: { act: 'confirm', messageId: key },
  });
  if (asked.kind !== 'answered') return { kind: 'stopped' };
  const { answer, by } = asked;
  if (answer.decision === 'approve') {
    if (by === 'person' && answer.reason !== null) keepUserNote(run, answer.reason);
    return { kind: 'yes' };
  }
  return by === 'person' ? { kind: 'no', instead: answer.reason } : { kind: 'nobody' };
}
