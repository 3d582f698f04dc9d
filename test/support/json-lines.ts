/** A log of one JSON value a line, as test servers write it. */
import { existsSync, readFileSync } from 'node:fs';

/** Its values, oldest first; none where nothing was written. */
export function jsonLines<T>(file: string): T[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter(line => line !== '').map(line => JSON.parse(line) as T);
}
