/** The id of a new run: it tells what the run is for. */
import { randomBytes } from 'node:crypto';
import stringWidth from 'string-width';

const MOST_COLUMNS = 32;

/** The goal's first words and something random: `summarise-what-is-in-this-folder-k3f9q2`. */
export function newRunId(goal: string): string {
  const random = randomBytes(4).readUInt32BE().toString(36).padStart(6, '0').slice(-6);
  return `${firstWords(goal) || 'run'}-${random}`;
}

/** Letters and digits of any script, as many words as fit; of a first word that is longer, its beginning. */
function firstWords(goal: string): string {
  const words =
    goal
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
