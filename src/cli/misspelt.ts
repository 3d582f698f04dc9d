/** A verb that was misspelt must not become a goal. */
import type { Command } from 'commander';
import { startCall } from '../shared/called-as.js';
import { SteersmanError } from '../shared/errors.js';

/** Refuses a goal that is one word with a verb's letters but for one or two. */
export function refuseMisspelt(program: Command): void {
  program.hook('preAction', (_program, action) => {
    const [goal = '', ...more] = action === program ? program.args : [];
    const meant = misspelt(
      goal,
      program.commands.map(verb => verb.name()),
    );
    if (meant === null || more.length > 1) return;
    throw new SteersmanError(
      `There is no verb ${goal}. Did you mean ${meant}?`,
      `If it is the goal, say it in more words: ${startCall(`"${goal} …"`)}`,
      'usage',
    );
  });
}

/** The verb that was meant; null where it is none. Pure. */
export function misspelt(word: string, verbs: readonly string[]): string | null {
  if (!/^[a-z-]{3,}$/.test(word) || verbs.includes(word)) return null;
  return verbs.find(verb => verb[0] === word[0] && distance(word, verb) <= (verb.length > 4 ? 2 : 1)) ?? null;
}

/** Letters that were left out, added, changed, or swapped with the next. */
function distance(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, at) => at)];
  const cost = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= one.length; i += 1) {
    rows[i] = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const same = one[i - 1] === other[j - 1] ? 0 : 1;
      const swapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const best = Math.min(cost(i - 1, j) + 1, cost(i, j - 1) + 1, cost(i - 1, j - 1) + same);
      (rows[i] ?? [])[j] = swapped ? Math.min(best, cost(i - 2, j - 2) + 1) : best;
    }
  }
  return cost(one.length, other.length);
}
