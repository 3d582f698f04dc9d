/** Tells the value of a command line's exit code 0 as evidence (SE1). `docs/checks.md` explains it. */

import { readShellLine, type ShellCommand } from '../../base/text/shell-line.js';
import { idleSays } from './idle-commands.js';
import { opensSomething } from './inline-code.js';

/**
 * `all`: every command that shows something succeeded; `last`: the last one did, and others may have failed; `unknown`:
 * the code does not tell; `none`: no command shows anything.
 */
export type CodeSays = 'all' | 'last' | 'unknown' | 'none';

/** Longer lines, and deeper nested ones, are programs that are not analysed here. */
const MOST_CHARS = 20_000;
const MOST_DEPTH = 3;

interface Shell {
  /** A pipe fails if any of its commands fails. */
  pipefail: boolean;
  /** The line ends at the first command that fails. */
  errexit?: boolean;
  depth?: number;
}

export function codeSays(line: string, { pipefail, errexit = false, depth = 0 }: Shell): CodeSays {
  const commands = line.length > MOST_CHARS || depth > MOST_DEPTH ? null : readShellLine(line);
  if (commands === null || commands.some(isNotFollowed) || endsEarly(commands)) return 'unknown';
  const shell = { pipefail, errexit, depth };
  const heard: CodeSays[] = [];
  let lost = false;
  const statements = splitAfter(commands, [';']);
  for (const [index, statement] of statements.entries()) {
    const isLast = index === statements.length - 1;
    if (programOf(statement[0]) === 'set') Object.assign(shell, optionsOf(statement));
    const { says, hides, exits } = statementSays(statement, shell);
    if (isLast || exits || shell.errexit) heard.push(says);
    else lost ||= says !== 'none';
    if (hides) lost = true;
    if (isLast && (hides || (says === 'none' && lost))) return 'unknown';
  }
  const all = together(heard);
  return lost && all === 'all' ? 'last' : all;
}

/** Combines commands that must all succeed. */
function together(parts: readonly CodeSays[]): CodeSays {
  if (parts.includes('unknown')) return 'unknown';
  if (parts.includes('last')) return 'last';
  return parts.includes('all') ? 'all' : 'none';
}

/** `hides`: it continues as if successful after a part failed; `exits`: the line ends if it fails. */
function statementSays(
  statement: readonly ShellCommand[],
  shell: Required<Shell>,
): { says: CodeSays; hides: boolean; exits: boolean } {
  const pipes = splitAfter(statement, ['&&', '||']);
  let exits = false;
  const heard: CodeSays[] = [];
  for (const [index, pipe] of pipes.entries()) {
    const isInstead = pipes[index - 1]?.at(-1)?.joint === '||';
    if (isInstead && !failsAlways(pipe)) return { says: 'none', hides: true, exits: false };
    exits = isInstead && programOf(pipe[0]) !== 'false';
    if (!isInstead) heard.push(pipeSays(pipe, shell));
  }
  return { says: together(heard), hides: false, exits };
}

function pipeSays(pipe: readonly ShellCommand[], shell: Required<Shell>): CodeSays {
  // A command after `!` has failed: that is meaningful for a program that looks, and for no other.
  if (isNegated(pipe[0]) && !pipe.every(isLook)) return 'unknown';
  const parts = pipe.map(command => commandSays(command, shell));
  if (shell.pipefail) return together(parts);
  // What prints may have printed nothing for the next.
  const isAlone = together(parts.slice(0, -1)) === 'none' && !pipe.slice(0, -1).some(isPrint);
  return isAlone ? (parts.at(-1) ?? 'none') : 'last';
}

function isNegated(command: ShellCommand | undefined): boolean {
  const words = command?.words ?? [];
  return words.slice(0, words.length - (command ? plainWords(command).length : 0)).includes('!');
}

export function isLook(command: ShellCommand): boolean {
  const [program = '', sub = ''] = plainWords(command);
  return LOOKS.has(program) || SILENT.has(program) || (program === 'git' && GIT_LOOKS.has(sub));
}

