/**
 * The book of promises: what the run told people it would do, held against what it did. Tasks that were taken are
 * worked on or named as not done, limits that were taken hold, what was said is in a request that a model got, and
 * nobody is left waiting.
 */
import { openChildren } from '../../src/core/children.js';
import { hasOpenBatch, here, steeringAt } from '../../src/core/cursor.js';
import type { Gate } from '../../src/core/gates/gate.js';
import { limitsOf } from '../../src/core/in-force.js';
import type { JournalEvent } from '../../src/core/journal.js';
import type { Message } from '../../src/core/message.js';
import { textOf } from '../../src/core/message.js';
import type { TaskChange } from '../../src/core/plan.js';
import type { RunState } from '../../src/core/run-state.js';
import { isHeld } from '../../src/core/run-state.js';
import { expectThat } from './expect-that.js';

interface PromisedTask {
  description: string;
  /** The journal's last event when it was promised: what came before is of an earlier life of its id. */
  since: number;
  begun: boolean;
  /** How it ended, in words; null while it did not. Later plans may have it done again, in their words. */
  end: string | null;
}

/** Ends that are not the executor's: each says that the task was not done. */
const NOT_DONE = [
  'skipped replanned',
  'skipped orchestrated',
  'skipped removed by a person',
  'blocked dependency_failed',
  'blocked aborted',
];

/** A verdict ends no goal whose tasks are open: only what leaves no room for them does. */
const BY_VERDICT = [
  'verified',
  'tasks_open',
  'tasks_failed',
  'failed:tasks',
  'verdict_incomplete',
  'not_confirmed',
];

export class Promises {
  readonly #tasks = new Map<string, PromisedTask>();
  #limits: Record<string, number | null> = {};
  /** What a person set, by role. */
  readonly #models = new Map<string, { model: string; since: number }>();
  /** What budget gates were raised to, by gate. */
  readonly #raised = new Map<string, { budget: string; to: number }>();
  /** What was answered to questions, by gate. */
  readonly #answers = new Map<string, string>();
  /** Answers that were taken, by what they say. */
  readonly #questions = new Set<string>();
  readonly #read = new Set<string>();
  readonly #markersRead = new Set<string>();

  planEdited({ tasks, log: { journal } }: RunState, edit: readonly TaskChange[]): void {
    for (const { id, description = '' } of edit) {
      this.#tasks.set(id, { description, since: journal.lastSeq, begun: false, end: null });
      const taken = tasks.some(task => task.id === id && task.description === description);
      expectThat(taken, `${id} was taken into the plan, and is not in it`);
    }
  }

  limitsSet(limits: Partial<Record<string, number | null>>): void {
    for (const [name, value] of Object.entries(limits)) if (value !== undefined) this.#limits[name] = value;
    // The later word counts.
    for (const [gateId, { budget }] of this.#raised) if (budget in limits) this.#raised.delete(gateId);
  }

  modelSet(
    { log: { journal } }: RunState,
    { model, roles }: { model: string; roles: readonly string[] },
  ): void {
    for (const role of roles) this.#models.set(role, { model, since: journal.lastSeq });
  }

  /** The answer to this gate was taken: it is in the state. */
  answered(state: RunState, { id: gateId }: Gate): void {
    const open = state.people.gates.find(({ gate }) => gate.id === gateId);
    const { answer, gate } = open ?? {};
    if (answer?.kind === 'plan' && answer.decision === 'edit') this.planEdited(state, answer.tasks);
    if (answer?.kind === 'budget' && answer.decision === 'raise' && gate?.kind === 'budget')
      this.#raised.set(gateId, { budget: gate.subject.budget, to: answer.to });
    // What an agent's person says has the name of the gate where it was said.
    if (answer?.kind === 'question' && answer.text !== null) this.#answers.set(gateId, answer.text);
  }

  happened(event: JournalEvent, state: RunState): void {
    switch (event.type) {
      case 'task_started': {
        const promised = this.#promised(event.taskId, event.seq);
        if (!promised) return;
        promised.begun = true;
        expectThat(
          event.description === promised.description,
          `${event.taskId} begins as "${event.description}", and a person wants "${promised.description}"`,
        );
        return;
      }
      case 'task_ended': {
        const promised = this.#promised(event.taskId, event.seq);
        if (!promised) return;
        promised.end = `${event.status} ${event.reason}`;
        const fair = promised.begun || NOT_DONE.includes(promised.end);
        expectThat(fair, `${event.taskId} of a person ended as ${promised.end}, and was not worked on`);
        return;
      }
      case 'goal_ended':
        this.#goalEnded(event, state);
        return;
      case 'provider_switch':
        this.#modelChanged(event);
        return;
      case 'orchestration':
        // It may give more, or less than was set.
        if (event.accepted) this.#limits = {};
        return;
      case 'gate_closed':
        this.#gateClosed(event, state);
        return;
      default:
    }
  }

  /** Only a later word of somebody changes a model that was set. */
  #modelChanged({ role, toModel, why, seq }: Extract<JournalEvent, { type: 'provider_switch' }>): void {
    const set = this.#models.get(role);
    if (set === undefined || seq <= set.since) return;
    expectThat(/^(chosen|proposed) /.test(why), `${role} goes on with ${toModel} unasked: ${why}`);
    this.#models.set(role, { model: toModel, since: seq });
  }

