/** Parses a command line far enough to tell its commands and how they are joined. Nothing is expanded. */

/** The operator after a command. */
type Joint = ';' | '&' | '&&' | '||' | '|';

export interface ShellCommand {
  /** The words without quotes; a substitution stays as written. Redirections are not words. */
  words: string[];
  /** The command as written, with its redirections. */
  text: string;
  /** True if the shell generates a part of it: by another command, by escape codes, or from a here document. */
  expands: boolean;
  /** True if its output goes to a file. */
  writes: boolean;
  /** True if its input comes from a file. */
  reads: boolean;
  /** The text of its input, if the line contains it; otherwise null. */
  given: string | null;
  /** Null if it is the last command. */
  joint: Joint | null;
}

/** Operators between commands; `;;` and brackets do not join plain commands. */
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
/** Other space, such as a carriage return, is an ordinary character: a word that ended there would repeat forever, empty. */
const ENDS_WORD = /[ \t\n;&|<>()]/;

/** Returns the commands of a line; null if it is not a line of plain commands, because of brackets or unclosed quotes. */
export function readShellLine(line: string): ShellCommand[] | null {
  const reading = new Reading(line);
  for (let at: number | null = 0; at < line.length; ) {
    at = reading.next(at);
    if (at === null) return null;
  }
  reading.push(null);
  return reading.commands;
}

const NOTHING = { writes: false, reads: false, expands: false, given: null } as const;

/** The commands so far, and the one that is being read. */
class Reading {
  readonly commands: ShellCommand[] = [];
  readonly #line: string;
  readonly #hereTexts: HereText[] = [];
  #words: string[] = [];
  #has: Pick<ShellCommand, 'writes' | 'reads' | 'expands' | 'given'> = { ...NOTHING };
  #start = 0;
  #end = 0;

  constructor(line: string) {
    this.#line = line;
  }

  /** Reads the next part. Returns the index after it; null if the line does not consist of plain commands. */
  next(at: number): number | null {
    const blank = this.#take(BLANK, at)?.[0];
    if (blank !== undefined) return at + blank.length;
    if (this.#line[at] === '#') return this.#comment(at);
    const hereText = this.#line.startsWith('<<<', at) ? null : this.#take(HERE_TEXT, at);
    if (hereText) return this.#hereText(at, hereText);
    const sign = this.#take(REDIRECTION, at)?.[0];
    if (sign !== undefined) return this.#redirection(at, sign);
    const operator = this.#take(OPERATOR, at)?.[0];
    if (operator !== undefined) return this.#operator(at, operator);
    const word = readWord(this.#line, at);
    if (word === null) return null;
    this.#words.push(word.text);
    this.#has.expands ||= word.expands;
    return this.#cover(at, word.end);
  }

  push(joint: Joint | null): void {
    // An empty line ends no command, and a line may end after an operator.
    const text = this.#line.slice(this.#start, this.#end);
    if (this.#words.length > 0 || this.#has.writes)
      this.commands.push({ words: this.#words, text, ...this.#has, joint });
    this.#words = [];
    this.#has = { ...NOTHING };
    this.#start = this.#end;
  }

  #take(pattern: RegExp, at: number): RegExpExecArray | null {
    pattern.lastIndex = at;
    return pattern.exec(this.#line);
  }

  /** Adds a part to the text of the current command. */
  #cover(from: number, to: number): number {
    if (this.#end <= this.#start) this.#start = from;
    this.#end = to;
    return to;
  }

  #comment(at: number): number {
    const end = this.#line.indexOf('\n', at);
    return end < 0 ? this.#line.length : end;
  }

  #hereText(at: number, [all, dash, ...ends]: RegExpExecArray): number {
    const end = ends.find(Boolean) ?? '';
    this.#hereTexts.push({ of: this.commands.length, end, indented: dash === '-' });
    this.#has.expands = true;
    return this.#cover(at, at + all.length);
  }

  #redirection(at: number, sign: string): number | null {
    const target = readWord(this.#line, at + sign.length);
    if (target === null) return null;
    const has = this.#has;
    if (sign.includes('<<<')) has.given = target.text;
    else if (!NO_FILE.test(target.text)) {
      has.writes ||= sign.includes('>');
      has.reads ||= sign.includes('<');
    }
    has.expands ||= target.expands;
    return this.#cover(at, target.end);
  }

  #operator(at: number, operator: string): number | null {
    const joint = JOINTS[operator];
    if (joint === undefined) return null;
    this.push(joint);
    const end = at + operator.length;
    if (operator !== '\n') return end;
    return takeHereTexts(this.#line, end, { texts: this.#hereTexts.splice(0), commands: this.commands });
  }
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

/** Returns null if a quote or a bracket is not closed. */
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

/** Reads `$'…'` as bash does: a quote in it may be escaped by a backslash. The text stays as written. */
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

/** Reads `$(…)`, `${…}` and backquotes as a whole, up to the end of the line if unclosed. Null if there is none here. */
function substitution(line: string, at: number): Word | null {
  const open = line[at] === '`' ? '`' : line.slice(at, at + 2);
  if (open !== '`' && open !== '$(' && open !== '${') return null;
  const end = open === '`' ? line.indexOf('`', at + 1) + 1 : closing(line, at + 1);
  const to = end <= at ? line.length : end;
  return { text: line.slice(at, to), end: to, expands: true };
}

/** Returns the index after the bracket that closes the one at `at`; -1 if there is none. */
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

/** Assigns each here document to its command. Returns the index where the line continues. */
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
