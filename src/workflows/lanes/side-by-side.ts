/**
 * Tasks side by side: each in a lane, on a fork of the conversation. What is wanted of the whole run, such as to
 * read a message, is done on the main line, while every lane stands at a safe point.
 */

import { carrierOf, EXECUTOR } from '../../core/agents/capabilities.js';
import { inPlanOrder, newLane, tasksToBegin } from '../../core/plan/lanes.js';
import { callsNext, here, isAtWork, type Lane } from '../../core/state/cursor.js';
import { executionAt } from '../../core/state/place.js';
import { isHeld } from '../../core/state/run-state.js';
import { lendSessions } from '../../core/tools/tool-session.js';
import { introduce } from '../brief.js';
import { hears, isHeard, listen } from '../hearing.js';
import type { GoalEnd } from '../phases/conclude.js';
import { answerFor, concludeEarly } from '../phases/conclude.js';
import { answerConsultation } from '../phases/consultation.js';
import { beginTask } from '../phases/notes.js';
import { budgetAsked, raiseBudget } from '../phases/rescue.js';
import { workOn } from '../phases/task.js';
import type { Run } from '../run.js';
import { safePoint } from '../turn/safe-point.js';
import { applySteering } from '../turn/take-steering.js';
import { usedBudgets } from '../turn/turn-loop.js';
import { joinLanes, takeBack } from './close-lanes.js';
import { Crew } from './crew.js';
import { GaveWay, isSpokenTo, LaneRun } from './lane-run.js';

/** The main line, until a lane wants something of it; null: go on at the cursor. */
export async function sideBySide(run: Run): Promise<GoalEnd | null> {
  const { state } = run;
  const wait = safePoint(run, () => hears(run, EXECUTOR));
  if (wait) await wait;
  if (isHeld(state)) {
    listen(run, EXECUTOR);
    return null;
  }
  if (state.people.stop) return answerFor(run, 'stopped');
  const asked = budgetAsked(run);
  if (asked === null && isHeard(run, EXECUTOR) && applySteering(run, EXECUTOR)) return null;
  if (takeFailure(run)) return null;
  beginLanes(run);
  if (!state.cursor.lanes.some(isAtWork)) {
    joinLanes(run);
    return null;
  }
  const budgets = state.cursor.lanes.some(callsNext) ? usedBudgets(run) : [];
  const budget = asked ?? budgets[0];
  if (budget) {
    const isRaised = await raiseBudget(run, budget);
    return isRaised ? null : concludeEarly(run, { kind: 'budget_used', budgets });
  }
  return settle(run, await open(run));
}

/** How to go on after a failed task is settled on the main line. True: there is one. */
function takeFailure(run: Run): boolean {
  const { cursor, tasks } = run.state;
  const failed = inPlanOrder(cursor.lanes, tasks).find(
    ({ cursor: { place } }) => place.phase === 'execution' && place.step.kind === 'failed',
  );
  if (!failed) return false;
  const { cycle } = cursor.place;
  failed.cursor.place = executionAt(cycle);
  run.moveTo(executionAt(cycle, { kind: 'failed', taskId: failed.taskId }));
  return true;
}

/** Begins the tasks that there is room for. Returns their lanes. */
function beginLanes(run: Run): Lane[] {
  const { state } = run;
  const { cursor } = state;
  const begun = tasksToBegin(state.tasks, { lanes: cursor.lanes, atOnce: run.limits.parallelTasks });
  for (const task of begun) introduce(run, run.role(carrierOf(run.pinned, task)));
  takeBack(
    state,
    cursor.lanes.filter(lane => !isAtWork(lane)),
  );
  const lanes = begun.map(({ id }) => {
    const { lent, left } = lendSessions(state.tools.sessions);
    state.tools.sessions = left;
    return newLane(id, cursor.place.cycle, lent);
  });
  for (const task of begun) beginTask(run, task);
  cursor.lanes.push(...lanes);
  run.show();
  return lanes;
}

interface Opened {
  crew: Crew;
  /** What the goal ends with, by lane. */
  ends: Map<Lane, GoalEnd>;
  thrown: unknown[];
}

/** Lets the lanes work until each has ended or given way. */
async function open(run: Run): Promise<Opened> {
  const opened: Opened = { crew: new Crew(), ends: new Map(), thrown: [] };
  await follow(run, run.state.cursor.lanes.filter(isAtWork), opened);
  return opened;
}

async function follow(run: Run, lanes: readonly Lane[], opened: Opened): Promise<void> {
  const lines = lanes.map(lane => new LaneRun(run, lane, opened.crew));
  for (const line of lines) opened.crew.working.add(line);
  await Promise.all(lines.map(line => followOne(run, line, opened)));
}

/** The room of a task that has ended is the next one's at once. */
async function followOne(run: Run, line: LaneRun, opened: Opened): Promise<void> {
  const { crew, ends, thrown } = opened;
  const { lane } = line;
  try {
    const end = await work(line);
    if (end) ends.set(lane, end);
    const { place } = lane.cursor;
    if (end || place.phase !== 'execution' || place.step.kind === 'failed') crew.isCalled = true;
  } catch (error) {
    if (!(error instanceof GaveWay)) {
      thrown.push(error);
      crew.isCalled = true;
    }
  } finally {
    crew.working.delete(line);
  }
  const { people } = run.state;
  if (isAtWork(lane) || crew.isCalled || people.stop || isHeld(run.state)) return;
  await follow(run, beginLanes(run), opened);
}

/** Works on the task until it has ended, or until what it came to is for the main line. */
async function work(line: LaneRun): Promise<GoalEnd | null> {
  const { cursor, taskId } = line.lane;
  for (;;) {
    const at = here(cursor);
    if (at.phase === 'consultation') {
      await answerConsultation(line, at);
      continue;
    }
    const task = line.state.tasks.find(({ id }) => id === taskId);
    if (at.phase !== 'execution' || !isAtWork(line.lane) || !task) return null;
    const end = await workOn(line, at, task);
    if (end) return end;
  }
}

/** Does what the lanes came back for. The first of them in plan order says how the goal goes on. */
async function settle(run: Run, { crew, ends, thrown }: Opened): Promise<GoalEnd | null> {
  const { cursor, tasks } = run.state;
  if (thrown.length > 0) throw thrown[0];
  const lanes = inPlanOrder(cursor.lanes, tasks);
  for (const lane of lanes) {
    const end = ends.get(lane);
    if (end) return end;
    if (lane.cursor.place.phase === 'execution') continue;
    cursor.place = lane.cursor.place;
    return null;
  }
  // A message that lets the calls of another run first waits with them.
  const isIdle = (lane: Lane) =>
    crew.waits.has(lane) || (isSpokenTo(run.state, lane) && !isHeard(run, EXECUTOR));
  const isOver = crew.isCalled || crew.waits.size === 0;
  if (!isOver && lanes.filter(isAtWork).every(isIdle)) await waitForAny(run, crew);
  return null;
}

/** Every lane waits for a person: the time is none of the goal's. */
async function waitForAny(run: Run, { waits }: Crew): Promise<void> {
  const { state } = run;
  const all = [...waits.values()];
  const deadlines = all.flatMap(({ deadline }) => (deadline === null ? [] : [deadline]));
  const isWanted = () => state.people.stop !== null || isHeld(state) || isHeard(run, EXECUTOR);
  await run.waitForPerson(
    () => all.some(({ isOver }) => isOver()) || isWanted(),
    deadlines.length > 0 ? Math.min(...deadlines) : null,
    all.map(({ what }) => what).join('; '),
  );
}
