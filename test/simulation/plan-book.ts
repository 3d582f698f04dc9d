/**
 * What people were promised of a plan: tasks that they added or changed are done in their words, or named as not done,
 * and those that they left out of a plan never run.
 */

import { isRecord } from '../../src/base/json/json.js';
import type { PlannedTask, Task } from '../../src/run/plan/plan.js';
import { isOpen } from '../../src/run/plan/plan.js';
import type { JournalEvent } from '../../src/run/state/journal.js';
import type { RunState } from '../../src/run/state/run-state.js';
import { expectThat } from './expect-that.js';

interface PromisedTask {
  description: string;
  /** The journal's last event when it was promised: what came before is of an earlier life of its id. */
  since: number;
  begun: boolean;
  /** How it ended last, in words; null while it did not. */
  end: string | null;
}

/** What a person says of a plan. `isWhole`: these tasks stand in place of all that are open. */
export interface PlanEdit {
  input: unknown;
  /** As the tasks were when it came. */
  before: readonly Task[];
  isWhole: boolean;
}

/** Ends of tasks that did not begin, each of which says that it was not done. */
const NOT_BEGUN = [
  'skipped replanned',
  'skipped orchestrated',
  'blocked dependency_failed',
  'blocked aborted',
];

const REMOVED = 'removed by a person';

/** A verdict ends no goal whose tasks are open: only what leaves no room for them does. */
const BY_VERDICT = [
  'verified',
  'tasks_open',
  'tasks_failed',
  'failed:tasks',
  'verdict_incomplete',
  'not_confirmed',
];

/** What says of a plan that all of it is done. */
const ALL_DONE = ['verified', 'carried_out'];

type Field = Exclude<keyof PlannedTask, 'id'>;
const FIELDS: readonly Field[] = [
  'description',
  'priority',
  'dependencies',
  'requiredCapabilities',
  'estimatedDuration',
  'completionCriteria',
];

export class PlanBook {
  readonly #tasks = new Map<string, PromisedTask>();
  /** Tasks that a person left out of a plan, or gave up with it. */
  readonly #removed = new Set<string>();
  /** A person has just approved where their message leads, be it to a plan without what they set before. */
  #isApproved = false;
  readonly #seen: Set<string>;

  constructor(seen: Set<string>) {
    this.#seen = seen;
  }

  /** It was taken: the plan is what the person made of it. */
  edited({ tasks, log: { journal } }: RunState, { input, before, isWhole }: PlanEdit): void {
    const items = isRecord(input) && Array.isArray(input.tasks) ? input.tasks.filter(isRecord) : [];
    const ids = items.map(({ id }) => String(id));
    const gone = isWhole ? before.filter(task => isOpen(task) && !ids.includes(task.id)) : [];
    if (gone.length > 0) this.#seen.add('tasks left out by a person');
    for (const { id } of gone) {
      this.#removed.add(id);
      this.#tasks.delete(id);
    }
    for (const item of items) {
      const id = String(item.id);
      const old = before.find(task => task.id === id);
      const now = tasks.find(task => task.id === id);
      expectThat(now !== undefined, `${id} was taken into the plan, and is not in it`);
      const left = gone.map(task => task.id);
      const changed = FIELDS.filter(field => isChanged(field, { item, old, now, left }));
      if (old && changed.length === 0) continue;
      if (old && changed.length < 3) this.#seen.add('a field of a task changed by a person');
      this.#removed.delete(id);
      const { description } = now;
      this.#tasks.set(id, { description, since: journal.lastSeq, begun: false, end: null });
    }
  }

