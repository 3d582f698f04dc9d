/**
 * Proves to a page that its console serves it, before the page sends its token: when a console has ended, any program
 * may take its port (WB18). The proof covers the Host header, so that a challenge can't be passed on to another port.
 */
import { createHash, createHmac } from 'node:crypto';

/** The key of a proof. Tokens are stored under this digest. */
export function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The answer to a page whose token has the digest `id`. Null if no key has this digest. */
export function proofBy(keys: Iterable<string>, id: string, challenge: string): string | null {
  for (const key of keys)
    if (digestOf(key) === id) return createHmac('sha256', key).update(challenge).digest('hex');
  return null;
}
