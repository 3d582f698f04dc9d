/** The people of a simulated run: they send what the scenario says, through the handlers that Temporal calls. */

import { isRecord } from '../../src/base/json/json.js';
import { budgetUse } from '../../src/run/state/run-state.js';
import { passedOn } from '../../src/workflows/agents/agents.js';
import {
  changeModel,
  editPlan,
  receive,
  requestFinish,
  requestPause,
  requestResume,
  requestStop,
  setBudget,
  takeAnswer,
  withdraw,
} from '../../src/workflows/inbox/inbox-handlers.js';
import {
  answerReader,
  budgetReader,
  modelReader,
  planEditReader,
  withdrawalReader,
} from '../../src/workflows/inbox/read-input.js';
import type { Run } from '../../src/workflows/run/run.js';
import { addresseesIn } from './agent-roles.js';
import { expectThat } from './expect-that.js';
import type { Act, Marks, TimedAct } from './people.js';
import { NOBODY, randomAct, randomAnswer, randomBudget, randomModel, randomPlanEdit } from './people.js';
import { Random } from './random.js';
import type { Scenario } from './scenario.js';
import type { TreeBook } from './tree-book.js';
import type { Watcher } from './watcher.js';

/** Messages and tasks while the run waits: each may become work of its own, so they must end. */
const MOST_MESSAGES = 5;

/** What people do to an agent's own run as well. */
const TO_ANY: readonly Act['kind'][] = ['steer', 'follow-up', 'pause', 'stop', 'budget', 'model', 'answer'];

/** A run that people see, and who watches it. */
export interface Seen {
  run: Run;
  watcher: Watcher;
}

export class Crowd {
  readonly #scenario: Scenario;
  readonly #lead: () => Seen;
  /** Those at work. */
  readonly #agents: () => Seen[];
  readonly #book: TreeBook;
  readonly #waiting: TimedAct[];
  /** Markers of what is made up on the way begin behind those of the scenario. */
  readonly #marks: Marks = { next: 100, ids: [] };
  #patience: number;
  #messages = 0;

  constructor(
    scenario: Scenario,
    { lead, agents, book }: { lead: () => Seen; agents: () => Seen[]; book: TreeBook },
  ) {
    this.#scenario = scenario;
    this.#lead = lead;
    this.#agents = agents;
    this.#book = book;
    this.#waiting = [...scenario.people.acts];
    this.#patience = scenario.people.patience;
  }

