/**
 * Maps names and forms by which models call the workspace's tools, as they know them from elsewhere (WK17). Only forms
 * with the same meaning are mapped. The schema refuses unknown ones, and lists its arguments.
 */

import { isRecord, type JsonSchema, nestsTooDeep, ownValue, parseJson } from '../../base/json/json.js';
import { behavesAs } from '../../run/agents/run-config.js';
import { type ToolDefinition, workspaceToolOf } from '../../run/tools/tool.js';

type Input = Record<string, unknown>;

export interface CalledTool {
  name: string;
  input: Input;
}

interface Offered {
  name: string;
  inputSchema: JsonSchema;
}

/** Keys are in lower case without `_` and `-`. `create` is left out: elsewhere it never replaces a file. */
const NAMES: Readonly<Record<string, string>> = {
  ...same('read', 'readfile', 'readtextfile', 'view', 'viewfile', 'cat', 'openfile'),
  ...same('list', 'ls', 'dir', 'tree', 'listdir', 'listdirectory', 'listfiles', 'directorytree'),
  ...same('find', 'glob', 'findfiles', 'findbyname', 'globfilesearch'),
  ...same('grep', 'rg', 'ripgrep', 'grepsearch', 'searchfilecontent', 'searchtext'),
  ...same('edit', 'editfile', 'multiedit', 'strreplace', 'searchreplace', 'replace', 'replaceinfile'),
  ...same('write', 'writefile', 'writetofile', 'savefile'),
  ...same('move', 'mv', 'rename', 'movefile', 'renamefile'),
  ...same('delete', 'deletefile', 'removefile'),
  ...same('fetch', 'webfetch', 'fetchurl', 'geturl', 'httpget'),
  ...same('compute', 'javascript', 'js', 'runjavascript', 'executejavascript'),
  ...same(
    'run',
    'bash',
    'shell',
    'sh',
    'zsh',
    'terminal',
    'exec',
    'execcommand',
    'executecommand',
    'runcommand',
  ),
  ...same(
    'run',
    'runshellcommand',
    'runterminalcmd',
    'runinterminal',
    'executebash',
    'localshell',
    'shellcommand',
  ),
};

/** Names of tools that do something else, with the nearest tools here. */
const NEAR: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(Object.entries(NAMES).map(([name, own]) => [name, [own]])),
  ...near(['edit'], 'applypatch', 'applydiff', 'patch', 'insert', 'inserttext', 'notebookedit', 'sed'),
  ...near(['write'], 'create', 'createfile', 'newfile', 'touch', 'mkdir', 'createdirectory'),
  ...near(['read', 'edit', 'write'], 'strreplaceeditor', 'strreplacebasededittool', 'texteditor', 'editor'),
  ...near(['grep', 'find'], 'search', 'searchfiles', 'filesearch', 'codebasesearch', 'semanticsearch'),
  ...near(['compute', 'run'], 'python', 'executepython', 'codeinterpreter', 'calculator', 'eval', 'node'),
  ...near(['delete'], 'rm', 'remove', 'unlink', 'rmdir'),
  ...near(['fetch'], 'websearch', 'browser', 'browse', 'curl', 'openurl'),
  ...near(['ask_person'], 'askuser', 'askuserquestion', 'askfollowupquestion', 'requestuserinput'),
  ...near(['read_result'], 'readoutput', 'bashoutput', 'taskoutput', 'getterminaloutput'),
};

/** Either the argument's own name here, or a function that takes the value into `out`; false if it can't. */
type Habit = string | ((value: unknown, out: Input, given: Input) => boolean);

/** Accepts an argument that does not affect the tool. */
const talk: Habit = () => true;
/** Accepts an argument with only these values, which match the tool's behaviour anyway. */
const only =
  (...values: readonly unknown[]): Habit =>
  value =>
    values.includes(value);
const SAYS: Habits = { description: talk, explanation: talk, justification: talk };

type Habits = Readonly<Record<string, Habit>>;

const FILE = same(
  'path',
  'filepath',
  'file',
  'filename',
  'absolutepath',
  'targetfile',
  'notebookpath',
  'pathname',
);
const FOLDER = same('path', 'directory', 'dir', 'folder', 'dirpath', 'directorypath', 'targetdirectory');
const FIRST = same('offset', 'startline', 'linestart', 'firstline', 'fromline');
const OLD = same('oldText', 'oldstring', 'oldstr', 'search', 'find', 'oldcontent');
const NEW = same('newText', 'newstring', 'newstr', 'replace', 'replacement', 'newcontent');
const ALL = same('all', 'replaceall', 'allowmultiple');
const PART = { ...OLD, ...NEW, ...ALL, oldtext: 'oldText', newtext: 'newText', all: 'all' };

