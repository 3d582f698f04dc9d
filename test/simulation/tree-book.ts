/**
 * What a person says at a run holds for all that it has called: its budget, its models, a pause and a resume, and a
 * message that is taken back. Told a little later to those at work, at once to those that begin then.
 */

import { chainOf, limitsOf } from '../../src/rules/limits/in-force.js';
import { isLasting } from '../../src/rules/limits/model-failure.js';
import type { Message } from '../../src/run/messages/message.js';
import { textOf } from '../../src/run/messages/message.js';
import { here } from '../../src/run/state/cursor.js';
import type { JournalEvent } from '../../src/run/state/journal.js';
import type { RunState } from '../../src/run/state/run-state.js';
import { budgetUse } from '../../src/run/state/run-state.js';
import type { Called } from '../../src/workflows/run/ports.js';
import { expectThat } from './expect-that.js';
import type { Timeline } from './timeline.js';

/** By then all that was said has come to the last agent of an agent. */
const ARRIVED_MS = 2_000;

/** The most that one model call uses in a simulation, with an attempt of it that failed. */
const MOST_TOKENS = 500;

/** A run of the tree, by the way to it. */
interface Watched {
  path: string;
  run: { state: RunState };
  watcher: {
    seen: Set<string>;
    record(): { transcript: Record<string, Message[]>; journal: readonly JournalEvent[] };
  };
}

interface Chosen {
  model: string;
  at: number;
}

export class TreeBook {
  readonly #timeline: Timeline;
  readonly #lead: () => Watched;
  readonly #atWork: () => Watched[];
  #budgetSetAt = Number.NEGATIVE_INFINITY;
  #resumedAt = Number.NEGATIVE_INFINITY;
  /** What a person chose at the lead last: for all, or for the role of this name. */
  #chosen: (Chosen & { role: string | null })[] = [];
  /** By the way to a run: models that failed it or an agent of it for good, and did not answer since. */
  readonly #out = new Map<string, Set<string>>();
  /** Of those, what its caller knew when it was called. */
  readonly #inherited = new Map<string, Set<string>>();
  readonly #withdrawn: { id: string; text: string }[] = [];

  constructor(timeline: Timeline, lead: () => Watched, atWork: () => Watched[]) {
    this.#timeline = timeline;
    this.#lead = lead;
    this.#atWork = atWork;
  }

