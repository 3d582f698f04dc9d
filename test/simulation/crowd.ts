/** The people of a simulated run: they send what the scenario says, through the handlers that Temporal calls. */

import { passedOn } from '../../src/workflows/agents.js';
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
} from '../../src/workflows/platform/inbox-handlers.js';
import {
  answerReader,
  budgetReader,
  modelReader,
  planEditReader,
  withdrawalReader,
} from '../../src/workflows/platform/read-input.js';
import type { Run } from '../../src/workflows/run.js';
import { addresseesIn } from './agent-roles.js';
import type { Act, Marks, TimedAct } from './people.js';
import { NOBODY, randomAct, randomAnswer, randomBudget, randomModel, randomPlanEdit } from './people.js';
import { Random } from './random.js';
import type { Scenario } from './scenario.js';
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
  readonly #waiting: TimedAct[];
  /** Markers of what is made up on the way begin behind those of the scenario. */
  readonly #marks: Marks = { next: 100, ids: [] };
  #patience: number;
  #messages = 0;

  constructor(scenario: Scenario, lead: () => Seen, agents: () => Seen[]) {
    this.#scenario = scenario;
    this.#lead = lead;
    this.#agents = agents;
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
    if (this.#patience <= 0) return false;
    this.#patience -= 1;
    const { neglect } = this.#scenario.people;
    const gates = run.state.people.gates.filter(open => open.answer === null);
    const { people, children } = run.state;
    const stands = people.pausedAt !== null || children.paused.length > 0;
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
  interrupts(random: Random): void {
    if (this.#scenario.people === NOBODY || this.#messages >= MOST_MESSAGES || !random.chance(0.2)) return;
    this.#messages += 1;
    const marker = this.#nextMarker();
    const input = { text: `Mind this ${marker}`, when: 'interrupt' };
    this.#does({ kind: 'steer', input, marker }, random);
  }

  /** An agent is at work: the moment at which what is said to it may find that it has ended. */
  visits(random: Random): void {
    if (this.#scenario.people === NOBODY) return;
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
    const input = randomPlanEdit(random, run.state.tasks, this.#nextMarker());
    const read = planEditReader(run.state)(input);
    watcher.seen.add('error' in read ? 'plan edit refused' : 'plan edit taken');
    if ('error' in read) return;
    editPlan(run, read.ok);
    watcher.promises.planEdited(run.state, read.ok);
  }

  #budgets({ run, watcher }: Seen, random: Random): void {
    if (!run.state.pinned) return;
    const input = randomBudget(random, run.limits);
    const read = budgetReader(run.state, run.ports.now())(input);
    watcher.seen.add('error' in read ? 'budget refused' : 'budget taken');
    if ('error' in read) return;
    setBudget(run, read.ok);
    watcher.promises.limitsSet(read.ok);
  }

  #changesModel({ run, watcher }: Seen, random: Random): void {
    if (!run.state.pinned) return;
    const read = modelReader(run.state)(randomModel(random, run.state.pinned));
    watcher.seen.add('error' in read ? 'model refused' : 'model taken');
    if ('error' in read) return;
    changeModel(run, read.ok);
    watcher.promises.modelSet(run.state, read.ok);
  }

  #withdraws({ run, watcher }: Seen, random: Random): void {
    const { inbox } = run.state.people;
    const items = [...inbox.items, ...passedOn(run)];
    const known = items.length > 0 ? items.map(item => item.id) : [...inbox.seenIds, 'nobody'];
    const id = random.pick(known);
    const input = random.chance(0.1) ? random.pick([null, {}, { id: 7 }]) : random.pick([id, { id }]);
    const read = withdrawalReader(run)(input);
    watcher.seen.add('error' in read ? 'taking back refused' : 'message taken back');
    if ('error' in read) return;
    withdraw(run, read.ok);
    watcher.messages.takenBack(read.ok);
  }

  #answers({ run, watcher }: Seen, random: Random): void {
    const { state } = run;
    const open = state.people.gates.filter(gate => gate.answer === null);
    if (open.length === 0) return;
    const { gate } = random.pick(open);
    const given = { tasks: state.tasks, marker: this.#nextMarker() };
    const { via, input } = randomAnswer(random, gate, given);
    const read = answerReader(state, via)(input);
    if ('error' in read) {
      watcher.seen.add(`answer refused to ${gate.kind}`);
      return;
    }
    takeAnswer(run, read.ok);
    watcher.answered(state, gate, input);
    watcher.seen.add(`answer to ${gate.kind}`);
  }
}