/** Habits by tool; argument names are in lower case without `_` and `-`. */
const ARGUMENTS: Readonly<Record<string, Habits>> = {
  read: {
    ...FILE,
    ...FIRST,
    ...same('limit', 'maxlines', 'numlines', 'linecount'),
    ...same('numbers', 'linenumbers', 'showlinenumbers'),
    ...{ endline: lastLine, lineend: lastLine, lastline: lastLine, toline: lastLine },
    viewrange: range,
    shouldreadentirefile: talk,
    encoding: only('utf-8', 'utf8', 'UTF-8'),
  },
  list: {
    ...FOLDER,
    ...same('depth', 'maxdepth'),
    ...same('all', 'includeignored', 'noignore'),
    recursive: (value, out) => value === true || (value === false && put(out, 'depth', 1)),
  },
  find: { ...FOLDER, ...same('pattern', 'glob', 'globpattern', 'name', 'namepattern') },
  grep: {
    ...FOLDER,
    ...FILE,
    ...same('pattern', 'regex', 'regexp', 'query', 'searchpattern'),
    ...same('glob', 'include', 'includepattern', 'filepattern', 'fileglob'),
    ...same('ignoreCase', '-i', 'caseinsensitive'),
    casesensitive: (value, out) => typeof value === 'boolean' && put(out, 'ignoreCase', !value),
    ...same('context', '-C', 'contextlines'),
    ...{ '-A': around, '-B': around, aftercontext: around, beforecontext: around },
    ...{ '-n': talk, linenumber: talk, linenumbers: talk, headlimit: talk, maxresults: talk },
    outputmode: only('content', 'files_with_matches'),
    multiline: only(false),
    isregexp: only(true),
  },
  edit: { ...FILE, expectedreplacements: only(1), expectedoccurrences: only(1) },
  write: { ...FILE, ...same('content', 'contents', 'filetext', 'text', 'filecontent') },
  move: {
    ...same('from', 'source', 'src', 'oldpath', 'frompath', 'sourcepath'),
    ...same('to', 'destination', 'dest', 'dst', 'newpath', 'topath', 'destinationpath', 'target'),
    overwrite: only(false),
  },
  delete: { ...FILE },
  fetch: same('url', 'uri', 'link', 'href'),
  compute: same('code', 'script', 'javascript', 'js', 'expression', 'source'),
  run: {
    ...same('command', 'cmd', 'commandline', 'bash', 'script'),
    ...same('timeoutMs', 'timeoutmillis', 'timeoutmilliseconds'),
    timeout: (value, out) => {
      const given = whole(value) ?? 0;
      // Elsewhere it is in milliseconds or seconds: a value that can't be one of them is the other.
      if (given >= 1 && given <= 600) return put(out, 'timeoutMs', given * 1_000);
      return given >= 1_000 && put(out, 'timeoutMs', given);
    },
    ...{ timeoutseconds: seconds, timeoutsec: seconds, timeoutsecs: seconds },
    ...{ isbackground: only(false), runinbackground: only(false), background: only(false) },
    ...{ cwd: only('.', './', ''), workdir: only('.', './', ''), workingdirectory: only('.', './', '') },
  },
};

function same<T extends string>(own: T, ...names: readonly string[]): Readonly<Record<string, T>> {
  return Object.fromEntries(names.map(name => [name, own]));
}

function near(
  own: readonly string[],
  ...names: readonly string[]
): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(names.map(name => [name, own]));
}

/** Returns a call in the form of the tool that it means; unchanged if it means no known tool. */
export function asTaken(called: CalledTool, offered: readonly Offered[]): CalledTool {
  const meant = meantTool(called, offered);
  if (meant === null) return called;
  const { tool, own, input } = meant;
  const properties = isRecord(tool.inputSchema.properties) ? tool.inputSchema.properties : {};
  const named = withOwnNames(own, input, properties);
  const whole = own === 'edit' ? withEdits(named) : named;
  const optional = (key: string) => ![tool.inputSchema.required].flat().includes(key);
  const entries = Object.entries(whole)
    .filter(([key, value]) => value !== null || !optional(key))
    .map(([key, value]) => [key, ofType(ownValue(properties, key), value)]);
  if (own === 'run') return { name: tool.name, input: Object.fromEntries(entries.map(asLine)) };
  return { name: tool.name, input: Object.fromEntries(entries) };
}

