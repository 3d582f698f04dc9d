/** Recognises calls of test and build programs that run no test or target, or that end with 0 even after a failure. */

/** `none`: it lists, plans or prints, or it also ends with 0 if there was nothing to run; `unknown`: also after a failure. */
export type IdleSays = 'none' | 'unknown';

/** Returns what such a call's exit code 0 says; null for all others. `words`: without assignments and wrappers. */
export function idleSays(words: readonly string[], { all }: { all: readonly string[] }): IdleSays | null {
  const called = calledOf(words);
  const patterns = called === null ? undefined : OPTIONS.get(called.program);
  if (!called || !patterns) return null;
  // Assignments count too: PYTEST_ADDOPTS, MAKEFLAGS and the like hand options over.
  const assigned = all.filter(word => /^\w+=/.test(word));
  const text = ` ${[...assigned, ...called.words].join(' ')} `;
  if (patterns.unknown.some(pattern => pattern.test(text))) return 'unknown';
  return patterns.none.some(pattern => pattern.test(text)) ? 'none' : null;
}

/** Names of scripts and targets that test something. */
export const PROVES =
  /^t$|(?:^|[/._:-])(?:tests?|specs?|lint|checks?|type-?check|types|tsc|e2e|unit|verify|validate|audit|vet|clippy|nextest|coverage|pytest|unittest|doctest|vitest|jest|mypy)(?:[/._:-]|$)/;

const LAUNCHERS =
  /^(?:npm|pnpm|yarn|bun|uv|uvx|poetry|pipenv|hatch|pdm|rye|bundle|coverage|python[\d.]*|php|node|tsx)$/;
const PACKAGE_MANAGERS = /^(?:npm|pnpm|yarn|bun)$/;
/** Words of a launcher that stand before the program which it launches. */
const LAUNCHING = /^(?:run|run-script|exec|dlx|x|tool|--|-m|-r|-w|-s|--silent|--if-present|--recursive)$/;

/** Returns the program that does the work, and all words from the launcher on. Scripts of a package count as `script`. */
function calledOf(words: readonly string[]): { program: string; words: readonly string[] } | null {
  const [first = ''] = words;
  const isLaunched = LAUNCHERS.test(first);
  const at = isLaunched ? words.findIndex((word, index) => index > 0 && !LAUNCHING.test(word)) : 0;
  const name = words[at];
  if (name === undefined || at < 0) return null;
  const program = name.slice(name.lastIndexOf('/') + 1).replace(/\.(?:[cm]?js|phar)$/, '');
  if (OPTIONS.has(program) && program !== 'script') return { program, words };
  return PACKAGE_MANAGERS.test(first) && PROVES.test(name) ? { program: 'script', words } : null;
}

/** An option after a blank, or after the `=` of an assignment. */
const option = (names: string) => new RegExp(`[ =](?:${names})(?=[ =])`);

const LISTS = option(
  '--(?:help|version|dry-?run|no-?run|list|list-?[tT]ests(?:-xml)?|list-(?:suites|groups|files)|collect-only|co|setup-plan|' +
    'fixtures|markers|show-?[cC]onfig|print-config|show-(?:files|settings|only)|count|notest|listenvs)',
);
const NOTHING_THERE = option(
  '--(?:pass-?[wW]ith-?[nN]o-?[tT]ests|pass-on-no-patterns|no-errors?-on-unmatched(?:-pattern)?|allow-empty-input|if-present)',
);
const FORGIVES = option(
  '--(?:exit-zero|ignore-errors|fail-never|dangerouslyIgnoreUnhandledErrors|pass-on-failing-test-suite|' +
    '(?:issues-exit-code|failure-exit-code)[ =]0)',
);

interface Patterns {
  none: RegExp[];
  unknown: RegExp[];
}

const OPTIONS = new Map<string, Patterns>();
function know(programs: string, none: readonly RegExp[] = [], unknown: readonly RegExp[] = []) {
  const patterns = { none: [LISTS, NOTHING_THERE, ...none], unknown: [FORGIVES, ...unknown] };
  for (const program of programs.split(' ')) OPTIONS.set(program, patterns);
}

know('script eslint biome stylelint oxlint knip ruff flake8 pylint mypy pyright clippy golangci-lint');
know('pytest py.test nose2 phpunit rspec cucumber bats ava tap karma cypress playwright', [option('-h')]);
know('jest vitest mocha', [option('-h|-v'), / vitest (?:list|init) /]);
know('tsc vue-tsc', [option('-h|-v|--all|--init|--listFilesOnly')]);
know('tox nox', [option('-l|-a|-h'), / tox (?:list|l) /]);
know(
  'make gmake rake',
  [option('-[BbdekrRsSw]*[hnptvTP]|--(?:just-print|recon|touch)')],
  [option('-[BbdekrRsSw]*i')],
);
know('just task', [option('-[nlh]|--(?:dry|summary|choose|show)')]);
know('ctest', [option('-[NH]')]);
know('turbo nx', [option('--(?:dry|graph)')]);
know('cargo', [option('-[hV]'), / nextest list /]);
know('go', [option('-(?:h|n|c|list)'), / -run[ =]\^\$ /, / go (?:version|help|env) /]);
know('dotnet swift deno mix', [/ (?:dotnet test .*-t|swift test list) /]);
know(
  'mvn mvnw',
  [
    option('-[hv]'),
    // With another goal it is a build.
    /^(?!.* (?:compile|package|install|deploy|site) ).* -D(?:skipTests|maven\.test\.skip)(?:=true)? /,
  ],
  [option('-fn|-D(?:maven\\.test\\.failure\\.ignore|testFailureIgnore)')],
);
know('gradle gradlew', [
  option('-[mhv]'),
  / tasks /,
  /^ \S+(?: clean)?(?: (?:-x|--exclude-task)? ?(?:test|check))+ $/,
]);
