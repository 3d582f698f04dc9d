/** Finds the known names that are most similar to an unknown one: of runs, tools and keys. */

/** Returns the three nearest names: a misspelt one first, then those with the most letter pairs in common with `name`. */
export function nearestNames(name: string, names: readonly string[]): string[] {
  return ranked(name, names).map(({ each }) => each);
}

/** Leaves out names that are probably not meant: those that neither begin with `name` nor have most letter pairs in common. */
export function nearNames(name: string, names: readonly string[]): string[] {
  const begins = (each: string) => name.length > 2 && each.toLowerCase().startsWith(name.toLowerCase());
  const near = ranked(name, names).filter(
    ({ each, slips, score }) => slips <= mostSlips(name) || score > 0.5 || begins(each),
  );
  return near.map(({ each }) => each);
}

function mostSlips(name: string): number {
  return name.length > 4 ? 2 : 1;
}

function ranked(name: string, names: readonly string[]): { each: string; slips: number; score: number }[] {
  const wanted = letterPairs(name);
  const most = mostSlips(name);
  const slips = (candidate: string) => {
    const [a, b] = [name.toLowerCase(), candidate.toLowerCase()];
    const count = [0, 1, 2].find(each => each > most || isWithin(a, b, each)) ?? 3;
    // Swapped letters are a more usual slip than an extra letter.
    return count > 0 && lettersOf(a) === lettersOf(b) ? count - 0.5 : count;
  };
  const score = (candidate: string) => {
    const pairs = letterPairs(candidate);
    let common = 0;
    for (const pair of pairs) if (wanted.has(pair)) common += 1;
    return (2 * common) / Math.max(1, wanted.size + pairs.size);
  };
  return names
    .map(each => ({ each, slips: slips(each), score: score(each) }))
    .sort((a, b) => a.slips - b.slips || b.score - a.score)
    .slice(0, 3);
}

function lettersOf(text: string): string {
  return [...text].sort().join('');
}

function letterPairs(text: string): Set<string> {
  const pairs = new Set<string>();
  const lower = text.toLowerCase();
  for (let i = 0; i + 1 < lower.length; i++) pairs.add(lower.slice(i, i + 2));
  return pairs;
}

/** True if at most `most` letters were omitted, added, changed, or swapped with the next. */
export function isWithin(one: string, other: string, most: number): boolean {
  if (most < Math.abs(one.length - other.length)) return false;
  if (one === '' || other === '') return one.length + other.length <= most;
  const [a, b] = [one.slice(1), other.slice(1)];
  if (one[0] === other[0]) return isWithin(a, b, most);
  const isSwapped = one[0] === other[1] && one[1] === other[0];
  return (
    (isSwapped && isWithin(one.slice(2), other.slice(2), most - 1)) ||
    [isWithin(a, other, most - 1), isWithin(one, b, most - 1), isWithin(a, b, most - 1)].includes(true)
  );
}
