/** Tells if a command line may change files: earlier results then say nothing about the state after it. */

import { readShellLine, type ShellCommand } from '../../base/text/shell-line.js';
import { isLook, ownCode, plainWords, SHELLS, SUBSTITUTION } from '../../rules/tools/exit-code.js';
import { PROVES } from '../../rules/tools/idle-commands.js';

const MOST_CHARS = 20_000;
const MOST_DEPTH = 3;

/** True unless the line is known only to test, build or look. */
export function mayAlter(line: string, depth = 0): boolean {
  const commands = line.length > MOST_CHARS || depth > MOST_DEPTH ? null : readShellLine(line);
  return commands === null || commands.some(command => alters(command, depth));
}

/** True if the line changes files after a test of them: the test's result then describes files that no longer exist. */
export function testsThenAlters(line: string, depth = 0): boolean {
  const commands = line.length > MOST_CHARS || depth > MOST_DEPTH ? null : readShellLine(line);
  if (commands === null) return false;
  const nested = commands.map(command => lineOf(programOf(command), plainWords(command).slice(1), command));
  if (nested.some(each => each !== null && testsThenAlters(each, depth + 1))) return true;
  const first = commands.findIndex(isTest);
  return first >= 0 && commands.slice(first + 1).some(altersSurely);
}

function isTest(command: ShellCommand): boolean {
  const [program = '', ...given] = plainWords(command);
  if (isLook(command)) return false;
  const [named = ''] = given.filter(isOperand);
  return PROVES.test(program) || (RUNS.test(program) && (PROVES.test(named) || given.includes('--test')));
}

function altersSurely(command: ShellCommand): boolean {
  const [program = '', ...given] = plainWords(command);
  if (program === 'git') return GIT_ALTERS.has(given.find(isOperand) ?? '');
  return given.some(word => MENDS.test(word) || MENDS_BY.get(program)?.test(word));
}

function programOf(command: ShellCommand): string {
  return plainWords(command)[0] ?? '';
}

function isOperand(word: string): boolean {
  return !/^[-+]|^\w+=/.test(word) && !PASSED_OVER.has(word);
}

function alters(command: ShellCommand, depth: number): boolean {
  const [program = '', ...given] = plainWords(command);
  const within = [...command.words.map(substituted), lineOf(program, given, command)].filter(
    line => line !== null,
  );
  if (command.writes || within.some(line => mayAlter(line, depth + 1))) return true;
  // A shell that gets a line runs nothing else.
  if (SHELLS.has(program) && lineOf(program, given, command) !== null) return false;
  if (given.some(word => MENDS.test(word) || MENDS_BY.get(program)?.test(word))) return true;
  const code = ownCode(program, given, command.given);
  if (code !== null && code !== '') return WRITES.test(code);
  return !isStill(program, given, command, depth);
}

function substituted(word: string): string | null {
  return SUBSTITUTION.exec(word)?.slice(1).find(Boolean) ?? null;
}

/** Returns the line that a shell gets, else null. */
function lineOf(program: string, given: readonly string[], command: ShellCommand): string | null {
  if (!SHELLS.has(program)) return null;
  const at = given.findIndex(word => /^-\w*c$/.test(word));
  return (at < 0 ? command.given : given[at + 1]) ?? null;
}

function isStill(program: string, given: readonly string[], command: ShellCommand, depth: number): boolean {
  const operands = given.filter(isOperand);
  const [first = ''] = operands;
  if (program === 'find' || program === 'xargs') {
    const at =
      program === 'find' ? given.findIndex(word => /^-(?:exec|ok)/.test(word)) + 1 : given.indexOf(first);
    const words = at > 0 || program === 'xargs' ? given.slice(at).filter(word => word !== ';') : [];
    return !given.includes('-delete') && (words.length === 0 || !alters({ ...command, words }, depth));
  }
  if (program === 'git') return !GIT_ALTERS.has(first);
  if (program === 'source' || program === '.') return false;
  if (isLook(command) || STILL.has(program) || PROVES.test(program)) return true;
  if (FORMATTERS.has(program))
    return given.some(word => /^(?:-c|--check|--list-different|-l|--diff)$/.test(word));
  if (!RUNS.test(program)) return false;
  if (given.includes('--test') || given.includes('--check')) return true;
  const named = program === 'make' || program === 'just' ? operands : operands.slice(0, 1);
  const isProof = (name: string) => (PROVES.test(name) || BUILDS.test(name)) && !MENDS_BY_NAME.test(name);
  return named.length > 0 && named.every(isProof);
}

const set = (names: string): ReadonlySet<string> => new Set(names.split(' '));

/** Words before the program or script that is run. */
const PASSED_OVER = set('run run-script exec -m');
/** Programs that read, test or query without changing files of the project. */
const STILL = set(
  'awk gawk jq yq column nl od xxd hexdump file du df ps tree less more env md5sum sha1sum sha256sum cksum tac rev tr fold paste comm join strings sed curl ping dig nslookup kill ' +
    'vitest jest mocha ava tap pytest py.test tox nox mypy pyright flake8 pylint pyflakes tsc vue-tsc eslint biome stylelint oxlint knip rspec phpunit ctest shellcheck hadolint golangci-lint ruff',
);
const FORMATTERS = set('prettier black isort rustfmt gofmt autopep8 yapf');
const RUNS =
  /^(?:npm|pnpm|yarn|bun|deno|node|tsx|ts-node|python[\d.]*|ruby|perl|php|sh|bash|dash|zsh|cargo|go|make|just|gradlew?|mvnw?|dotnet|mix|rake|bundle|uv|poetry|pipenv|hatch|sbt|swift|zig)$/;
const BUILDS = /^(?:build|compile|doc|bench|package|assemble|ls|list|outdated|view|why|tree|version)(?::|$)/;
const MENDS_BY_NAME = /(?:^|[:_-])(?:fix|write|format|fmt|update|generate|gen)(?:[:_.-]|$)/;
/** Options that make a reporting program change files. */
const MENDS = /^--(?:fix|write|apply|in-place|update|output|overwrite|unsafe|save)(?![\w])/;
const MENDS_BY: ReadonlyMap<string, RegExp> = new Map([
  ['sed', /^-\w*i/],
  ['perl', /^-(?![MmI])\w*i/],
  ['ruby', /^-(?![rI])\w*i/],
  ['awk', /\bprintf?\b[^;}]*>/],
  ['gawk', /\bprintf?\b[^;}]*>/],
  ['yq', /^-\w*i|^--inplace$/],
  ['find', /^-f(?:print|ls)/],
  ['xxd', /^-\w*r/],
  ['curl', /^-\w*[oOT]/],
  ['sort', /^-o/],
  ['vitest', /^-u$/],
  ['jest', /^-u$/],
  ['ruff', /^format$/],
]);
const GIT_ALTERS = set(
  'checkout switch restore reset apply am stash merge rebase pull revert clean cherry-pick rm mv submodule worktree clone init',
);
/** Calls that write, in a program's inline code. */
const WRITES =
  /\b(?:write\w*|append\w*|unlink\w*|rm\w*|rename\w*|mkdir\w*|copy\w*|remove\w*|move|truncate|touch|exec\w*|spawn\w*|system|popen|run|call|check_\w+|replace_file)\s*\(|\bopen\s*\([^)]*,\s*(?:mode\s*=\s*)?['"][^'"]*[wax+]/i;