  #promised(taskId: string, seq: number): PromisedTask | null {
    const promised = this.#tasks.get(taskId);
    return promised && seq > promised.since && promised.end === null ? promised : null;
  }

  #goalEnded({ number, seq }: { number: number; seq: number }, { goals }: RunState): void {
    const ended = goals.find(goal => goal.number === number);
    expectThat(ended !== undefined, `goal ${number} ended, and is not on record`);
    for (const [id, { begun, end, since }] of this.#tasks) {
      if (since > seq) continue;
      this.#tasks.delete(id);
      if (begun || end !== null) continue;
      const { outcome, cause, answer } = ended;
      expectThat(!BY_VERDICT.includes(cause), `${id} of a person is open, and the goal ends as ${cause}`);
      const speaks = outcome === 'unverified' || outcome === 'budget_exhausted';
      expectThat(!speaks || answer.includes(id), `${id} of a person is open, and the answer does not say so`);
    }
  }

  #gateClosed({ gateId, kind, by }: Extract<JournalEvent, { type: 'gate_closed' }>, state: RunState): void {
    if (by !== 'person') return;
    const said = this.#answers.get(gateId);
    if (kind === 'question' && said !== undefined) this.#questions.add(said);
    const raised = this.#raised.get(gateId);
    if (!raised) return;
    // A cost that is not known has no limit any more: its gate says so.
    const lifted = raised.budget === 'costUsd' && limitsOf(state).costUsd === null;
    this.#limits = { ...this.#limits, [raised.budget]: lifted ? null : raised.to };
  }

  safePoint(state: RunState): void {
    const limits = limitsOf(state);
    for (const [name, value] of Object.entries(this.#limits)) {
      const now = limits[name as keyof typeof limits];
      expectThat(now === value, `the limit ${name} is ${now}, and a person set ${value}`);
    }
  }

  /** A call begins: whoever it asks has read what waited for it. `retried`: the same call, made again. */
  modelCalled(
    state: RunState,
    { role, model }: { role: string; model: string },
    messages: readonly Message[],
    retried: boolean,
  ): void {
    this.#note(messages);
    const { model: set = model } = this.#models.get(role) ?? {};
    expectThat(set === model, `${role} is called with ${model}, and a person set ${set}`);
    if (retried) return;
    const aside = state.cursor.interrupts.length > 0;
    for (const { id, kind, to } of state.people.inbox.items) {
      const waits = kind === 'steer' && (to === role || (to === null && !aside));
      expectThat(!waits, `${role} is called, and has not read ${id}`);
    }
  }

  /** Somebody comes to a run that waits: nothing that it can hear waits with it, and no goal that is answered asks. */
  waited(state: RunState): void {
    const asks = state.people.gates.filter(({ answer }) => answer === null);
    expectThat(
      !steeringAt(state.cursor)?.idle || asks.every(({ gate }) => gate.kind !== 'budget'),
      'a message between two goals asks for more of the budget of the one before',
    );
    const lanes = state.cursor.lanes.map(({ cursor }) => cursor);
    // A second role that is asked beside others is heard first as well.
    const isAside = [state.cursor, ...lanes].some(cursor => here(cursor).phase === 'consultation');
    // Beside agents at work nothing is read: they wait for the same person.
    const isBeside = isAside || openChildren(state.children).length > 0;
    if (!isHeld(state) || !state.pinned?.roles.understanding || isBeside || state.idleSince !== null) return;
    const calls = [state.cursor, ...lanes].some(hasOpenBatch);
    const heard = state.people.inbox.items.find(
      ({ kind, to, when }) => kind === 'steer' && to === null && (!calls || when !== 'after-batch'),
    );
    expectThat(heard === undefined, `the run is held, and does not listen to ${heard?.id}`);
  }

  #note(messages: readonly Message[]): void {
    for (const message of messages) {
      if (message.kind !== 'user' || this.#read.has(message.id)) continue;
      this.#read.add(message.id);
      for (const marker of textOf(message).match(/«\d+»|answer to g\d+/g) ?? [])
        this.#markersRead.add(marker);
    }
  }

  wasRead(marker: string): boolean {
    return this.#markersRead.has(marker);
  }

  /** `whole`: the run came to an end by itself, and no message was trimmed away. */
  ended(whole: boolean): void {
    for (const said of this.#questions)
      expectThat(!whole || this.wasRead(said), `nobody was told the ${said}`);
  }
}
