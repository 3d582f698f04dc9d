/** Finds the known names that are most similar to an unknown one: of runs, tools and keys. */

/** Returns the three names with the most letter pairs in common with `name`. */
export function nearestNames(name: string, names: readonly string[]): string[] {
  const wanted = letterPairs(name);
  const score = (candidate: string) => {
    const pairs = letterPairs(candidate);
    let common = 0;
    for (const pair of pairs) if (wanted.has(pair)) common += 1;
    return (2 * common) / Math.max(1, wanted.size + pairs.size);
  };
  return [...names].sort((a, b) => score(b) - score(a)).slice(0, 3);
}

function letterPairs(text: string): Set<string> {
  const pairs = new Set<string>();
  const lower = text.toLowerCase();
  for (let i = 0; i + 1 < lower.length; i++) pairs.add(lower.slice(i, i + 2));
  return pairs;
}