/**
 * Marks of a model's template around a tool's name: `functions.` before it, or `<|` and more after it, as in gpt-oss.
 */
const BEFORE = /^(?:functions|default_api|tools)[.:]/;
const BEHIND = /<\|[\s\S]*/;

/**
 * Returns the name of the offered tool that a model wrote within its template's marks. Without such a tool: the name
 * without the mark after it.
 */
export function offeredName(called: string, isOffered: (name: string) => boolean): string {
  const unmarked = called.replace(BEHIND, '') || called;
  return [called, unmarked, unmarked.replace(BEFORE, '')].find(isOffered) ?? unmarked;
}

/** Returns the own names of the tools nearest to another name; null if the name is unknown. */
export function nearestByMeaning(name: string): readonly string[] | null {
  return ownValue(NEAR, plainName(name)) ?? null;
}

/** A tool's name without its server. */
export function bareName(name: string): string {
  return name.slice(name.lastIndexOf('__') + 1).replace(/^_/, '');
}

interface Meant {
  tool: Offered;
  /** The tool's name in the tables. */
  own: string;
  input: Input;
}

function meantTool({ name, input }: CalledTool, offered: readonly Offered[]): Meant | null {
  const exact = offered.find(tool => tool.name === name);
  if (exact) return isOurs(exact) ? { tool: exact, own: bareName(name), input } : null;
  // A server of that name takes calls of unlisted tools.
  if (offered.some(tool => tool.name.startsWith('default__'))) return null;
  const plain = plainName(name);
  const called = EDITORS.includes(plain) ? editorCall(input) : { own: NAMES[plain] ?? plain, input };
  const tool = offered.find(each => each.name === called?.own && isOurs(each));
  return tool && called ? { tool, ...called } : null;
}

const EDITORS: readonly string[] = ['strreplaceeditor', 'strreplacebasededittool', 'texteditor'];

/** The editor of many tools, whose `command` says what it does. */
function editorCall({ command, ...input }: Input): Omit<Meant, 'tool'> | null {
  if (command === 'view') return { own: 'read', input };
  if (command === 'str_replace') return { own: 'edit', input: { new_str: '', ...input } };
  return null;
}

/** True for a tool of the workspace, under any name in the run. Earlier runs know it only by its schema. */
export function isWorkspaceTool(
  pinned: Parameters<typeof behavesAs>[0],
  tool: ToolDefinition,
  own: string,
): boolean {
  if (behavesAs(pinned, 5)) return workspaceToolOf(tool) === own;
  return isOurs(tool) && bareName(tool.name) === own;
}

/** True for a tool that takes the same calls as ours: all arguments in the table, and no others. Any server may have it. */
function isOurs({ name, inputSchema: { properties, additionalProperties } }: Offered): boolean {
  const own = bareName(name);
  const habits = ownValue(ARGUMENTS, own);
  if (habits === undefined || additionalProperties !== false || !isRecord(properties)) return false;
  const names = [...Object.values(habits).filter(habit => typeof habit === 'string'), ...(MORE[own] ?? [])];
  return names.every(each => Object.hasOwn(properties, each));
}

/** Further arguments that identify our tools. */
const MORE: Readonly<Record<string, readonly string[]>> = { edit: ['edits'], delete: ['recursive'] };

function plainName(name: string): string {
  if (/^-[A-Za-z]$/.test(name)) return name;
  return name.replace(BEFORE, '').replaceAll(/[-_]/g, '').toLowerCase();
}

function withOwnNames(own: string, input: Input, properties: Input): Input {
  const habits = { ...SAYS, ...ownValue(ARGUMENTS, own) };
  const out = Object.fromEntries(Object.entries(input).filter(([key]) => Object.hasOwn(properties, key)));
  for (const [key, value] of Object.entries(input)) {
    if (Object.hasOwn(properties, key)) continue;
    const plain = plainName(key);
    const habit = ownValue(habits, plain) ?? Object.keys(properties).find(name => plainName(name) === plain);
    const isTaken =
      value === null || (typeof habit === 'string' ? put(out, habit, value) : habit?.(value, out, input));
    // Nothing is dropped silently: the schema refuses the argument by name.
    if (isTaken !== true) out[key] = value;
  }
  return out;
}

