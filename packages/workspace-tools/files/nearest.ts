/** Suggests existing paths that resemble a path that does not exist. */
import { basename, dirname } from 'node:path';
import { search } from 'steersman/config';
import { likeness } from './closest-place.js';

const MOST_NAMES = 20_000;
const MOST_MS = 2_000;
const MOST_NAMED = 3;
const LEAST_LIKENESS = 0.5;

interface Looked {
  /** Path of the open workspace folder, such as `/proc/self/fd/9`. */
  cwd: string;
  /** Arguments of ripgrep that exclude more than git ignores. */
  leftOut: readonly string[];
  isDenied(path: string): boolean;
}

/** Returns the files and folders with the most similar names, the best first: without git's ignored files and denied paths. */
export async function nearestPaths({ cwd, leftOut, isDenied }: Looked, path: string): Promise<string[]> {
  const names = new Set<string>();
  const take = (file: string) => {
    if (isDenied(file)) return true;
    for (let at = file; at !== '.'; at = dirname(at)) names.add(at);
    return names.size < MOST_NAMES;
  };
  const args = ['--files', '--null', '--no-messages', ...leftOut];
  await search({ args, cwd, timeoutMs: MOST_MS, delimiter: '\0', take });
  const wanted = path.toLowerCase().replace(/^(?:\.?\/)+|(?<!\/)\/+$/g, '');
  const scored = [...names].map(name => ({ name, score: likenessOf(name.toLowerCase(), wanted) }));
  const best = scored.filter(({ score }) => score >= LEAST_LIKENESS).sort((a, b) => b.score - a.score);
  const most = best[0]?.score ?? 0;
  return best
    .filter(({ score }) => score > most - 0.1)
    .slice(0, MOST_NAMED)
    .map(({ name }) => name);
}

/** Returns 0 to 1.5: the similarity of the last part counts most, then the path's. */
function likenessOf(name: string, wanted: string): number {
  const [own, other] = [basename(name), basename(wanted)];
  const last = own === other ? 1 : likeness(own, other);
  return last < LEAST_LIKENESS ? 0 : last + likeness(name, wanted) / 2;
}
