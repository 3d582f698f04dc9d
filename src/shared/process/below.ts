import { realpathSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';

/** True if `path` is `root` or below it. Both must have the same form: real paths, or paths as written. */
export function isBelow(path: string, root: string): boolean {
  const rest = relative(root, path);
  return rest === '' || (rest !== '..' && !rest.startsWith(`..${sep}`) && !isAbsolute(rest));
}

/** Returns the real path; an unknown path unchanged, because it may be made later, or exist on another machine. */
export function realOrSame(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
