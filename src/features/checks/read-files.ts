/** Finds the changed files that a check reads: the goal may have altered the check itself by them (WK11). */
import type { Check } from '../../run/checks/check.js';

/** Files that configure test runs, in addition to those named in the command. */
const SETUP =
  /(?:^|\/)(?:package(?:-lock)?\.json|\.npmrc|\.yarnrc(?:\.yml)?|\.env[^/]*|[Mm]akefile|justfile|Justfile|pyproject\.toml|setup\.(?:cfg|py)|tox\.ini|pytest\.ini|conftest\.py|noxfile\.py|Cargo\.toml|go\.mod|build\.gradle(?:\.kts)?|pom\.xml|Gemfile|Rakefile|composer\.json|deno\.jsonc?|\.mocharc[^/]*|tsconfig[^/]*\.json|[^/]+\.config\.[cm]?[jt]sx?|\.git\/(?:config|hooks\/[^/]+))$/;
const TESTS =
  /(?:^|\/)(?:tests?|__tests__|__snapshots__|specs?|e2e|fixtures)\/|[._-](?:test|spec)s?\.[^/]+$|(?:^|\/)test_[^/]+\.py$|\.snap$/;

/** The maximum for one check. */
const MOST_TOLD = 10;

/** Only commands can be redefined by changed files: a check of a file looks at the goal's own product. */
export function readByCheck(check: Check, changed: readonly string[]): string[] {
  if (!('run' in check)) return [];
  const words = check.run.split(/[\s;&|<>()'"`=]+/);
  const names = new Set(words.map(word => word.replace(/^\.\//, '').replace(/\/+$/, '')));
  const isNamed = (path: string) =>
    path.split('/').some((_, at, all) => names.has(all.slice(0, at + 1).join('/')));
  return changed
    .filter(path => isNamed(path) || SETUP.test(path) || TESTS.test(path))
    .sort()
    .slice(0, MOST_TOLD);
}
