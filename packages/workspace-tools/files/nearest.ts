/** What a path most likely means that leads nowhere. */
import { basename, dirname } from 'node:path';
import { search } from 'steersman/config';
import { likeness } from './closest-place.js';

const MOST_NAMES = 20_000;
const MOST_MS = 2_000;
const MOST_NAMED = 3;
const LEAST_LIKENESS = 0.5;

interface Looked {
  /** By which the system reaches the workspace. */
  cwd: string;
  /** What ripgrep leaves out beside what git ignores. */
  leftOut: readonly string[];
  isDenied(path: string): boolean;
}

/** The files and folders whose names are nearest, the best first: of what git does not ignore, and nobody denies. */
export async function nearestPaths({ cwd, leftOut, isDenied }: Looked, path: string): Promise<string[]> {
  const names = new Set<string>();
  const take = (file: string) => {
    if (isDenied(file)) return true;
    for (let at = file; at !== '.'; at = dirname(at)) names.add(at);
    return names.size < MOST_NAMES;
  };
  const args = ['--files', '--null', '--no-messages', ...leftOut];
  await search({ args, cwd, timeoutMs: MOST_MS, delimiter: '\0', take });
  const wanted = path.toLowerCase().replace(/^(?:\.?\/)+|\/+$/g, '');
  const scored = [...names].map(name => ({ name, score: likenessOf(name.toLowerCase(), wanted) }));
  const best = scored.filter(({ score }) => score >= LEAST_LIKENESS).sort((a, b) => b.score - a.score);
  const most = best[0]?.score ?? 0;
  return best
    .filter(({ score }) => score > most - 0.1)
    .slice(0, MOST_NAMED)
    .map(({ name }) => name);
}

/** From 0 to 2: its last part counts most, then where it is. */
function likenessOf(name: string, wanted: string): number {
  const [own, other] = [basename(name), basename(wanted)];
  const last = own === other ? 1 : likeness(own, other);
  return last < LEAST_LIKENESS ? 0 : last + likeness(name, wanted) / 2;
}