function commandSays(command: ShellCommand, shell: Required<Shell>): CodeSays {
  const [program = '', ...given] = plainWords(command);
  const within = withinSays(program, given, command, shell);
  if (within !== null) return within;
  const idle = idleSays([program, ...given], { all: command.words });
  if (idle !== null) return idle;
  if (command.writes) return 'all';
  if (TESTS.has(program)) return testSays(given, shell);
  if (SILENT.has(program)) return 'none';
  const own = ownCode(program, given, command.given);
  if (own !== null) return opensSomething(own) ? 'all' : 'none';
  if (looksNowhere(program, given)) return 'none';
  if (isPrint(command) && !isNegated(command)) return 'none';
  const hasOperand = command.reads || given.some(word => !/^-./.test(word) || word === '--test');
  return NEEDS_OPERAND.has(program) && !hasOperand ? 'none' : 'all';
}

/** True if it looks only at what is always there, or compares a file with itself. */
function looksNowhere(program: string, given: readonly string[]): boolean {
  if (!LOOKS.has(program)) return false;
  const operands = given.filter(word => !/^-./.test(word));
  const isSame = (program === 'diff' || program === 'cmp') && operands[0] === operands[1];
  return operands.length > 0 && (isSame || operands.every(word => NOWHERE.has(word)));
}

const NOWHERE: ReadonlySet<string> = new Set(['/dev/null', '.', './', '/', '..', '/tmp']);

/** True if it only prints what is there, as the tool `read` does: no work leads to another code. */
function isPrint(command: ShellCommand): boolean {
  const [program = '', ...given] = plainWords(command);
  if (program !== 'git') return PRINTS.has(program);
  const at = given.findIndex(
    (word, index) => !word.startsWith('-') && !/^-[Cc]$/.test(given[index - 1] ?? ''),
  );
  const [sub = '', ...options] = given.slice(at);
  return GIT_PRINTS.has(sub) && !options.some(word => /^--(?:exit-code|quiet|check)$/.test(word));
}

/** Evaluates the commands that a program runs. Null: it runs no commands. */
function withinSays(
  program: string,
  given: readonly string[],
  command: ShellCommand,
  shell: Required<Shell>,
): CodeSays | null {
  if (SHELLS.has(program)) return shellSays(given, command, shell);
  if (program === 'xargs') {
    const at = given.findIndex(word => !/^(?:-.*|\d+|\{\})$/.test(word));
    return at < 0 ? null : commandSays({ ...command, words: given.slice(at), reads: true }, shell);
  }
  const at = given.findIndex(word => /^-(?:exec|ok)(?:dir)?$/.test(word));
  if (program !== 'find' || at < 0) return null;
  const end = given.findIndex((word, index) => index > at && (word === ';' || word === '+'));
  // Only with `+` does its own code depend on the command's.
  if (given[end] !== '+') return 'unknown';
  const says = commandSays({ ...command, words: given.slice(at + 1, end) }, shell);
  return says === 'none' ? 'all' : says;
}

/** Evaluates a nested line: an argument, or the shell's input. */
function shellSays(
  given: readonly string[],
  command: ShellCommand,
  { depth }: Required<Shell>,
): CodeSays | null {
  const at = given.findIndex(word => /^-\w*c$/.test(word));
  const line = given[at + 1];
  if (at >= 0 && line !== undefined) {
    const flags = given.slice(0, at + 1);
    if (flags.some(word => /^-\w*n/.test(word))) return 'none';
    const errexit = flags.some(word => /^-\w*e/.test(word));
    return codeSays(line, { pipefail: flags.includes('pipefail'), errexit, depth: depth + 1 });
  }
  if (command.reads || given.some(word => !word.startsWith('-'))) return null;
  return command.given === null ? 'unknown' : codeSays(command.given, { pipefail: false, depth: depth + 1 });
}

