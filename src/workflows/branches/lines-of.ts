import { inPlanOrder } from '../../core/plan/branches.js';
import { isAtWork } from '../../core/state/cursor.js';
import type { Run } from '../run.js';
import { BranchGroup } from './branch-group.js';
import { BranchRun } from './branch-run.js';

/** The branches whose tasks have not ended, in plan order, while they stand at a safe point. */
export function linesOf(run: Run): BranchRun[] {
  const { cursor, tasks } = run.state;
  return inPlanOrder(cursor.branches, tasks)
    .filter(isAtWork)
    .map(branch => new BranchRun(run, branch, new BranchGroup()));
}