  stops(input: unknown): void {
    requestStop(this.#lead().run, input);
  }

  /** What the scenario has for this call. */
  actsAt(call: number, where: TimedAct['where']): void {
    for (const timed of [...this.#waiting]) {
      const due =
        where === 'during'
          ? timed.where === 'during' && timed.call === call
          : timed.call < call || (timed.call === call && timed.where === 'after');
      if (!due) continue;
      this.#waiting.splice(this.#waiting.indexOf(timed), 1);
      this.#does(timed.act, new Random(this.#scenario.seed, 'answer at', timed.call));
    }
  }

  /** One person comes to a run that waits. False: nobody will. */
  comes(random: Random): boolean {
    const { run, watcher } = this.#lead();
    watcher.promises.waited(run.state);
    watcher.gates.looked(run.state);
    this.#book.waited();
    if (this.#patience <= 0) return false;
    this.#patience -= 1;
    const { neglect } = this.#scenario.people;
    const gates = run.state.people.gates.filter(open => open.answer === null);
    const stands = [run, ...this.#agents().map(agent => agent.run)].some(
      ({ state }) => state.people.pausedAt !== null,
    );
    if (stands && random.chance(0.5)) this.#does({ kind: 'resume' }, random);
    else if (gates.length > 0 && random.chance(0.7)) {
      if (random.chance(neglect)) return false;
      this.#does({ kind: 'answer' }, random, this.#anyAgent(random));
    } else this.#says(random);
    return true;
  }

  /** Something at a moment that the run does not wait at. */
  hurries(random: Random): void {
    if (this.#patience > 0 && random.chance(0.3)) this.#says(random);
  }

  /** Several tools run at the same time. */
  interrupts(random: Random, share = 0.2): void {
    if (this.#scenario.people === NOBODY || this.#messages >= MOST_MESSAGES || !random.chance(share)) return;
    this.#messages += 1;
    const marker = this.#nextMarker();
    const input = { text: `Mind this ${marker}`, when: 'interrupt' };
    this.#does({ kind: 'steer', input, marker }, random);
  }

  /** An agent is at work: the moment at which what is said to it may find that it has ended. */
  visits(random: Random): void {
    if (this.#scenario.people === NOBODY) return;
    if (this.#scenario.busyAgents) this.#looksAfter(random);
    const kind = random.weighted([
      [16, null],
      [4, 'steer'],
      [2, 'answer'],
      [0.4, 'pause'],
      [0.4, 'stop'],
      [0.4, 'budget'],
      [0.4, 'model'],
      [passedOn(this.#lead().run).length > 0 ? 8 : 0, 'withdraw'],
    ] as const);
    if (kind === 'steer' && this.#messages < MOST_MESSAGES) {
      this.#messages += 1;
      const marker = this.#nextMarker();
      const to = random.pick(addresseesIn(this.#scenario));
      const when = random.pick(['skip', 'skip', 'after-batch', 'interrupt']);
      const input = { id: marker, text: `Mind this ${marker}`, to, when };
      this.#does({ kind, input, marker }, random, this.#anyAgent(random));
    } else if (kind !== null && kind !== 'steer') this.#does({ kind }, random);
  }

  /** What holds for all that the run has called, while they are at work. */
  #looksAfter(random: Random): void {
    const kind = random.weighted([
      [20, null],
      [2, 'interrupt'],
      [2, 'budget'],
      [2, 'model'],
      [3, 'withdraw'],
      [1, 'pause'],
      [1, 'resume'],
    ] as const);
    if (kind === 'interrupt') this.interrupts(random, 1);
    else if (kind === 'pause') this.#does({ kind }, random, random.pick([this.#lead(), ...this.#agents()]));
    else if (kind !== null) this.#does({ kind }, random);
  }

  /** A verdict is being given: the moment at which a plan is changed too late, but for a run that looks again. */
  meddles(random: Random): void {
    if (this.#scenario.people === NOBODY || this.#messages >= MOST_MESSAGES || !random.chance(0.5)) return;
    this.#messages += 1;
    this.#does({ kind: 'edit-plan' }, random);
  }

  #says(random: Random): void {
    const act = randomAct(random, addresseesIn(this.#scenario), this.#marks);
    const isMessage = act.kind === 'steer' || act.kind === 'follow-up' || act.kind === 'edit-plan';
    if (isMessage && this.#messages >= MOST_MESSAGES) return;
    if (isMessage) this.#messages += 1;
    this.#does(act, random, TO_ANY.includes(act.kind) ? this.#anyAgent(random) : this.#lead());
  }

  /** Nobody comes any more: a pause does not last for ever. */
  letGoOn(): void {
    requestResume(this.#lead().run, null);
    this.#book.resumed();
  }

  /** Now and then somebody does something to an agent's own run. */
  #anyAgent(random: Random): Seen {
    const agents = this.#agents();
    return agents.length > 0 && random.chance(0.1) ? random.pick(agents) : this.#lead();
  }

  #does(act: Act, random: Random, seen = this.#lead()): void {
    const { run, watcher } = seen;
    const { state } = run;
    switch (act.kind) {
      case 'steer':
      case 'follow-up':
        watcher.messages.sends(state, act.marker, () => receive(run, act.input, act.kind));
        return;
      case 'pause':
        requestPause(run, random.pick([null, { reason: 'lunch' }, 'lunch', 3]));
        return;
      case 'resume':
        requestResume(run, undefined);
        if (run === this.#lead().run) this.#book.resumed();
        return;
      case 'stop':
        requestStop(run, { reason: 'a person' });
        return;
      case 'finish':
        requestFinish(run);
        return;
      case 'answer':
        this.#answers(seen, random);
        return;
      case 'edit-plan':
        this.#edits(seen, random);
        return;
      case 'budget':
        this.#budgets(seen, random);
        return;
      case 'model':
        this.#changesModel(seen, random);
        return;
      case 'withdraw':
        this.#withdraws(seen, random);
    }
  }

  #nextMarker(): string {
    this.#marks.next += 1;
    return `«${this.#marks.next}»`;
  }

  /** As the platform does: the validator first, and only what it lets pass is handled. */
  #edits({ run, watcher }: Seen, random: Random): void {
    const { tasks: before } = run.state;
    const input = randomPlanEdit(random, before, this.#nextMarker());
    const read = planEditReader(run.state)(input);
    watcher.seen.add('error' in read ? 'plan edit refused' : 'plan edit taken');
    if ('error' in read) return;
    editPlan(run, read.ok);
    watcher.promises.plan.edited(run.state, { input, before, isWhole: false });
  }

  #budgets({ run, watcher }: Seen, random: Random): void {
    if (!run.state.pinned) return;
    const now = run.ports.now();
    const input = randomBudget(random, run.limits, budgetUse(run.state, now));
    const read = budgetReader(run.state, now)(input);
    watcher.seen.add('error' in read ? 'budget refused' : 'budget taken');
    if ('error' in read) return;
    setBudget(run, read.ok);
    watcher.promises.limitsSet(read.ok);
    if (run === this.#lead().run) this.#book.budgetSet();
  }

  #changesModel({ run, watcher }: Seen, random: Random): void {
    if (!run.state.pinned) return;
    const input = randomModel(random, run.state.pinned);
    const read = modelReader(run.state)(input);
    watcher.seen.add('error' in read ? 'model refused' : 'model taken');
    if ('error' in read) return;
    changeModel(run, read.ok);
    watcher.promises.modelSet(run.state, read.ok);
    const role = isRecord(input) && typeof input.role === 'string' ? input.role : null;
    if (run === this.#lead().run) this.#book.modelSet(read.ok.model, role);
  }

  #withdraws({ run, watcher }: Seen, random: Random): void {
    const { inbox } = run.state.people;
    const passed = passedOn(run);
    const waiting = [...inbox.items, ...passed];
    const known = waiting.length > 0 ? waiting.map(item => item.id) : [...inbox.seenIds, 'nobody'];
    const id = random.pick(known);
    const isOdd = random.chance(0.1);
    const input = isOdd ? random.pick([null, {}, { id: 7 }]) : random.pick([id, { id }]);
    const read = withdrawalReader(run)(input);
    watcher.seen.add('error' in read ? 'taking back refused' : 'message taken back');
    const isUnread = !isOdd && this.#agents().some(agent => waitsIn(agent, id));
    expectThat(!isUnread || !('error' in read), `${id} waits at an agent, and cannot be taken back`);
    if (isUnread) watcher.seen.add('a message to an agent taken back');
    if ('error' in read) return;
    withdraw(run, read.ok);
    const [item] = passed.filter(each => each.id === read.ok);
    watcher.messages.takenBack(read.ok);
    if (item) this.#book.withdrawn(item.id, item.text);
  }

  #answers({ run, watcher }: Seen, random: Random): void {
    const { state } = run;
    // By their ids: where tasks are side by side, their order is that in which the branches come on.
    const open = state.people.gates
      .filter(({ answer }) => answer === null)
      .sort((a, b) => (a.gate.id < b.gate.id ? -1 : 1));
    if (open.length === 0) return;
    const { gate } = random.pick(open);
    // Its result comes at once, later, or never.
    if (gate.kind === 'clientTool' && watcher.tools.clientRuns(gate) && random.chance(0.5)) return;
    const { tasks: before } = state;
    const given = { tasks: before, marker: this.#nextMarker() };
    const { via, input } = randomAnswer(random, gate, given);
    const read = answerReader(state, via)(input);
    if ('error' in read) {
      watcher.seen.add(`answer refused to ${gate.kind}`);
      return;
    }
    takeAnswer(run, read.ok);
    watcher.answered(state, gate, { input, before });
    watcher.seen.add(`answer to ${gate.kind}`);
  }
}

function waitsIn({ run }: Seen, id: string): boolean {
  return run.state.people.inbox.items.some(item => item.id === id);
}
