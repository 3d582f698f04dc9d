/** What the results in the conversation show of the folder, and which calls bring what is still missing. */
import type { Conversation } from './conversation.js';
import { HAN, type Intent, TEXT_FILE, topicsOf, type Work } from './goal.js';
import { WORDS, type Words } from './words.js';

/** Names as file servers give them, the better first; a server's name may stand before (`files__read_file`). */
const NAMES = {
  list: ['list', 'list_directory_with_sizes', 'list_directory'],
  read: ['read', 'read_text_file', 'read_file'],
  write: ['write', 'write_file'],
} as const;

/** The name by which a tool for the use is offered, if any is. */
export function toolFor(use: keyof typeof NAMES, offered: readonly string[]): string | undefined {
  return NAMES[use].flatMap(name => offered.filter(one => one === name || one.endsWith(`__${name}`)))[0];
}

/** What a call for the use says: of a tree one level at a time, for each folder is listed in its turn. */
export function argumentsFor(name: string, path: string, content: string): Record<string, unknown> {
  if (toolFor('write', [name])) return { path, content };
  return /(^|__)list$/.test(name) ? { path, depth: 1 } : { path };
}

export interface FileSeen {
  path: string;
  /** Null where it was not, or could not be read; only its beginning and end where it is not whole. */
  text: string | null;
  isWhole: boolean;
}

export interface Seen {
  intent: Intent;
  words: Words;
  files: Map<string, FileSeen>;
  /** Folders found, `.` for the workspace; true once they were listed whole. */
  folders: Map<string, boolean>;
  /** Folders of dependencies and builds, by name. */
  leftOut: Set<string>;
  /** Files that were to be written: null when it was done, else why not. */
  writes: Map<string, string | null>;
  calls: { use: keyof typeof NAMES; path: string }[];
}

const LEFT_OUT =
  /^(node_modules|dist|build|out|target|vendor|\.git|\.hg|\.svn|\.?venv|__pycache__|\.next|\.cache|\.gradle|\.idea|\.terraform|coverage|\.steersman)$/;
/** A call that ended so did not run to its end, and may be made again. */
const AGAIN = /^(skipped|cancelled|timed_out|unavailable)$/;

/** Reads the results of the goal, oldest first. */
export function look(intent: Intent, calls: Conversation['calls']): Seen {
  const maps = { files: new Map(), folders: new Map(), leftOut: new Set<string>(), writes: new Map() };
  const seen: Seen = { intent, words: WORDS[intent.zh ? 'zh' : 'en'], calls: [], ...maps };
  for (const { name, args, ending, isError, text, isCut } of calls) {
    const use = (['list', 'read', 'write'] as const).find(one => toolFor(one, [name]));
    if (use === undefined || AGAIN.test(ending)) continue;
    const path = String(args.path ?? '.').replace(/^\.\/|\/$/g, '');
    seen.calls.push({ use, path });
    if (use === 'write') seen.writes.set(path, isError ? text : null);
    const part = readNotes(text, isCut);
    if (use === 'list') noteListing(seen, path, isError ? '' : text, !part.isWhole);
    if (use === 'read' && !isError) seen.files.set(path, { path, ...part });
  }
  return seen;
}

/** A last line in brackets is the tool's own: what is left out, and how to go on. */
function readNotes(text: string, isCut: boolean): Pick<FileSeen, 'text' | 'isWhole'> {
  const note = /(?:^|\n)\[(?:Lines \d+ to \d+ of|There is more|\S+ is empty|\d+ long lines) ?[^\n]*\]$/.exec(
    text,
  );
  const isPart = / Go on with offset |There is more/.test(note?.[0] ?? '');
  return { text: note ? text.slice(0, note.index) : text, isWhole: !isCut && !isPart };
}

