/** How tasks that run side by side come together again. */

import { inPlanOrder } from '../../core/plan/lanes.js';
import type { Task } from '../../core/plan/plan.js';
import { isAtWork, type Lane } from '../../core/state/cursor.js';
import { joinForks } from '../../core/state/forks.js';
import type { RunState } from '../../core/state/run-state.js';
import { takeBackSessions } from '../../core/tools/tool-session.js';
import { closeGates } from '../gates.js';
import type { Run } from '../run.js';
import { type BatchEnd, closeOpenCalls } from '../turn/tools/batch.js';
import { Crew } from './crew.js';
import { LaneRun } from './lane-run.js';

/** In plan order, all of them at once: the conversation goes on with what each of them has. */
export function joinLanes({ state }: Run): void {
  const { cursor, tasks, threads } = state;
  takeBack(state, cursor.lanes);
  for (const { taskId } of inPlanOrder(cursor.lanes, tasks)) joinForks(threads, taskId);
  cursor.lanes = [];
}

/** The sessions of lanes that have ended are the run's again. */
export function takeBack({ tools }: RunState, ended: readonly Lane[]): void {
  for (const lane of ended) {
    tools.sessions = takeBackSessions(tools.sessions, lane.sessions);
    lane.sessions = [];
  }
}

/**
 * Ends the lanes of a goal that does not go on with them: open calls get their results, and nobody is asked any more.
 * `open`: what becomes of the tasks at work; for the next plan they are to be done still.
 */
export function closeLanes(run: Run, open: 'executing' | 'pending', end: BatchEnd = notCarriedOn(run)): void {
  const { state } = run;
  const lanes = inPlanOrder(state.cursor.lanes, state.tasks);
  if (lanes.length === 0) return;
  for (const lane of lanes) closeOpenCalls(new LaneRun(run, lane, new Crew()), end);
  closeGates(run, '', end.why);
  const left = new Map(lanes.filter(isAtWork).map(lane => [lane.taskId, lane]));
  state.tasks = state.tasks.map(task => withEnd(task, left.get(task.id), open));
  joinLanes(run);
}

function withEnd(task: Task, lane: Lane | undefined, open: 'executing' | 'pending'): Task {
  if (!lane || task.status !== 'executing') return task;
  return open === 'pending'
    ? { ...task, status: 'pending' }
    : { ...task, rounds: lane.cursor.place.turns.round };
}

function notCarriedOn({ state, words }: Run): BatchEnd {
  if (state.people.stop) return { ending: 'cancelled', note: words.noteRunStopped, why: 'stop' };
  return { ending: 'skipped', note: words.noteNotCarriedOn, why: 'the work on the plan has ended' };
}
