/** The only glob language for tool names: roles, permissions and `tools:` settings all use it (TR7). */

/** A glob with more alternatives is taken literally. */
const MOST_ALTERNATIVES = 1_000;

/** Characters that decisions about one reply may compare: about 0.1 s, of the 2 s that a workflow step may take. */
export const MOST_WORK = 10_000_000;
/** The cost of a comparison, and of preparing a text, in addition to its characters. */
const WORK_A_GLOB = 10;
const WORK_A_TEXT = 200;

export interface Work {
  done: number;
}

export function newWork(): Work {
  return { done: 0 };
}

/** True if the limit is exceeded. Nothing matches from then on, so the caller must take the safe side. */
export function isTooMuch(work: Work): boolean {
  return work.done > MOST_WORK;
}

/** Counts a text that must be built or prepared. Returns false if the limit is exceeded. */
export function takesWork(work: Work, text: { length: number }): boolean {
  if (!isTooMuch(work)) work.done += WORK_A_TEXT + text.length;
  return !isTooMuch(work);
}

/** A glob parsed once for many texts: for each alternative, the parts between its stars. */
export type Glob = readonly (readonly RegExp[])[];

export function readGlob(glob: string): Glob {
  return alternatives(glob).map(plain => {
    const between = plain.split('*');
    return between.map((part, at) => readPart(part, at === 0, at === between.length - 1));
  });
}

/** The patterns contain no repetition, so a hostile text can't slow a search down. */
function readPart(part: string, isFirst: boolean, isLast: boolean): RegExp {
  const body = part.replace(/[\\^$.+()[\]{}|/]/g, '\\$&').replaceAll('?', '.');
  return new RegExp(isLast ? `${body}$` : body, isFirst ? 'suy' : 'sug');
}

/** True if a name matches any glob: `*` stands for any characters, `?` for one, `{a,b}` for one of its parts. */
export function matchesAny(name: string, globs: readonly string[]): boolean {
  return globs.some(glob => matchesGlob(name, readGlob(glob), newWork()));
}

export function matchesGlob(text: string, glob: Glob, work: Work): boolean {
  return glob.some(parts => {
    if (isTooMuch(work)) return false;
    work.done += WORK_A_GLOB + text.length;
    let at = 0;
    return parts.every(part => {
      part.lastIndex = at;
      const found = part.test(text);
      at = part.lastIndex;
      return found;
    });
  });
}

/** Expands braces: returns one glob for each choice of their parts. Unclosed braces are literal. */
export function alternatives(glob: string): string[] {
  const done: string[] = [];
  const open = [glob];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [whole, inner] = /\{([^{},]*,[^{}]*)\}/.exec(next) ?? [];
    if (whole === undefined || inner === undefined) done.push(next);
    else for (const part of inner.split(',')) open.push(next.replace(whole, () => part));
    if (done.length + open.length > MOST_ALTERNATIVES) return [glob];
  }
  return done;
}

/** True if the parts of a path match those of the pattern, where `**` stands for any number of parts. */
export function matchesPath(parts: readonly string[], pattern: readonly PathPart[], work: Work): boolean {
  let at = 0;
  let star = -1;
  let mark = 0;
  for (let index = 0; index < parts.length; ) {
    const [part = '', wanted] = [parts[index], pattern[at]];
    if (isTooMuch(work)) return false;
    work.done += 1;
    if (wanted === '**') {
      star = at;
      mark = index;
      at += 1;
    } else if (wanted !== undefined && matchesGlob(part, wanted, work)) {
      at += 1;
      index += 1;
    } else if (star >= 0) {
      at = star + 1;
      mark += 1;
      index = mark;
    } else return false;
  }
  return pattern.slice(at).every(part => part === '**');
}

export type PathPart = '**' | Glob;

export function readPathPart(part: string): PathPart {
  return part === '**' ? part : readGlob(part);
}

/** True if some path could match both a word of a shell and a pattern, where `**` stands for any folders. */
export function mayMeetPath(word: readonly string[], pattern: readonly string[], work: Work): boolean {
  const [first, ...rest] = word;
  const [wanted, ...others] = pattern;
  if (isTooMuch(work)) return false;
  work.done += 1;
  if (wanted === '**')
    return mayMeetPath(word, others, work) || (first !== undefined && mayMeetPath(rest, pattern, work));
  if (first === '**')
    return mayMeetPath(rest, pattern, work) || (wanted !== undefined && mayMeetPath(word, others, work));
  if (first === undefined || wanted === undefined) return first === wanted;
  return mayMeet(first, wanted, work) && mayMeetPath(rest, others, work);
}

/** A shell's `*`, `?` and `[…]` do not match a dot at the beginning of a name. */
function mayMeet(word: string, wanted: string, work: Work): boolean {
  if (wanted.startsWith('.') && /^[*?[]/.test(word)) return false;
  // A class counts as any character, so that the pattern applies in doubt.
  return meets(word.replace(/\[[^\]]*\]/g, '?'), wanted, work);
}

/** True if some text fits both globs. */
function meets(a: string, b: string, work: Work): boolean {
  work.done += a.length * b.length;
  if (isTooMuch(work)) return false;
  // `fits[i]`: `a` from index i on fits the part of `b` that was processed last.
  let fits = Array.from({ length: a.length + 1 }, (_, i) => /^\**$/.test(a.slice(i)));
  for (let j = b.length - 1; j >= 0; j -= 1) {
    const next = new Array<boolean>(a.length + 1).fill(false);
    const isStar = b[j] === '*';
    next[a.length] = isStar && fits[a.length] === true;
    for (let i = a.length - 1; i >= 0; i -= 1) {
      if (isStar) next[i] = fits[i] === true || next[i + 1] === true;
      else if (a[i] === '*') next[i] = next[i + 1] === true || fits[i] === true;
      else next[i] = (a[i] === b[j] || a[i] === '?' || b[j] === '?') && fits[i + 1] === true;
    }
    fits = next;
  }
  return fits[0] === true;
}
