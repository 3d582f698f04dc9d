/** The one language of globs over tool names: roles, permissions and `tools:` settings all read it (TR7). */

/** A glob with more alternatives than this is taken as it is written. */
const MOST_ALTERNATIVES = 1_000;

/**
 * True when `name` matches one of the globs: `*` stands for any run of characters, `?` for one, `{a,b}` for either
 * of its parts. All else means itself. Linear for each alternative.
 */
export function matchesAny(name: string, globs: readonly string[]): boolean {
  return globs.some(glob => alternatives(glob).some(plain => matches(name, plain)));
}

/** A glob without braces for each choice of their parts; braces that do not close mean themselves. */
export function alternatives(glob: string): string[] {
  const done: string[] = [];
  const open = [glob];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [whole, inner] = /\{([^{}]*,[^{}]*)\}/.exec(next) ?? [];
    if (whole === undefined || inner === undefined) done.push(next);
    else for (const part of inner.split(',')) open.push(next.replace(whole, () => part));
    if (done.length + open.length > MOST_ALTERNATIVES) return [glob];
  }
  return done;
}

function matches(name: string, glob: string): boolean {
  return matchesSequence([...name], [...glob], {
    isStar: part => part === '*',
    fits: (part, pattern) => pattern === '?' || pattern === part,
  });
}

/** Whether the items are what the pattern says, where a star stands for any number of them. */
export function matchesSequence(
  items: readonly string[],
  glob: readonly string[],
  { isStar, fits }: { isStar: (part: string) => boolean; fits: (item: string, part: string) => boolean },
): boolean {
  let at = 0;
  let star = -1;
  let mark = 0;
  for (let index = 0; index < items.length; ) {
    const [item = '', part] = [items[index], glob[at]];
    if (part !== undefined && isStar(part)) {
      star = at;
      mark = index;
      at += 1;
    } else if (part !== undefined && fits(item, part)) {
      at += 1;
      index += 1;
    } else if (star >= 0) {
      at = star + 1;
      mark += 1;
      index = mark;
    } else return false;
  }
  return glob.slice(at).every(isStar);
}
