/**
 * Searches a folder of conversations. ripgrep scans all files at once; its matches are then checked one by one, newest
 * first, up to the limit.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { constants, lstatSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isRecord } from 'steersman/base';
import type { Message } from 'steersman/run';
import { messageNumber, type RunRecord } from 'steersman/run';
import type { Hit, SessionStore } from 'steersman/shared';
import { foundText, lowerWords, partWith, removeDrafts } from 'steersman/shared';
import { beginsWith, type Header, headerOf, namesIn, openFile, rawLines, readLine } from './folder-lines.js';

export const SUFFIX = '.jsonl';
const MOST_FOUND_BYTES = 256 * 1024 * 1024;
const runProgram = promisify(execFile);

interface SessionFile {
  path: string;
  inode: number;
  changedAt: number;
}

const STATS_AT_ONCE = 200;

/** Sorts files by their last change. It yields to the event loop, so that ripgrep's output is read meanwhile. */
async function newestFirst(dir: string, names = namesIn(dir)): Promise<SessionFile[]> {
  const files: SessionFile[] = [];
  for (const [at, name] of names.entries()) {
    if (at % STATS_AT_ONCE === 0) await setImmediate();
    if (!name.endsWith(SUFFIX)) continue;
    const path = join(dir, name);
    const info = lstatSync(path, { throwIfNoEntry: false });
    if (info?.isFile()) files.push({ path, inode: info.ino, changedAt: info.mtimeMs });
  }
  return files.sort((a, b) => b.changedAt - a.changedAt);
}

/** Up to this many first lines are read one by one, without ripgrep. */
const FEW = 100;

type ListAsked = Parameters<SessionStore['list']>[0];

/** Returns the newest conversations that match. */
export async function newestSessions(
  dir: string,
  { limit, before = Number.POSITIVE_INFINITY, text = '', workspaces }: ListAsked,
): Promise<{ header: Header; changedAt: number }[]> {
  const words = lowerWords(text);
  const isPart = words.length > 0 || workspaces !== undefined || limit > FEW;
  const files = await newestFirst(dir);
  const lines = isPart ? await firstLines(dir, files) : new Map<string, string>();
  const found: { header: Header; changedAt: number }[] = [];
  for (const { path, changedAt } of files) {
    if (found.length >= limit) break;
    const line = lines.get(path);
    if (changedAt >= before || (line !== undefined && !mayHave(line, words, workspaces))) continue;
    const header = (line !== undefined && headerIn(line)) || (await headerOf(path));
    if (header && isAsked(header, words, workspaces)) found.push({ header, changedAt });
  }
  return found;
}

const TITLES = '.titles';

/**
 * Returns the first lines of files, by path. They never change, so the file `.titles` caches them: opening ten thousand
 * files is slow. It is rebuilt if many are missing. The inode tells a file from an earlier one of the same name.
 */
async function firstLines(dir: string, files: readonly SessionFile[]): Promise<Map<string, string>> {
  const known = new Map<string, string>();
  const path = join(dir, TITLES);
  for (const each of (await textIn(path)).split('\n')) {
    const end = each.indexOf('\0');
    // A line torn by a power cut does not end with a brace.
    if (each.endsWith('}')) known.set(each.slice(0, end), each.slice(end + 1));
  }
  const lines = new Map<string, string>();
  for (const file of files) {
    const line = known.get(nameOf(file));
    if (line !== undefined) lines.set(file.path, line);
  }
  if (files.length - lines.size <= FEW) return lines;
  for (const [of, line] of await readFirstLines(dir)) lines.set(of, line);
  const text = files.flatMap(file => {
    const line = lines.get(file.path);
    return line === undefined ? [] : [`${nameOf(file)}\0${line}\n`];
  });
  // Ignore write errors (read-only store): the lines are read again next time.
  await writeWhole(path, text.join('')).catch(() => undefined);
  return lines;
}

function nameOf({ path, inode }: SessionFile): string {
  return `${inode} ${basename(path)}`;
}

async function writeWhole(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
  await rename(draft, path);
  await removeDrafts(dirname(path), DRAFT);
}

/** Files that a killed process left: drafts of the cache, and test files of the store's check. */
const DRAFT = /^\.(?:titles\.|probe-)/;

