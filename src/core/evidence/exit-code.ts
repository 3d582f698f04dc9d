/** What the exit code 0 of a command line is worth as evidence (SE1). `docs/checks.md` has it in words. */
import { readShellLine, type ShellCommand } from './shell-line.js';

/**
 * `all`: every command of the line that shows something has ended well; `last`: the last one has, and others may have
 * failed; `unknown`: it does not say how they ended; `none`: no command of the line shows anything.
 */
export type CodeSays = 'all' | 'last' | 'unknown' | 'none';

/** Longer lines, and lines in lines, are programs that nobody follows here. */
const MOST_CHARS = 20_000;
const MOST_DEPTH = 3;

interface Shell {
  /** A pipe fails where one of its commands does. */
  pipefail: boolean;
  /** It ends at the first command that fails. */
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

/** Of commands that all must end well. */
function together(parts: readonly CodeSays[]): CodeSays {
  if (parts.includes('unknown')) return 'unknown';
  if (parts.includes('last')) return 'last';
  return parts.includes('all') ? 'all' : 'none';
}

/** `hides`: it goes on as if all were well where a part of it has failed; `exits`: the line ends where it fails. */
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
  const parts = pipe.map(command => commandSays(command, shell));
  if (shell.pipefail) return together(parts);
  return together(parts.slice(0, -1)) === 'none' ? (parts.at(-1) ?? 'none') : 'last';
}

function commandSays(command: ShellCommand, { depth }: Required<Shell>): CodeSays {
  const [program = '', ...given] = plainWords(command);
  if (SHELLS.has(program)) {
    const at = given.findIndex(word => /^-\w*c$/.test(word));
    const line = given[at + 1];
    if (at >= 0 && line !== undefined) {
      const flags = given.slice(0, at + 1);
      const errexit = flags.some(word => /^-\w*e/.test(word));
      return codeSays(line, { pipefail: flags.includes('pipefail'), errexit, depth: depth + 1 });
    }
  }
  if (command.writes) return 'all';
  if (TESTS.has(program)) return given.some(looksAtSomething) ? 'all' : 'none';
  if (SILENT.has(program)) return 'none';
  return NEEDS_OPERAND.has(program) && given.every(word => /^-./.test(word)) ? 'none' : 'all';
}

/** Of `test`: files, and what a command has written. */
function looksAtSomething(word: string): boolean {
  return /^-[a-hkprstuwxGLNOS]$/.test(word) || /\$\(|`/.test(word);
}

const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh']);
const TESTS: ReadonlySet<string> = new Set(['test', '[', '[[']);
/** Commands that end with 0 whatever was done, or only set the shell up. */
const SILENT: ReadonlySet<string> = new Set(
  (
    '|true|:|false|echo|printf|exit|return|cd|pushd|popd|pwd|export|set|unset|shopt|alias|unalias|local|declare|' +
    'typeset|readonly|let|read|source|.|umask|ulimit|sleep|wait|date|whoami|hostname|uname|id|type|which|hash|' +
    'clear|history|yes|break|continue|shift|jobs|logname|tty|uptime|printenv'
  ).split('|'),
);
/** Without an operand they look at nothing in particular. */
const NEEDS_OPERAND: ReadonlySet<string> = new Set(
  'ls|dir|cat|head|tail|find|tree|wc|sort|uniq|env|ps|df|du|git|npm|node|python|python3|sed|awk|tee|less|more'.split(
    '|',
  ),
);
/** What they end with is what the command ends with that they are given. */
const WRAPPERS: ReadonlySet<string> = new Set(
  'time|nice|nohup|command|exec|builtin|sudo|env|timeout|stdbuf|setsid|ionice|!'.split('|'),
);
/** Words that make commands of commands, and commands that change what the code is. */
const NOT_FOLLOWED: ReadonlySet<string> = new Set(
  'if|then|else|elif|fi|for|while|until|do|done|case|esac|select|function|coproc|{|}|trap|eval'.split('|'),
);

function isNotFollowed(command: ShellCommand): boolean {
  const { words, joint } = command;
  const program = programOf(command);
  const turnsOff = program === 'set' && words.some(word => word.startsWith('+'));
  return joint === '&' || turnsOff || words.some(word => word === '{') || NOT_FOLLOWED.has(program);
}

/** What stands behind such a command is never reached; in place of a failure it is the right end. */
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

/** Its name without a folder; empty for a line of assignments. */
function programOf(command: ShellCommand | undefined): string {
  return (command && plainWords(command)[0]) ?? '';
}

/** Without assignments and wrappers, and what these take. */
function plainWords({ words: all }: ShellCommand): string[] {
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
