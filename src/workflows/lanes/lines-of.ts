import { inPlanOrder } from '../../core/plan/lanes.js';
import { isAtWork } from '../../core/state/cursor.js';
import type { Run } from '../run.js';
import { Crew } from './crew.js';
import { LaneRun } from './lane-run.js';

/** The lanes whose tasks have not ended, in plan order, while they stand at a safe point. */
export function linesOf(run: Run): LaneRun[] {
  const { cursor, tasks } = run.state;
  return inPlanOrder(cursor.lanes, tasks)
    .filter(isAtWork)
    .map(lane => new LaneRun(run, lane, new Crew()));
}