/** False if the place has another value. */
function put(out: Input, name: string, value: unknown): boolean {
  if (Object.hasOwn(out, name) && out[name] !== value) return false;
  out[name] = value;
  return true;
}

function ofType(schema: unknown, value: unknown): unknown {
  const type = isRecord(schema) ? schema.type : undefined;
  if (type === 'integer' && typeof value === 'string' && /^[+-]?\d{1,9}$/.test(value)) return Number(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  if (type === 'string' && Number.isSafeInteger(value)) return String(value);
  if (type === 'string' && Array.isArray(value) && value.length === 1) return value[0];
  return value;
}

/** Converts `old_string` and `new_string` next to the path, one object, or JSON text to a list of edits. */
function withEdits(input: Input): Input {
  const part: Input = {};
  const rest: Input = {};
  for (const [key, value] of Object.entries(input)) {
    const own = ownValue(PART, plainName(key));
    if (own === undefined) rest[key] = value;
    else if (!put(part, own, value)) return input;
  }
  const { edits: written } = rest;
  const given = typeof written === 'string' && !nestsTooDeep(written) ? parseJson(written) : written;
  const isPart = part.oldText !== undefined || part.newText !== undefined;
  if (isPart) return given === undefined ? { ...rest, edits: [asEdit(part)] } : input;
  if (!isRecord(given) && !Array.isArray(given)) return input;
  const edits = [given].flat().map(edit => (isRecord(edit) ? { ...part, ...asEdit(edit) } : edit));
  return { ...rest, edits };
}

const ALWAYS_SO: Habits = { expectedreplacements: only(1), expectedoccurrences: only(1) };

function asEdit(given: Input): Input {
  const out: Input = {};
  for (const [key, value] of Object.entries(given)) {
    const plain = plainName(key);
    const own = ownValue(PART, plain);
    const habit = ownValue(ALWAYS_SO, plain);
    if (value === null || (typeof habit === 'function' && habit(value, out, given))) continue;
    if (own === undefined || !put(out, own, value)) out[key] = value;
  }
  const { all } = out;
  return all === undefined ? out : { ...out, all: ofType({ type: 'boolean' }, all) };
}

function whole(value: unknown): number | null {
  const number = ofType({ type: 'integer' }, value);
  return typeof number === 'number' && Number.isInteger(number) ? number : null;
}

/** Converts the last line, given with the first, to a limit. */
function lastLine(value: unknown, out: Input, given: Input): boolean {
  const first = Object.entries(given).find(([key]) => key === 'offset' || ownValue(FIRST, plainName(key)));
  return linesTo(whole(first?.[1] ?? 1), whole(value), out);
}

/** `[first, last]`; a last line of -1 means the end. */
function range(value: unknown, out: Input): boolean {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const first = whole(value[0]);
  return first !== null && linesTo(first, whole(value[1]), out) && put(out, 'offset', first);
}

function linesTo(first: number | null, last: number | null, out: Input): boolean {
  if (last === -1) return true;
  if (first === null || last === null || first < 0 || last < Math.max(1, first)) return false;
  return put(out, 'limit', last - Math.max(1, first) + 1);
}

/** Lines before and after: the larger number applies to both. */
function around(value: unknown, out: Input): boolean {
  const lines = whole(value);
  if (lines === null) return false;
  out.context = Math.max(whole(out.context) ?? 0, lines);
  return true;
}

function seconds(value: unknown, out: Input): boolean {
  const given = whole(value);
  return given !== null && put(out, 'timeoutMs', given * 1_000);
}

/** Converts a command as a list of words to a line; for a shell call, to the line that the shell runs. */
function asLine([key, value]: readonly [string, unknown] | readonly unknown[]): [string, unknown] {
  const words = Array.isArray(value) && value.every(word => typeof word === 'string') ? value : null;
  if (key !== 'command' || words === null || words.length === 0) return [String(key), value];
  const [shell = '', option = '', line] = words;
  if (
    words.length === 3 &&
    line !== undefined &&
    /^(?:\/bin\/)?(?:ba|z)?sh$/.test(shell) &&
    /^-l?c$/.test(option)
  )
    return ['command', line];
  return ['command', words.map(quoted).join(' ')];
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
