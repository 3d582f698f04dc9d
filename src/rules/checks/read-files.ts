/** Which of the files that a goal has changed a check reads: what it proves, it proves with them (WK11). */
import type { Check } from '../../run/checks/check.js';

/** What runs tests, and says how: beside what stands in the command itself. */
const SETUP =
  /(?:^|\/)(?:package(?:-lock)?\.json|\.npmrc|\.yarnrc(?:\.yml)?|\.env[^/]*|[Mm]akefile|justfile|Justfile|pyproject\.toml|setup\.(?:cfg|py)|tox\.ini|pytest\.ini|conftest\.py|noxfile\.py|Cargo\.toml|go\.mod|build\.gradle(?:\.kts)?|pom\.xml|Gemfile|Rakefile|composer\.json|deno\.jsonc?|\.mocharc[^/]*|tsconfig[^/]*\.json|[^/]+\.config\.[cm]?[jt]sx?|\.git\/(?:config|hooks\/[^/]+))$/;
const TESTS =
  /(?:^|\/)(?:tests?|__tests__|__snapshots__|specs?|e2e|fixtures)\/|[._-](?:test|spec)s?\.[^/]+$|(?:^|\/)test_[^/]+\.py$|\.snap$/;

/** Of one check. */
const MOST_TOLD = 10;

/** Only a command can be given another meaning so: what a check of a file looks at is what the goal was to make. */
export function readByCheck(check: Check, changed: readonly string[]): string[] {
  if (!('run' in check)) return [];
  const words = check.run
    .split(/[\s;&|<>()'"`=]+/)
    .map(word => word.replace(/^\.\//, '').replace(/\/+$/, ''));
  const names = new Set(words.filter(word => word !== '' && word !== '.'));
  const isNamed = (path: string) =>
    path.split('/').some((_, at, all) => names.has(all.slice(0, at + 1).join('/')));
  return changed
    .filter(path => isNamed(path) || SETUP.test(path) || TESTS.test(path))
    .sort()
    .slice(0, MOST_TOLD);
}
