/** What a role's envelope wants a person to confirm before its output counts. */

import { ask } from '../gates.js';
import type { Run } from '../run.js';

export type Confirmed =
  | { kind: 'yes' }
  /** A person said no, perhaps with what to do instead. */
  | { kind: 'no'; instead: string | null }
  /** Nobody could be asked or answered: the work goes on, and the goal ends unverified. */
  | { kind: 'nobody' }
  | { kind: 'stopped' };

/**
 * Puts the concerns of the role at the cursor to the person. They stay at the cursor until there is an
 * answer, so that the place may be entered again.
 */
export async function confirm(
  run: Run,
  { key, title, body }: { key: string; title: string; body: string },
): Promise<Confirmed> {
  const { cursor } = run.state;
  if (cursor.concerns.length === 0) return { kind: 'yes' };
  const concerns = cursor.concerns.map(concern => `- ${concern}`).join('\n');
  const asked = await ask(run, {
    key,
    kind: 'route',
    title,
    body: `${concerns}\n\n${body}`,
    subject: { act: 'confirm', messageId: key },
  });
  if (asked.kind !== 'answered') return { kind: 'stopped' };
  cursor.concerns = [];
  const { answer, by } = asked;
  if (answer.decision === 'approve') return { kind: 'yes' };
  return by === 'person' ? { kind: 'no', instead: answer.reason } : { kind: 'nobody' };
}
