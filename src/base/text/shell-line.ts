/** A command line, read as far as it takes to know which commands it has and how they are joined. Nothing is expanded. */

/** What stands behind a command. */
type Joint = ';' | '&' | '&&' | '||' | '|';

export interface ShellCommand {
  /** Without quotes; a substitution stays as it is written. Redirections are no words. */
  words: string[];
  /** As it is written, with its redirections. */
  text: string;
  /** The shell makes a part of it: by another command, by codes, or of a text that stands behind the line. */
  expands: boolean;
  /** Its output goes to a file. */
  writes: boolean;
  /** Its input comes from a file. */
  reads: boolean;
  /** Its input, if that stands in the line. */
  given: string | null;
  /** Null: it is the last. */
  joint: Joint | null;
}

/** Between commands: `;;` and brackets are no joints of plain commands. */
const JOINTS: Readonly<Record<string, Joint>> = {
  ';': ';',
  '\n': ';',
  '&': '&',
  '&&': '&&',
  '||': '||',
  '|': '|',
  '|&': '|',
};
const OPERATOR = /(?:&&|\|\||\|&|;;|[;&|\n()])/y;
const REDIRECTION = /(?:\d*(?:<<<|<>|>>|>\||[<>]&?)|&>>?)[ \t]*/y;
const NO_FILE = /^(?:\/dev\/(?:null|stdout|stderr|tty|fd\/\d+)|\d+|-)$/;
const HERE_TEXT = /\d*<<(-?)[ \t]*(?:'([^'\n]+)'|"([^"\n]+)"|([^ \t\n;&|<>()'"]+))/y;
const BLANK = /(?:[ \t]|\\\n)+/y;
/** A return, or any other space, is a character like others: a word that ended there would be empty, and so for ever. */
const ENDS_WORD = /[ \t\n;&|<>()]/;

/** Null for what is no line of plain commands: brackets, and what is not closed. */
export function readShellLine(line: string): ShellCommand[] | null {
  const commands: ShellCommand[] = [];
  const hereTexts: HereText[] = [];
  let words: string[] = [];
  let [writes, reads, expands] = [false, false, false];
  let given: string | null = null;
  let [start, end] = [0, 0];
  const push = (joint: Joint | null) => {
    // An empty line ends nothing, and a line may end behind a joint.
    const text = line.slice(start, end);
    if (words.length > 0 || writes) commands.push({ words, text, expands, writes, reads, given, joint });
    words = [];
    [writes, reads, expands, given] = [false, false, false, null];
    start = end;
  };
  /** What stands there is a part of the command. */
  const cover = (from: number, to: number) => {
    if (end <= start) start = from;
    end = to;
    return to;
  };
  const take = (pattern: RegExp, at: number) => {
    pattern.lastIndex = at;
    return pattern.exec(line);
  };
  for (let at = 0; at < line.length; ) {
    const blank = take(BLANK, at);
    if (blank) {
      at += blank[0].length;
      continue;
    }
    if (line[at] === '#') {
      const end = line.indexOf('\n', at);
      at = end < 0 ? line.length : end;
      continue;
    }
    const hereText = take(HERE_TEXT, at);
    if (hereText && !line.startsWith('<<<', at)) {
      const [all, dash, ...ends] = hereText;
      hereTexts.push({ of: commands.length, end: ends.find(Boolean) ?? '', indented: dash === '-' });
      expands = true;
      at = cover(at, at + all.length);
      continue;
    }
    const redirection = take(REDIRECTION, at);
    if (redirection) {
      const target = readWord(line, at + redirection[0].length);
      if (target === null) return null;
      const [sign] = redirection;
      if (sign.includes('<<<')) given = target.text;
      else if (!NO_FILE.test(target.text)) {
        writes ||= sign.includes('>');
        reads ||= sign.includes('<');
      }
      expands ||= target.expands;
      at = cover(at, target.end);
      continue;
    }
    const operator = take(OPERATOR, at)?.[0];
    if (operator !== undefined) {
      const joint = JOINTS[operator];
      if (joint === undefined) return null;
      push(joint);
      at += operator.length;
      if (operator === '\n') at = takeHereTexts(line, at, { texts: hereTexts.splice(0), commands });
      continue;
    }
    const word = readWord(line, at);
    if (word === null) return null;
    words.push(word.text);
    expands ||= word.expands;
    at = cover(at, word.end);
  }
  push(null);
  return commands;
}

