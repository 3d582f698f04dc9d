/** `find` and `grep`: use ripgrep, which excludes files that git ignores. */
import { dirname, join } from 'node:path';
import { plural } from 'steersman/base';
import { faultText, type Searched, search } from 'steersman/config';
import { type CodeTool, defineTool } from 'steersman/mcp';
import { decoderOf, encodingOf } from '../text/encoding.js';
import {
  deniedPaths,
  inFolder,
  leftOut,
  missing,
  openFile,
  resolvePath,
  type WorkspaceContext,
} from './context.js';
import { fileGlob } from './file-glob.js';
import { BoundedLines, nameText } from './text.js';

const MOST_FILES = 300;
const MOST_LINES = 200;
const MAX_LINE_CHARS = 400;
/** Limit for a line of ripgrep; a longer line is cut. */
const MAX_COLUMNS = 2_000;

/** Signs that only regular expressions have. */
const LIKE_REGEX = /\(\?|\.\*|\\[.dws]|^\^|\$$/;
/** Look-around and back references, which only ripgrep's other engine supports. */
const NEEDS_PCRE = /\(\?<?[=!]|\\[1-9]/;

const LEFT_OUT = 'What git ignores was left out.';

export function findTool(context: WorkspaceContext): CodeTool {
  return defineTool({
    name: 'find',
    description: 'Finds files by glob, such as "src/**/*.ts"; leaves out what git ignores.',
    input: {
      type: 'object',
      properties: { pattern: { type: 'string' }, path: { type: 'string' } },
      required: ['pattern'],
    },
    readOnly: true,
    async run({ pattern, path = '.' }, { signal }) {
      const found = new BoundedLines(MOST_FILES);
      const { real, shown, stats } = await resolvePath(context, String(path));
      if (stats === null) throw await missing(context, String(path));
      const isWanted = fileGlob(String(pattern));
      const hidden = await hiddenFrom(context, 'find');
      const args = ['--files', '--null', '--sort=path', ...leftOut(context, real)];
      const take = (file: string) =>
        !isWanted(file) || hidden.has(join(shown, file)) || found.add(nameText(join(shown, file)));
      const done = await inFolder(context, real, cwd => search({ args, cwd, signal, delimiter: '\0', take }));
      const regex = LIKE_REGEX.test(String(pattern))
        ? ' The pattern is a glob, not a regular expression.'
        : '';
      return answer(found, done, `No file matches. ${LEFT_OUT}${regex}`, {
        how: 'a narrower pattern or path',
        hidden: hidden.count(),
      });
    },
  });
}

export function grepTool(context: WorkspaceContext): CodeTool {
  return defineTool({
    name: 'grep',
    description: 'Searches in files by regular expression; leaves out what git ignores.',
    input: {
      type: 'object',
      properties: {
        pattern: { type: 'string' },
        path: { type: 'string', description: 'File or folder' },
        glob: { type: 'string' },
        ignoreCase: { type: 'boolean' },
        context: { type: 'integer', description: 'Lines around each match' },
      },
      required: ['pattern'],
    },
    readOnly: true,
    async run({ pattern, path = '.', glob, ignoreCase, context: around }, { signal }) {
      const found = new BoundedLines(MOST_LINES);
      const { real, shown, stats } = await resolvePath(context, String(path));
      if (stats === null) throw await missing(context, String(path));
      const isFile = !stats.isDirectory();
      const args = grepArgs({ pattern, ignoreCase, around, leftOut: isFile ? null : leftOut(context, real) });
      const isWanted = typeof glob === 'string' && !isFile ? fileGlob(glob) : () => true;
      const hidden = await hiddenFrom(context, 'grep');
      const isShown = (file: string) => isWanted(file) && !hidden.has(join(shown, file));
      const take = isFile
        ? (record: string) => found.add(lineOf(bytesText(record), shown))
        : takeOfFiles(found, shown, isShown);
      const work = (cwd: string, stdin?: number) =>
        search({ args, cwd, signal, take, asBytes: true, ...(stdin !== undefined && { stdin }) });
      const done = isFile
        ? await inOpenFile(context, String(path), work)
        : await inFolder(context, real, cwd => work(cwd));
      return answer(found, done, `No line matches. ${LEFT_OUT}`, {
        how: 'a narrower pattern, path or glob',
        hidden: hidden.count(),
      });
    },
  });
}

/** `leftOut`: arguments that exclude paths; null for a single file, which is read from its open handle. */
function grepArgs({
  pattern,
  ignoreCase,
  around,
  leftOut,
}: Record<'pattern' | 'ignoreCase' | 'around', unknown> & { leftOut: readonly string[] | null }): string[] {
  return [
    ...['--line-number', '--no-heading', '--null', '--sort=path', '--crlf'],
    ...[`--max-columns=${MAX_COLUMNS}`, '--max-columns-preview'],
    leftOut ? '--with-filename' : '--no-filename',
    ...(ignoreCase === true ? ['--ignore-case'] : []),
    ...(typeof around === 'number' && around > 0 ? [`--context=${Math.min(20, Math.floor(around))}`] : []),
    ...(NEEDS_PCRE.test(String(pattern)) ? ['--pcre2'] : []),
    ...(leftOut ?? []),
    ...['-e', inWesternToo(String(pattern)), '--', leftOut ? './' : '-'],
  ];
}

/** Brackets without an end are each searched for to the end of the pattern. */
const MOST_WIDENED_CHARS = 10_000;

/** Lets each character outside of brackets also match its byte in Windows-1252. */
function inWesternToo(pattern: string): string {
  if (pattern.length > MOST_WIDENED_CHARS || NEEDS_PCRE.test(pattern)) return pattern;
  return pattern.replace(/\\.|\[(?:\\.|[^\]\\])*\]|[^\0-\x7f]/gsu, sign => {
    const byte = /^[\xa0-\xff]$/.test(sign) ? sign.charCodeAt(0).toString(16) : null;
    return byte === null ? sign : `(?:${sign}|(?-u:\\x${byte}))`;
  });
}

/** Decodes bytes that the text has as one character each. */
function bytesText(bytes: string): string {
  const given = Buffer.from(bytes, 'latin1');
  return decoderOf(encodingOf(given) ?? 'utf-8').decode(given);
}

/** Returns a function for ripgrep's records of a folder: names may contain newlines. It returns false if the answer is full. */
function takeOfFiles(
  found: BoundedLines,
  shown: string,
  isShown: (file: string) => boolean,
): (record: string) => boolean {
  let name = '';
  // Separators between files are added only if both files are shown.
  let between: string[] = [];
  return bytes => {
    // A name is in UTF-8, as elsewhere; what follows it is in the encoding of the file.
    const at = bytes.includes('\0') ? bytes.indexOf('\0') + 1 : bytes.length;
    const record = Buffer.from(bytes.slice(0, at), 'latin1').toString() + bytesText(bytes.slice(at));
    if (!record.includes('\0') && !OWN_WORDS.test(record)) {
      name += `${record}\n`;
      return true;
    }
    const whole = name + record;
    name = '';
    if (!whole.includes('\0')) {
      if (found.lines.length > 0) between = [lineOf(whole, shown)];
      return true;
    }
    if (!isShown(whole.split('\0', 1)[0] ?? '')) return true;
    const lines = [...between.splice(0), lineOf(whole, shown)];
    return lines.every(line => found.add(line));
  };
}

/** Searches a file through its open handle, even if its path becomes a link meanwhile. */
async function inOpenFile(
  context: WorkspaceContext,
  path: string,
  work: (cwd: string, stdin: number) => Promise<Searched>,
): Promise<Searched> {
  const { handle, real } = await openFile(context, path);
  try {
    return await inFolder(context, dirname(real), cwd => work(cwd, handle.fd));
  } finally {
    await handle.close();
  }
}

/** Messages of ripgrep itself, which `--crlf` ends with CR. Any other record without NUL begins a name with a newline. */
const OWN_WORDS = /^(?:--|.*: WARNING: stopped searching .*)\r?$/;

/** Converts `file NUL 12:text` (for a single file `12:text`) to `file:12: text`; context lines have `-` instead of `:`. */
function lineOf(record: string, shown: string): string {
  const [name, said] = record.includes('\0') ? record.split('\0', 2) : [null, record];
  const file = nameText(name === null ? shown : join(shown, name ?? ''));
  const [, number, mark, text] = /^(\d+)([:-])(.*)$/s.exec(said ?? '') ?? [];
  const line = (text ?? said ?? '').replace(/\r$/, '');
  if (number === undefined) return line;
  const cut = line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS)}…` : line;
  return `${file}${mark}${number}${mark} ${cut}`;
}

/** Counts the files that are hidden because of `permissions.deny`. */
async function hiddenFrom(context: WorkspaceContext, tool: string) {
  const isDenied = await deniedPaths(context, tool);
  const paths = new Set<string>();
  return {
    has: (path: string) => isDenied(path) && paths.add(path).size > 0,
    count: () => paths.size,
  };
}

function answer(
  { lines }: BoundedLines,
  { cut, fault }: Searched,
  nothing: string,
  { how, hidden }: { how: string; hidden: number },
): string {
  const notes: string[] = [];
  if (hidden > 0) notes.push(`[Not shown, as permissions.deny names them: ${plural(hidden, 'file')}.]`);
  if (cut === 'enough') notes.push(`[There is more. Only the first ${lines.length} are shown: give ${how}.]`);
  if (cut === 'time') notes.push(`[The time is over, and not all was searched: give ${how}.]`);
  if (fault !== '' && lines.length === 0) throw new Error(faultText(fault));
  if (fault !== '') notes.push(`[Not all could be searched: ${faultText(fault)}]`);
  return [...(lines.length === 0 && notes.length === Math.min(1, hidden) ? [nothing] : lines), ...notes].join(
    '\n',
  );
}
