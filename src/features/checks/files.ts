/** The files of a goal's checks: those that they read, and what the goal has changed of them. */

import { type Check, type CheckResult, checksOf } from '../../run/checks/check.js';
import type { Run } from '../../workflows/run/run.js';
import { readByCheck } from './read-files.js';
import { withResult } from './rules.js';

/**
 * Notes in check results the changed files that each check read, and the current state of the files that it checked.
 */
export async function lookAtChecked(run: Run): Promise<void> {
  const { state, ports } = run;
  const { goal, settings } = state;
  const checks = checksOf(state);
  if (!goal.start || goal.checks.results.length === 0) return;
  const files = checks.flatMap(check =>
    'file' in check ? [{ path: check.file, hash: null, ref: null }] : [],
  );
  const { workspace } = settings;
  const seen = await ports.look({ at: 'now', workspace, files, since: null, start: goal.start.ref });
  ports.throwIfCancelled();
  if (!seen.ok) return;
  const { changed = [], added = [], gone = [] } = seen.value.changes ?? {};
  const here = new Map(files.map(({ path }, index) => [path, seen.value.files[index]]));
  goal.checks.results = goal.checks.results.reduce<CheckResult[]>((results, result, index) => {
    const check = checks[index];
    const read = check ? readByCheck(check, [...changed, ...added, ...gone]) : [];
    const lost = read.filter(path => gone.includes(path));
    const now = check && 'file' in check ? here.get(check.file) : undefined;
    const file = now && { path: now.path, hash: now.hash, bytes: now.bytes };
    return withResult(results, {
      ...result,
      ...(read.length > 0 && { changed: read }),
      ...(lost.length > 0 && { gone: lost }),
      ...(file && { file }),
    });
  }, []);
}

/** True if it is known that the goal has changed no file that the check reads. */
export async function readsNothingChanged(run: Run, check: Check): Promise<boolean> {
  const { state, ports } = run;
  const start = state.goal.start?.ref;
  if (!start) return false;
  const { workspace } = state.settings;
  const seen = await ports.look({ at: 'now', workspace, files: [], since: null, start });
  ports.throwIfCancelled();
  const changes = seen.ok ? seen.value.changes : null;
  if (!changes || changes.more > 0 || (changes.unseen !== null && changes.unseen !== 'ignored')) return false;
  return readByCheck(check, [...changes.changed, ...changes.added, ...changes.gone]).length === 0;
}