/** Evaluates `test`, which looks at files, and at a command's output. */
function testSays(given: readonly string[], shell: Required<Shell>): CodeSays {
  const lines = given.flatMap(word => SUBSTITUTION.exec(word)?.slice(1).find(Boolean) ?? []);
  const compares = given.some(word => COMPARES.has(word));
  const parts = lines.map(line => {
    const commands = readShellLine(line);
    const says = codeSays(line, { ...shell, pipefail: true, depth: shell.depth + 1 });
    if (says === 'none' && !commands?.every(isPrint)) return 'none';
    // The command's own code is lost. Its output counts if it is compared, or if it only looks.
    return compares || commands?.every(isLook) ? 'all' : 'unknown';
  });
  const looksAt = (word: string, at: number) =>
    /^-[a-hkprstuwxGLNOS]$/.test(word) && !NOWHERE.has(given[at + 1] ?? '');
  if (given.some(looksAt)) parts.push('all');
  return together(parts);
}

export const SUBSTITUTION = /\$\(([\s\S]*)\)|`([\s\S]*)`/;
const COMPARES: ReadonlySet<string> = new Set('= == -eq -lt -le -gt -ge =~'.split(' '));

/** Returns an interpreter's inline code, from an argument or the input; null if it runs a file. */
export function ownCode(program: string, given: readonly string[], input: string | null): string | null {
  if (program === 'awk' || program === 'gawk' || program === 'mawk')
    return given.length === 1 && /^\s*BEGIN\b/.test(given[0] ?? '') ? '' : null;
  const flag = INTERPRETERS.find(([name]) => name.test(program))?.[1];
  if (!flag) return null;
  for (let at = 0; at < given.length; at += 1) {
    const word = given[at] ?? '';
    if (/^--(?:eval|print)=/.test(word)) return word.slice(word.indexOf('=') + 1);
    // With `-n` and `-p`, Perl and Ruby read the files named after the code.
    if (flag.test(word))
      return /^-\w*[np]\w*e$/.test(word) && given.length > at + 2 ? null : (given[at + 1] ?? '');
    if (TAKES_VALUE.test(word)) at += 1;
    else if (word === '-' || word === '/dev/stdin') return input ?? '';
    else if (!word.startsWith('-')) return null;
  }
  return input;
}

/** Interpreters, each with the flags that stand before inline code. */
const INTERPRETERS: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:python[\d.]*|pypy3?)$/, /^-\w*c$/],
  [/^(?:node|bun|deno|tsx|ts-node)$/, /^(?:-e|-p|-pe|--eval|--print|eval)$/],
  [/^(?:perl|ruby|lua|php|Rscript|osascript)$/, /^-\w*[eEr]$/],
];
const TAKES_VALUE = /^(?:-r|--require|--import|--loader|--experimental-loader|-W|-X|-I|-M|-C)$/;

export const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh']);
const TESTS: ReadonlySet<string> = new Set(['test', '[', '[[']);
/** Programs whose failure is meaningful too: nothing was found, or files differ. */
const LOOKS: ReadonlySet<string> = new Set(
  'grep|egrep|fgrep|rg|ag|test|[|[[|diff|cmp|find|ls|stat|cat|head|tail|wc|sort|uniq|cut'.split('|'),
);
const GIT_LOOKS: ReadonlySet<string> = new Set(
  'diff|grep|status|log|ls-files|show|rev-parse|branch|tag'.split('|'),
);
const PRINTS: ReadonlySet<string> = new Set('cat|head|tail|less|more|nl|stat|file|tree'.split('|'));
const GIT_PRINTS: ReadonlySet<string> = new Set(['status', 'diff', 'log', 'show']);
/** Commands that end with 0 regardless of the work, or only set up the shell. */
const SILENT: ReadonlySet<string> = new Set(
  (
    '|true|:|false|echo|printf|exit|return|cd|pushd|popd|pwd|export|set|unset|shopt|alias|unalias|local|declare|' +
    'typeset|readonly|let|read|source|.|umask|ulimit|sleep|wait|date|whoami|hostname|uname|id|type|which|hash|' +
    'clear|history|yes|break|continue|shift|jobs|logname|tty|uptime|printenv|expr|seq|bc|dc|basename|dirname'
  ).split('|'),
);
/** Programs that look at nothing in particular without an operand. */
const NEEDS_OPERAND: ReadonlySet<string> = new Set(
  'ls|dir|cat|head|tail|find|tree|wc|sort|uniq|env|ps|df|du|git|npm|node|python|python3|sed|awk|tee|less|more'.split(
    '|',
  ),
);
/** Programs that end with the code of the command that they run. */
const WRAPPERS: ReadonlySet<string> = new Set(
  'time|nice|nohup|command|exec|builtin|sudo|env|timeout|stdbuf|setsid|ionice|npx|bunx|!'.split('|'),
);
/** Words that compose commands, and commands that change the meaning of the code. */
const NOT_FOLLOWED: ReadonlySet<string> = new Set(
  'if|then|else|elif|fi|for|while|until|do|done|case|esac|select|function|coproc|{|}|trap|eval'.split('|'),
);