  budgetSet(): void {
    this.#budgetSetAt = this.#timeline.now;
    if (this.#atWork().length > 0) this.#lead().watcher.seen.add('a budget set over agents at work');
  }

  modelSet(model: string, role: string | null): void {
    const { now } = this.#timeline;
    this.#chosen = [
      ...this.#chosen.filter(each => role !== null && each.role !== role),
      { model, role, at: now },
    ];
    for (const out of [...this.#out.values(), ...this.#inherited.values()]) out.delete(model);
    if (this.#atWork().length > 0) this.#lead().watcher.seen.add('a model set over agents at work');
  }

  resumed(): void {
    this.#resumedAt = this.#timeline.now;
    const isHeld = this.#atWork().some(({ run }) => run.state.people.pausedAt !== null);
    if (isHeld) this.#lead().watcher.seen.add('an agent let go on');
  }

  withdrawn(id: string, text: string): void {
    this.#withdrawn.push({ id, text });
  }

  /** All have come to rest: nobody stands still whom a person has let go on. */
  waited(): void {
    for (const { path, run } of this.#atWork()) {
      const { pausedAt } = run.state.people;
      const isLeft = pausedAt !== null && pausedAt < this.#resumedAt;
      expectThat(!isLeft, `${path} stands still, and a person has resumed the run`);
    }
  }

  agentBegins(caller: string, path: string): void {
    const known = this.#out.get(caller) ?? [];
    this.#out.set(path, new Set(known));
    this.#inherited.set(path, new Set(known));
    if ([...known].length > 0) this.#lead().watcher.seen.add('an agent called when a model is out');
  }

  /** What it found out its caller knows. */
  agentEnds(caller: string, path: string): void {
    this.#out.set(caller, new Set([...(this.#out.get(caller) ?? []), ...(this.#out.get(path) ?? [])]));
  }

  goalStarted(path: string): void {
    this.#out.delete(path);
  }

  modelCalled(path: string, state: RunState, { role, model }: { role: string; model: string }): void {
    if (path === '') return;
    this.#expectWithinBudget(path, state);
    this.#expectChosen(path, role, model);
    const chain = chainOf(state, state.pinned?.roles[role] ?? { name: role, models: [] });
    const out = this.#out.get(path) ?? new Set();
    const isKnown = this.#inherited.get(path)?.has(model) === true;
    expectThat(
      !isKnown || chain.every(each => out.has(each)),
      `${path} calls ${model}, which was out when it was called, and has ${chain}`,
    );
  }

  modelReturned(path: string, model: string, called: Called<unknown>): void {
    if (called.ok) {
      // Whoever hears of it, somebody got an answer.
      for (const out of [...this.#out.values(), ...this.#inherited.values()]) out.delete(model);
    } else if (isLasting(called.failure)) {
      this.#out.set(path, (this.#out.get(path) ?? new Set()).add(model));
    }
  }

  #isSettled(at: number): boolean {
    return this.#timeline.now >= at + ARRIVED_MS;
  }

  /** Agents begin no call but their last where all together have used up what there is. */
  #expectWithinBudget(path: string, state: RunState): void {
    if (!this.#isSettled(this.#budgetSetAt) || here(state.cursor).phase === 'wrap_up') return;
    const { now } = this.#timeline;
    const lead = this.#lead().run.state;
    const atWork = this.#atWork().map(({ run }) => run.state);
    const many = atWork.length + lead.cursor.branches.length + 1;
    const limits = limitsOf(lead);
    for (const [kind, most] of [
      ['turns', 1],
      ['tokens', MOST_TOKENS],
    ] as const) {
      const used = [lead, ...atWork].reduce((sum, each) => sum + budgetUse(each, now)[kind], 0);
      const room = limits[kind] + many * most;
      expectThat(used < room, `${path} goes on, and ${used} of ${limits[kind]} ${kind} are used by all`);
    }
  }

  #expectChosen(path: string, role: string, model: string): void {
    const said = this.#chosen.findLast(each => each.role === null || each.role === role);
    if (!said || !this.#isSettled(said.at)) return;
    const agent = this.#atWork().find(each => each.path === path);
    const since = agent?.watcher
      .record()
      .journal.findLast(
        event =>
          event.type === 'provider_switch' &&
          event.role === role &&
          event.at >= said.at &&
          /^(chosen|proposed) /.test(event.why),
      );
    const wanted = since?.type === 'provider_switch' ? since.toModel : said.model;
    expectThat(model === wanted, `${role} of ${path} is called with ${model}, and a person set ${wanted}`);
  }

  /** At the end of all runs: what a person was told is taken back nobody has read. */
  ended(members: Iterable<Watched>): void {
    const { journal } = this.#lead().watcher.record();
    const last = (id: string) => journal.findLast(event => event.type === 'receipt' && event.id === id);
    const taken = this.#withdrawn.filter(({ id }) => {
      const receipt = last(id);
      return receipt?.type === 'receipt' && receipt.state === 'dropped';
    });
    for (const { path, watcher } of members) {
      const texts = Object.entries(watcher.record().transcript).flatMap(([thread, messages]) =>
        // What is still being understood nobody works on.
        UNDERSTANDING.includes(thread) ? [] : messages.map(textIn),
      );
      for (const { id, text } of taken)
        expectThat(!texts.some(each => each.includes(text)), `${id} was taken back, and ${path} has read it`);
    }
  }
}

const UNDERSTANDING = ['understanding', 'router'];

function textIn(message: Message): string {
  return message.kind === 'user' ? textOf(message) : '';
}