/** Removes the title of a removed conversation from the cache, and from drafts that a killed writer left. */
export async function forgetTitle(dir: string, path: string): Promise<void> {
  const titles = join(dir, TITLES);
  const drafts = namesIn(dir).filter(name => name.startsWith(`${TITLES}.`));
  await Promise.all(drafts.map(name => rm(join(dir, name), { recursive: true, force: true })));
  const known = await textIn(titles);
  const left = known
    .split('\n')
    .filter(line => !line.slice(0, line.indexOf('\0')).endsWith(` ${basename(path)}`));
  const text = left.join('\n');
  if (known !== '' && text.length === known.length) return;
  // A cache that can't be read or rewritten is deleted: it is rebuilt later.
  const isGone =
    text === '' ||
    (await writeWhole(titles, text).then(
      () => false,
      () => true,
    ));
  if (isGone) await rm(titles, { recursive: true, force: true });
}

/** Returns the ids of conversations that were branched from this one, sorted. */
export async function branchesOf(dir: string, session: string): Promise<string[]> {
  const files = await newestFirst(dir);
  const lines = await firstLines(dir, files);
  const branches: string[] = [];
  for (const { path } of files) {
    const line = lines.get(path);
    // Only branches have these fields; the damaged line of a branch has one of them.
    if (line !== undefined && !/"(?:parent|sum)":/.test(line)) continue;
    const header = (line !== undefined && headerIn(line)) || (await headerOf(path));
    if (header?.parent?.session === session && header.id !== session) branches.push(header.id);
  }
  return branches.sort();
}

/** Returns the first line of each file. A half-written line is left out: the writer writes it again. */
async function readFirstLines(dir: string): Promise<[path: string, line: string][]> {
  const args = ['--max-count=1', '--with-filename', `--glob=*${SUFFIX}`, '-e', '^\\{"k":"session"'];
  const printed = (await ripgrep(dir, args)) ?? '';
  return printed.split('\n').flatMap((each): [string, string][] => {
    const end = each.indexOf('\0');
    return each.endsWith('}') ? [[each.slice(0, end), each.slice(end + 1)]] : [];
  });
}

function headerIn(text: string): Header | null {
  const line = readLine(text);
  return line?.k === 'session' ? line : null;
}

function isAsked({ title, workspace }: Header, words: readonly string[], workspaces?: string[]): boolean {
  const lower = title.toLowerCase();
  return words.every(word => lower.includes(word)) && (workspaces?.includes(workspace) ?? true);
}

/** Tests the raw line first, so that most lines need not be parsed. */
function mayHave(line: string, words: readonly string[], workspaces?: string[]): boolean {
  const lower = words.length > 0 ? line.toLowerCase() : '';
  return (
    words.every(word => lower.includes(inJson(word))) &&
    (workspaces?.some(each => line.includes(JSON.stringify(each))) ?? true)
  );
}

/** After this many files, ripgrep is asked which ones have the words within a message. */
const FEW_FOUND = 200;

/**
 * Yields files with a message that may have all of these words, newest first. Searching for the words anywhere takes a
 * third of the time of searching within messages, and mostly finds few files, which are checked anyway.
 */
export async function* filesWith(dir: string, words: readonly string[]): AsyncGenerator<string> {
  const anywhere = await filesLike(dir, words, patternOf(words));
  const paths = await byAge(dir, anywhere);
  yield* paths.slice(0, FEW_FOUND);
  if (paths.length <= FEW_FOUND) return;
  const found = await filesLike(dir, words, `^\\{"k":"message".*(${patternOf(words)})`);
  for (const path of paths.slice(FEW_FOUND)) if (found?.has(path) ?? true) yield path;
}

/** Returns the paths of files with such a line; null if the search fails. */
async function filesLike(
  dir: string,
  words: readonly string[],
  pattern: string,
): Promise<Set<string> | null> {
  // If no letter beyond ASCII has two cases, a search without Unicode is much faster.
  const inAscii = words.every(word => !hasOtherCase(word.replace(/[\0-\x7f]/g, '')));
  const args = ['--ignore-case', '--files-with-matches', `--glob=*${SUFFIX}`, '-e', pattern];
  const found = await ripgrep(dir, inAscii ? ['--no-unicode', ...args] : args);
  return found === null ? null : new Set(found.split('\0').filter(Boolean));
}

/** Sorts these files, or all of the folder, newest first. Reading the dates of thousands takes as long as a search. */
async function byAge(dir: string, paths: ReadonlySet<string> | null): Promise<string[]> {
  const files = await newestFirst(dir, paths === null ? undefined : [...paths].map(path => basename(path)));
  return files.map(({ path }) => path);
}

function hasOtherCase(text: string): boolean {
  return text.toUpperCase() !== text;
}

