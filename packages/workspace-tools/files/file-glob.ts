/** Globs over files in the form that models write. ripgrep's own globs would include files that git ignores. */
import { alternatives, matchesPath, newWork, type PathPart, readPathPart } from 'steersman/base';

/** A class such as `[0-9]` with more characters is read as plain text. */
const MOST_SIGNS = 100;

/**
 * Returns a test for paths relative to the searched folder. A glob without a slash matches the last part, any other the
 * whole path; `!` negates it. `[slug]` may be a class or the name of a folder: both match.
 */
export function fileGlob(pattern: string): (path: string) => boolean {
  const isNot = pattern.startsWith('!');
  const plain = pattern.replace(/^!/, '').replace(/^\.\//, '');
  const anchored = plain.includes('/') ? plain.replace(/^\//, '') : `**/${plain}`;
  const whole = anchored.endsWith('/') ? `${anchored}**` : anchored;
  const globs: PathPart[][] = [...new Set([whole, withClasses(whole)])]
    .flatMap(alternatives)
    .map(each => each.split('/').map(readPathPart));
  return path => {
    const parts = path.split('/').filter(part => part !== '.' && part !== '');
    return globs.some(glob => matchesPath(parts, glob, newWork())) !== isNot;
  };
}

/** Rewrites classes as choices, which globs support: `[ab]` becomes `{a,b}`. */
function withClasses(glob: string): string {
  return glob.replace(/\[([^\]!^/[][^\]/[]*)\]/g, (whole, inner: string) => {
    const signs = inner.replace(
      /(.)-(.)/g,
      (range, from: string, to: string) => signsBetween(from, to) ?? range,
    );
    const choices = [...new Set(signs)];
    return choices.length > MOST_SIGNS || /[{},]/.test(signs)
      ? whole
      : choices.length === 1
        ? signs
        : `{${choices.join(',')}}`;
  });
}

function signsBetween(from: string, to: string): string | null {
  const [first, last] = [from.charCodeAt(0), to.charCodeAt(0)];
  if (last < first || last - first > MOST_SIGNS) return null;
  return Array.from({ length: last - first + 1 }, (_, index) => String.fromCharCode(first + index)).join('');
}
