import { isAbsolute, relative, sep } from 'node:path';

/** True for the root itself, too. Both are paths of one form: real, or as they were given. */
export function isBelow(path: string, root: string): boolean {
  const rest = relative(root, path);
  return rest === '' || (rest !== '..' && !rest.startsWith(`..${sep}`) && !isAbsolute(rest));
}