function isNotFollowed(command: ShellCommand): boolean {
  const { words, joint } = command;
  const program = programOf(command);
  const turnsOff = program === 'set' && words.some(word => word.startsWith('+'));
  return joint === '&' || turnsOff || words.some(word => word === '{') || NOT_FOLLOWED.has(program);
}

/** True if an `exit` or `return` keeps later commands from running. After `||` it only ends a line that has failed. */
function endsEarly(commands: readonly ShellCommand[]): boolean {
  return commands.some((command, index) => {
    const isEnd =
      ['exit', 'return'].includes(programOf(command)) ||
      (command.words[0] === 'exec' && command.words.length > 1);
    return isEnd && index < commands.length - 1 && commands[index - 1]?.joint !== '||';
  });
}

function failsAlways([command, ...more]: readonly ShellCommand[]): boolean {
  if (!command || more.length > 0) return false;
  const [program, code] = plainWords(command);
  return (
    program === 'false' || ((program === 'exit' || program === 'return') && /^[1-9]\d*$/.test(code ?? ''))
  );
}

function optionsOf([command]: readonly ShellCommand[]): Partial<Shell> {
  const words = command?.words ?? [];
  const errexit = words.includes('errexit') || words.some(word => /^-[a-zA-Z]*e/.test(word));
  return { ...(errexit && { errexit }), ...(words.includes('pipefail') && { pipefail: true }) };
}

/** Returns the program's name without a folder; '' for a line of assignments. */
function programOf(command: ShellCommand | undefined): string {
  return (command && plainWords(command)[0]) ?? '';
}

/** Returns the words without assignments and wrappers, and their arguments. */
export function plainWords({ words: all }: ShellCommand): string[] {
  let words = all;
  for (;;) {
    const first = words[0];
    if (first === undefined) return [''];
    const name = first.slice(first.lastIndexOf('/') + 1);
    const isTaken = words.length < all.length && /^(?:-.*|\d+[smhd]?)$/.test(first);
    if (!isTaken && !/^\w+\+?=/.test(first) && !WRAPPERS.has(name)) return [name, ...words.slice(1)];
    words = words.slice(1);
  }
}

function splitAfter(
  commands: readonly ShellCommand[],
  joints: readonly (ShellCommand['joint'] & string)[],
): ShellCommand[][] {
  const parts: ShellCommand[][] = [[]];
  for (const [index, command] of commands.entries()) {
    parts.at(-1)?.push(command);
    const isJoint = joints.some(joint => joint === command.joint);
    if (isJoint && index < commands.length - 1) parts.push([]);
  }
  return parts;
}

/** Judges by the exit codes that a result states: any code but 0 counts, because a command may print a 0 itself. */
export function endedBadly(said: string): boolean {
  const codes = [EXIT_CODES, NAMED_CODES].flatMap(pattern => [...said.matchAll(pattern)]);
  return CUT_OFF.test(said) || codes.some(([, code]) => Number(code) !== 0);
}

const CUT_OFF = /^(?:timed out|cancelled|ended by)\b/;
const EXIT_CODES = /\bexit(?:ed)?\b\D*(\d+)/gi;
/** Exit codes in the fields in which other servers report them. */
const NAMED_CODES = /\b(?:exit_?(?:code|status)|return[_ ]?code)\W{1,6}(\d+)/gi;