  happened(event: JournalEvent, state: RunState): void {
    switch (event.type) {
      case 'gate_closed':
        this.#isApproved = event.kind === 'route' && event.by === 'person' && event.decision === 'approve';
        return;
      case 'model_call_started':
        this.#isApproved = false;
        return;
      case 'task_started': {
        expectThat(!this.#removed.has(event.taskId), `${event.taskId} begins, and a person left it out`);
        const promised = this.#promised(event);
        if (!promised) return;
        Object.assign(promised, { begun: true, end: null });
        expectThat(
          event.description === promised.description,
          `${event.taskId} begins as "${event.description}", and a person wants "${promised.description}"`,
        );
        return;
      }
      case 'task_ended': {
        const promised = this.#promised(event);
        if (!promised) return;
        if (event.reason === REMOVED) {
          expectThat(this.#isApproved, `${event.taskId} is ${REMOVED}, and nobody did`);
          this.#removed.add(event.taskId);
          this.#tasks.delete(event.taskId);
          return;
        }
        promised.end = `${event.status} ${event.reason}`;
        const fair = promised.begun || NOT_BEGUN.includes(promised.end);
        expectThat(fair, `${event.taskId} of a person ended as ${promised.end}, and was not worked on`);
        return;
      }
      case 'goal_ended':
        this.#goalEnded(event, state);
        return;
      default:
    }
  }

  #promised({ taskId, seq }: { taskId: string; seq: number }): PromisedTask | null {
    const promised = this.#tasks.get(taskId);
    return promised && seq > promised.since ? promised : null;
  }

  /** Whatever else comes into the plan, what a person wants of it stays in their words until it is done. */
  safePoint({ tasks }: RunState): void {
    for (const { id, description, status } of tasks) {
      const promised = this.#tasks.get(id);
      const stays = !promised || status === 'completed' || description === promised.description;
      const [is, wanted] = [description, promised?.description ?? ''].map(text => text.slice(0, 80));
      expectThat(stays, `${id} is "${is}", and a person wants "${wanted}"`);
    }
  }

  #goalEnded(
    { number, seq }: Extract<JournalEvent, { type: 'goal_ended' }>,
    { goal, goals, tasks }: RunState,
  ): void {
    const ended = goals.find(each => each.number === number);
    expectThat(ended !== undefined, `goal ${number} ended, and is not on record`);
    this.#removed.clear();
    for (const [id, promised] of this.#tasks) {
      if (promised.since > seq) continue;
      this.#tasks.delete(id);
      // Those of a goal that has begun since are others.
      const task = goal.number === number ? tasks.find(each => each.id === id) : undefined;
      if (task ? task.status === 'completed' : promised.end?.startsWith('completed')) continue;
      this.#seen.add('a task of a person not done');
      expectThat(goal.number !== number || task !== undefined, `${id} of a person is not in the result`);
      expectNamed({ id, task, promised }, ended);
    }
  }
}

/** Whether the edit changes the field. What it does not give keeps its value, and what it gives is taken. */
function isChanged(
  field: Field,
  {
    item,
    old,
    now,
    left,
  }: { item: Record<string, unknown>; old: Task | undefined; now: Task; left: readonly string[] },
): boolean {
  const given = item[field];
  const kept = old?.[field];
  const wanted = given ?? kept;
  // What was left out is nothing to wait for.
  const fewer = field === 'dependencies' ? old?.dependencies.filter(id => !left.includes(id)) : kept;
  const may = given === undefined ? [kept, fewer] : [given];
  const taken = wanted === undefined || may.some(value => isSame(now[field], value));
  expectThat(
    taken,
    () =>
      `a person gives ${now.id} the ${field} ${JSON.stringify(given)}: it was ${JSON.stringify(old?.[field])}, and is ${JSON.stringify(now[field])}`,
  );
  return given !== undefined && !isSame(given, kept);
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Nobody says that all is done, and the answer says what is not. */
function expectNamed(
  { id, task, promised }: { id: string; task: Task | undefined; promised: PromisedTask },
  { outcome, cause, answer }: { outcome: string; cause: string; answer: string },
): void {
  const how = task ? `${task.status} ${task.reason}` : (promised.end ?? 'open');
  expectThat(!ALL_DONE.includes(cause), `${id} of a person is ${how}, and the goal ends as ${cause}`);
  const isLeft = !promised.begun && promised.end === null;
  expectThat(
    !isLeft || !BY_VERDICT.includes(cause),
    `${id} of a person is open, and the goal ends as ${cause}`,
  );
  if (!['answered', 'unverified', 'budget_exhausted'].includes(outcome)) return;
  expectThat(answer.includes(id), `${id} of a person is ${how}, and the answer does not say so (${cause})`);
  // What was at work when its goal ended was open when the answer was written.
  const why = task && !isOpen(task) && task.reason !== outcome ? task.reason : null;
  expectThat(
    why === null || answer.includes(why),
    `${id} of a person is ${how}, and the answer does not say why (${cause})`,
  );
}