/** Returns a pattern for the two longest words in one line, in any order, even if they overlap. */
function patternOf(words: readonly string[]): string {
  const [first = '', second] = [...new Set(words)]
    .filter(word => !words.some(other => other !== word && other.includes(word)))
    .sort((a, b) => b.length - a.length);
  const both = (inFile: (word: string) => string, between: string) => {
    if (second === undefined) return [];
    const [a, b] = [inFile(first), inFile(second)];
    return [a + between + b, b + between + a];
  };
  const together = second === undefined ? [first] : [...overlaps(first, second), ...overlaps(second, first)];
  const inTexts = [...both(inText, '.*'), ...together.map(inText)];
  if (!words.some(word => ESCAPED.test(word))) return inTexts.join('|');
  const inCalls = [...both(inArguments, '.*'), ...together.map(inArguments)];
  return [...inTexts, `${CALL}.*(?:${inCalls.join('|')})`, ...both(inArguments, `.*${CALL}.*`)].join('|');
}

/** Stands before the arguments of a call. Elsewhere the quotes of a line belong to its JSON. */
const CALL = '"type":"tool_use"';
/** Texts escape these characters, arguments may contain them as they are. */
const ESCAPED = /["\\]/;

/** Returns the texts in which the end of `one` is also the beginning of `other`. */
function overlaps(one: string, other: string): string[] {
  const lengths = Array.from({ length: Math.min(one.length, other.length) }, (_, at) => at + 1);
  return lengths
    .filter(length => one.endsWith(other.slice(0, length)))
    .map(length => one + other.slice(length));
}

/** Returns a pattern for a word as the JSON of a text contains it. */
function inText(word: string): string {
  return inJson(word).replace(/[\\^$.|?*+()[\]{}#&~-]/g, '\\$&');
}

/** Returns a pattern for a word as the JSON of a call's arguments may contain it. */
function inArguments(word: string): string {
  const characters = [...word].map(character => {
    if (character === '"') return '\\\\*"';
    return character === '\\' ? '\\\\+' : inText(character);
  });
  return characters.join('');
}

function inJson(word: string): string {
  return JSON.stringify(word).slice(1, -1);
}

/** Returns what ripgrep prints about the folder's files, unparsed; null if it can't search. */
async function ripgrep(dir: string, args: readonly string[]): Promise<string | null> {
  const all = ['--no-config', '--no-ignore', '--hidden', '--text', '--null', '--no-line-number'];
  try {
    // A client may be installed without ripgrep.
    const { rgPath } = await import('@vscode/ripgrep');
    const { stdout } = await runProgram(rgPath, [...all, ...args, '--', dir], {
      maxBuffer: MOST_FOUND_BYTES,
    });
    return stdout;
  } catch (error) {
    // ripgrep exits with 1 if it finds nothing.
    return isRecord(error) && error.code === 1 ? '' : null;
  }
}

const SEARCHED = ['{"k":"message"', '{"k":"run"', '{"k":"reset"'];

/** Returns the hits of a file, newest first. It reads line by line, because a file can exceed the limit of a string. */
export async function hitsIn(path: string, words: readonly string[]): Promise<Hit[]> {
  const hits = new Map<string, { chain: string; message: Message; text: string }>();
  const runs = new Map<string, RunRecord>();
  for await (const { bytes } of rawLines(path)) {
    if (!beginsWith(bytes, SEARCHED)) continue;
    const inFile = bytes.toString('utf8');
    const isMessage = inFile.startsWith('{"k":"message"');
    const folded = isMessage ? inFile.toLowerCase() : '';
    // Most lines lack the words and are skipped unparsed.
    const mayCall = isMessage && inFile.includes(CALL);
    if (isMessage && !words.every(word => (mayCall && ESCAPED.test(word)) || folded.includes(inJson(word))))
      continue;
    const line = readLine(inFile);
    if (line?.k === 'run') runs.set(line.chain, line.run);
    if (line?.k === 'reset')
      for (const [key, { chain, message }] of hits)
        if (chain === line.chain && messageNumber(message) > line.reset.id) hits.delete(key);
    const text = line?.k === 'message' ? partWith(foundText(line.message), words) : null;
    if (line?.k !== 'message' || text === null) continue;
    const { chain, message } = line;
    if (!hits.has(`${chain} ${message.id}`)) hits.set(`${chain} ${message.id}`, { chain, message, text });
  }
  return [...hits.values()]
    .flatMap(({ chain, message: { id, at }, text }) => {
      const run = runs.get(chain);
      const { session = '', workflowId = '' } = run ?? {};
      return run ? [{ session, chain, workflowId, message: id, at, text }] : [];
    })
    .sort((a, b) => b.at - a.at);
}

/** Returns the text of a file; empty if it can't be read. */
async function textIn(path: string): Promise<string> {
  const file = await openFile(path, constants.O_RDONLY).catch(() => null);
  if (file === null) return '';
  try {
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