const ENTRIES = [
  // `[DIR] src`, `[FILE] a.ts   1.20 KB`
  { line: /^\[DIR\] (?<name>.*?)\s*$/, isFolder: true },
  { line: /^\[FILE\] (?<name>.*?)(?:\s+[\d.]+ [KMGT]?B)?\s*$/, isFolder: false },
  // `src/ (12 files)`, `a.ts  1.2 KB`
  { line: /^(?<name>[^[].*)\/ \(\d+ files?\)$/, isFolder: true },
  { line: /^(?<name>[^[].*) {2}[\d.]+ [KMGT]?B$/, isFolder: false },
];

function noteListing(seen: Seen, folder: string, text: string, isCut: boolean): void {
  const { files, folders, leftOut } = seen;
  folders.set(folder, text !== '' && !isCut);
  // A tree begins with its own folder.
  const lines = text.split('\n');
  for (const line of lines.slice(/^(\S.*\/ )?\(\d+ files?\)$/.test(lines[0] ?? '') ? 1 : 0)) {
    const found = ENTRIES.map(entry => ({ ...entry, name: entry.line.exec(line)?.groups?.name }));
    const { name, isFolder } = found.find(entry => entry.name !== undefined) ?? {};
    if (name === undefined) continue;
    const path = folder === '.' ? name : `${folder}/${name}`;
    if (isFolder !== true) files.set(path, files.get(path) ?? { path, text: null, isWhole: false });
    else if (LEFT_OUT.test(name)) leftOut.add(name);
    else folders.set(path, folders.get(path) ?? false);
  }
  const ignored = /^\[Left out, as git ignores it: (.*)\]$/m.exec(text)?.[1] ?? '';
  for (const name of ignored.split(', ')) if (name.endsWith('/')) leftOut.add(name.slice(0, -1));
}

/** The file of that name that is nearest to the root; a Chinese sentence may run on into a name. */
export function findNamed(name: string, seen: Seen): FileSeen | undefined {
  const wanted = `/${name.toLowerCase()}`;
  const isMeant = (path: string) => {
    const isIn = HAN.test(name) && wanted.endsWith(path.slice(path.lastIndexOf('/') + 1));
    return isIn || [path, path.replace(/\.\w+$/, '')].some(one => `/${one}`.endsWith(wanted));
  };
  const depth = ({ path }: FileSeen) => path.split('/').length;
  const meant = filesOf(seen).filter(({ path }) => isMeant(path.toLowerCase()));
  return meant.sort((a, b) => depth(a) - depth(b))[0];
}

/** By path, without the file that the answer replaces. */
export function filesOf({ files, intent }: Seen): FileSeen[] {
  const known = [...files.values()].filter(({ path }) => path !== intent.writeTo);
  return known.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Text that people wrote: what is counted and searched. */
export function textFiles(seen: Seen): FileSeen[] {
  return filesOf(seen).filter(({ path }) => TEXT_FILE.test(path));
}

/** Calls of one reply that runs allow by default; files, and folders, that the ten rounds of a task allow. */
const MOST_CALLS = 16;
const MOST_OF: Readonly<Record<keyof typeof NAMES, number>> = {
  // A folder is known only when the one above it was listed: the first replies ask for a few.
  list: 96,
  read: 128,
  write: 1,
};

/** The next calls for some kinds of work, what is written last; none when all is there or out of reach. */
export function nextCalls(work: readonly Work[], seen: Seen): Seen['calls'] {
  const nameOf = ({ use, path }: Seen['calls'][number]) => `${use} ${path}`;
  const made = new Set(seen.calls.map(nameOf));
  // Two kinds may want the same.
  const wanted = new Map(work.flatMap(kind => WANTED[kind](seen)).map(call => [nameOf(call), call]));
  const open = [...wanted.values()].filter(call => !made.has(nameOf(call)));
  const reads = open.filter(({ use }) => use !== 'write');
  return (reads.length > 0 ? reads : open).slice(0, MOST_CALLS);
}

function callsOf(use: keyof typeof NAMES, paths: readonly string[]): Seen['calls'] {
  return [...new Set(paths)].slice(0, MOST_OF[use]).map(path => ({ use, path }));
}

const WANTED: Readonly<Record<Work, (seen: Seen) => Seen['calls']>> = {
  survey: ({ folders }) => callsOf('list', ['.', ...folders.keys()]),
  read: seen => {
    const { files } = seen.intent;
    const names = topicsOf(['read'], seen.intent).length > 0 ? [...files, 'readme'] : files;
    const reads = names.flatMap(name => findNamed(name, seen)?.path ?? []);
    // What is not found yet is looked for.
    const isLost = files.some(name => findNamed(name, seen) === undefined);
    return [...callsOf('read', reads), ...(isLost ? WANTED.survey(seen) : [])];
  },
  source: seen =>
    textFiles(seen)
      .flatMap(({ path }) => callsOf('read', [path]))
      .slice(0, MOST_OF.read),
  write: ({ intent: { writeTo } }) => callsOf('write', writeTo === null ? [] : [writeTo]),
};