interface HereText {
  /** Index of its command. */
  of: number;
  end: string;
  indented: boolean;
}

interface Word {
  text: string;
  end: number;
  expands: boolean;
}

/** Null where a quote or a bracket is not closed. */
function readWord(line: string, start: number): Word | null {
  let text = '';
  let expands = false;
  let at = start;
  while (at < line.length && !ENDS_WORD.test(line[at] ?? '')) {
    const sign = line[at] ?? '';
    const part =
      sign === "'"
        ? quoted(line, at)
        : sign === '"'
          ? doubleQuoted(line, at)
          : line.startsWith("$'", at)
            ? codes(line, at)
            : (substitution(line, at) ?? plain(line, at));
    if (part === null) return null;
    text += part.text;
    expands ||= part.expands;
    at = part.end;
  }
  return { text, end: at, expands };
}

function plain(line: string, at: number): Word {
  if (line[at] !== '\\') return { text: line[at] ?? '', end: at + 1, expands: false };
  return { text: line[at + 1] ?? '', end: at + 2, expands: false };
}

function quoted(line: string, at: number): Word | null {
  const end = line.indexOf("'", at + 1);
  return end < 0 ? null : { text: line.slice(at + 1, end), end: end + 1, expands: false };
}

/** `$'…'`, as bash reads it: a quote in it may stand behind a backslash. It stays as it is written. */
function codes(line: string, at: number): Word | null {
  const [text] = /^\$'(?:[^'\\]|\\[\s\S])*'/.exec(line.slice(at)) ?? [];
  return text === undefined ? null : { text, end: at + text.length, expands: true };
}

function doubleQuoted(line: string, start: number): Word | null {
  let text = '';
  let expands = false;
  for (let at = start + 1; at < line.length; ) {
    if (line[at] === '"') return { text, end: at + 1, expands };
    const part = substitution(line, at) ?? plain(line, at);
    text += part.text;
    expands ||= part.expands;
    at = part.end;
  }
  return null;
}

/** `$(…)`, `${…}` and backquotes, whole. Null: there is none. One that is not closed takes all the rest. */
function substitution(line: string, at: number): Word | null {
  const open = line[at] === '`' ? '`' : line.slice(at, at + 2);
  if (open !== '`' && open !== '$(' && open !== '${') return null;
  const end = open === '`' ? line.indexOf('`', at + 1) + 1 : closing(line, at + 1);
  const to = end <= at ? line.length : end;
  return { text: line.slice(at, to), end: to, expands: true };
}

/** Behind the bracket that closes the one at `at`; -1 where there is none. */
function closing(line: string, at: number): number {
  let depth = 0;
  for (let i = at; i < line.length; i++) {
    const sign = line[i] ?? '';
    if (sign === '\\') i += 1;
    else if (sign === "'") {
      const end = line.indexOf("'", i + 1);
      if (end < 0) return -1;
      i = end;
    } else if ('({'.includes(sign)) depth += 1;
    else if (')}'.includes(sign)) {
      depth -= 1;
      if (depth === 0) return i + 1;
    }
  }
  return -1;
}

/** Gives each text to its command. Says where the line goes on. */
function takeHereTexts(
  line: string,
  start: number,
  { texts, commands }: { texts: readonly HereText[]; commands: readonly ShellCommand[] },
): number {
  let at = start;
  for (const { of, end, indented } of texts) {
    const rows: string[] = [];
    while (at < line.length) {
      const next = line.indexOf('\n', at);
      const row = line.slice(at, next < 0 ? line.length : next);
      at = next < 0 ? line.length : next + 1;
      if ((indented ? row.replace(/^\t+/, '') : row) === end) break;
      rows.push(row);
    }
    const command = commands[of];
    if (command) command.given = rows.join('\n');
  }
  return at;
}
