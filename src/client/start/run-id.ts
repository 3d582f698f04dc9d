/** Makes the id of a new run, which describes its goal. */
import { createHash, randomBytes } from 'node:crypto';
import stringWidth from 'string-width';

const MOST_COLUMNS = 32;
/** Only this much of a goal is read: the time to measure a word grows with the square of its length. */
const MOST_CHARS = 1_000;

/** Returns the goal's first words and a random suffix, or the request's own: `summarise-what-is-in-this-folder-k3f9q2`. */
export function newRunId(goal: string, token: string | null = null): string {
  const bytes = token === null ? randomBytes(8) : Buffer.from(token, 'hex');
  const suffix = bytes.readBigUInt64BE().toString(36).padStart(13, '0');
  return `${firstWords(goal) || 'run'}-${suffix.slice(token === null ? -6 : 0)}`;
}

/** Returns the token of a request id, which its run remembers: 32 characters for any text. */
export function requestToken(requestId: string): string {
  return createHash('sha256').update(requestId).digest('hex').slice(0, 32);
}

/** Returns letters and digits of any script, as many words as fit; the beginning of a first word that is too long. */
function firstWords(goal: string): string {
  const words =
    goal
      .trimStart()
      .slice(0, MOST_CHARS)
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  let slug = '';
  for (const word of words) {
    const longer = slug === '' ? word : `${slug}-${word}`;
    if (stringWidth(longer) > MOST_COLUMNS) break;
    slug = longer;
  }
  return slug === '' ? beginning(words[0] ?? '') : slug;
}

function beginning(word: string): string {
  let start = '';
  for (const character of word) {
    if (stringWidth(start + character) > MOST_COLUMNS) break;
    start += character;
  }
  return start;
}
