/**
 * The book of promises: what the run told people it would do, held against what it did. Tasks that were taken are
 * worked on or named as not done, limits that were taken hold, what was said is in a request that a model got, and
 * nobody is left waiting.
 */

import { limitsOf } from '../../src/rules/limits/in-force.js';
import { openChildren } from '../../src/run/agents/children.js';
import type { Gate } from '../../src/run/gates/gate.js';
import type { Message } from '../../src/run/messages/message.js';
import { textOf } from '../../src/run/messages/message.js';
import { hasOpenBatch, here, steeringAt } from '../../src/run/state/cursor.js';
import type { JournalEvent } from '../../src/run/state/journal.js';
import type { RunState } from '../../src/run/state/run-state.js';
import { isHeld } from '../../src/run/state/run-state.js';
import { expectThat } from './expect-that.js';
import { PlanBook } from './plan-book.js';
import { SaidAtGates } from './said-at-gates.js';

export class Promises {
  readonly plan: PlanBook;
  #limits: Record<string, number | null> = {};
  /** What a person set, by role. */
  readonly #models = new Map<string, { model: string; since: number }>();
  /** What budget gates were raised to, by gate. */
  readonly #raised = new Map<string, { budget: string; to: number }>();
  readonly said: SaidAtGates;
  readonly #read = new Set<string>();
  readonly #markersRead = new Set<string>();

  constructor(seen: Set<string>) {
    this.plan = new PlanBook(seen);
    this.said = new SaidAtGates(text => this.wasRead(text), seen);
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
  answered(state: RunState, asked: Gate, input: unknown): void {
    const { id: gateId } = asked;
    this.said.answered(asked, input);
    const open = state.people.gates.find(({ gate }) => gate.id === gateId);
    const { answer, gate } = open ?? {};
    if (answer?.kind === 'budget' && answer.decision === 'raise' && gate?.kind === 'budget')
      this.#raised.set(gateId, { budget: gate.subject.budget, to: answer.to });
  }

  happened(event: JournalEvent, state: RunState): void {
    this.plan.happened(event, state);
    this.said.happened(event);
    switch (event.type) {
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

  #gateClosed({ gateId, by }: Extract<JournalEvent, { type: 'gate_closed' }>, state: RunState): void {
    if (by !== 'person') return;
    const raised = this.#raised.get(gateId);
    if (!raised) return;
    // A cost that is not known has no limit any more: its gate says so.
    const lifted = raised.budget === 'costUsd' && limitsOf(state).costUsd === null;
    this.#limits = { ...this.#limits, [raised.budget]: lifted ? null : raised.to };
  }

  safePoint(state: RunState): void {
    this.plan.safePoint(state);
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
    this.said.modelCalled(role);
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
    const branches = state.cursor.branches.map(({ cursor }) => cursor);
    // A second role that is asked beside others is heard first as well.
    const isAside = [state.cursor, ...branches].some(cursor => here(cursor).phase === 'consultation');
    // Beside agents at work nothing is read: they wait for the same person.
    const isBeside = isAside || openChildren(state.children).length > 0;
    if (!isHeld(state) || !state.pinned?.roles.understanding || isBeside || state.idleSince !== null) return;
    const calls = [state.cursor, ...branches].some(hasOpenBatch);
    const heard = state.people.inbox.items.find(
      ({ kind, to, when }) => kind === 'steer' && to === null && (!calls || when !== 'after-batch'),
    );
    expectThat(heard === undefined, `the run is held, and does not listen to ${heard?.id}`);
  }

  #note(messages: readonly Message[]): void {
    for (const message of messages) {
      if (message.kind === 'assistant' || message.kind === 'cut' || this.#read.has(message.id)) continue;
      this.#read.add(message.id);
      const text = message.kind === 'user' ? textOf(message) : message.content[0].note;
      for (const marker of text.match(/«\d+»|(?:answer to|because of) g\d+/g) ?? [])
        this.#markersRead.add(marker);
    }
  }

  wasRead(marker: string): boolean {
    return this.#markersRead.has(marker);
  }

  /** `whole`: the run came to an end by itself, and no message was trimmed away. */
  ended(whole: boolean): void {
    if (whole) this.said.ended();
  }
}
