/** The people of a simulated run: they send what the scenario says, through the handlers that Temporal calls. */
import type { RunState } from '../../src/core/run-state.js';
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
import type { Act, Marks, TimedAct } from './people.js';
import { NOBODY, randomAct, randomAnswer, randomBudget, randomModel, randomPlanEdit } from './people.js';
import { Random } from './random.js';
import type { Scenario } from './scenario.js';
import type { Watcher } from './watcher.js';

/** Messages and tasks while the run waits: each may become work of its own, so they must end. */
const MOST_MESSAGES = 5;

export class Crowd {
  readonly #scenario: Scenario;
  readonly #watcher: Watcher;
  readonly #waiting: TimedAct[];
  /** Markers of what is made up on the way begin behind those of the scenario. */
  readonly #marks: Marks = { next: 100, ids: [] };
  #patience: number;
  #messages = 0;

  constructor(scenario: Scenario, watcher: Watcher) {
    this.#scenario = scenario;
    this.#watcher = watcher;
    this.#waiting = [...scenario.people.acts];
    this.#patience = scenario.people.patience;
  }

  stops(run: Run, input: unknown): void {
    requestStop(run, input);
  }

  /** What the scenario has for this call. */
  actsAt(run: Run, call: number, where: TimedAct['where']): void {
    for (const timed of [...this.#waiting]) {
      const due =
        where === 'during'
          ? timed.where === 'during' && timed.call === call
          : timed.call < call || (timed.call === call && timed.where === 'after');
      if (!due) continue;
      this.#waiting.splice(this.#waiting.indexOf(timed), 1);
      this.#does(run, timed.act, new Random(this.#scenario.seed, 'answer at', timed.call));
    }
  }

  /** One person comes to a run that waits. False: nobody will. */
  comes(run: Run, random: Random): boolean {
    this.#watcher.promises.waited(run.state);
    if (this.#patience <= 0) return false;
    this.#patience -= 1;
    const { neglect } = this.#scenario.people;
    const gates = run.state.people.gates.filter(open => open.answer === null);
    const {
      people: { pausedAt },
    } = run.state;
    if (pausedAt !== null && random.chance(0.5)) this.#does(run, { kind: 'resume' }, random);
    else if (gates.length > 0 && random.chance(0.7)) {
      if (random.chance(neglect)) return false;
      this.#does(run, { kind: 'answer' }, random);
    } else this.#says(run, random);
    return true;
  }

  /** Something at a moment that the run does not wait at. */
  hurries(run: Run, random: Random): void {
    if (this.#patience > 0 && random.chance(0.3)) this.#says(run, random);
  }

  /** Several tools run at the same time. */
  interrupts(run: Run, random: Random): void {
    if (this.#scenario.people === NOBODY || this.#messages >= MOST_MESSAGES || !random.chance(0.2)) return;
    this.#messages += 1;
    const marker = this.#nextMarker();
    const input = { text: `Mind this ${marker}`, when: 'interrupt' };
    this.#does(run, { kind: 'steer', input, marker }, random);
  }

  /** A verdict is being given: the moment at which a plan is changed too late, but for a run that looks again. */
  meddles(run: Run, random: Random): void {
    if (this.#scenario.people === NOBODY || this.#messages >= MOST_MESSAGES || !random.chance(0.5)) return;
    this.#messages += 1;
    this.#does(run, { kind: 'edit-plan' }, random);
  }

  #says(run: Run, random: Random): void {
    const act = randomAct(random, Object.keys(this.#scenario.pinned.roles), this.#marks);
    const isMessage = act.kind === 'steer' || act.kind === 'follow-up' || act.kind === 'edit-plan';
    if (isMessage && this.#messages >= MOST_MESSAGES) return;
    if (isMessage) this.#messages += 1;
    this.#does(run, act, random);
  }

  /** Nobody comes any more: a pause does not last for ever. */
  letGoOn(run: Run): void {
    requestResume(run, null);
  }

  #does(run: Run, act: Act, random: Random): void {
    const { state } = run;
    switch (act.kind) {
      case 'steer':
      case 'follow-up':
        receive(run, act.input, act.kind);
        this.#watcher.messages.sent(state, act.marker);
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
        this.#answers(run, state, random);
        return;
      case 'edit-plan':
        this.#edits(run, random);
        return;
      case 'budget':
        this.#budgets(run, random);
        return;
      case 'model':
        this.#changesModel(run, random);
        return;
      case 'withdraw':
        this.#withdraws(run, random);
    }
  }

  #nextMarker(): string {
    this.#marks.next += 1;
    return `«${this.#marks.next}»`;
  }

  /** As the platform does: the validator first, and only what it lets pass is handled. */
  #edits(run: Run, random: Random): void {
    const input = randomPlanEdit(random, run.state.tasks, this.#nextMarker());
    const read = planEditReader(run.state)(input);
    this.#watcher.seen.add('error' in read ? 'plan edit refused' : 'plan edit taken');
    if ('error' in read) return;
    editPlan(run, read.ok);
    this.#watcher.promises.planEdited(run.state, read.ok);
  }

  #budgets(run: Run, random: Random): void {
    if (!run.state.pinned) return;
    const input = randomBudget(random, run.limits);
    const read = budgetReader(run.state, run.ports.now())(input);
    this.#watcher.seen.add('error' in read ? 'budget refused' : 'budget taken');
    if ('error' in read) return;
    setBudget(run, read.ok);
    this.#watcher.promises.limitsSet(read.ok);
  }

  #changesModel(run: Run, random: Random): void {
    if (!run.state.pinned) return;
    const read = modelReader(run.state)(randomModel(random, run.state.pinned));
    this.#watcher.seen.add('error' in read ? 'model refused' : 'model taken');
    if ('error' in read) return;
    changeModel(run, read.ok);
    this.#watcher.promises.modelSet(run.state, read.ok);
  }

  #withdraws(run: Run, random: Random): void {
    const { items, seenIds } = run.state.people.inbox;
    const known = items.length > 0 ? items.map(item => item.id) : [...seenIds, 'nobody'];
    const id = random.pick(known);
    const input = random.chance(0.1) ? random.pick([null, {}, { id: 7 }]) : random.pick([id, { id }]);
    const read = withdrawalReader(run.state)(input);
    this.#watcher.seen.add('error' in read ? 'taking back refused' : 'message taken back');
    if ('error' in read) return;
    withdraw(run, read.ok);
    this.#watcher.messages.takenBack(read.ok);
  }

  #answers(run: Run, state: RunState, random: Random): void {
    const open = state.people.gates.filter(gate => gate.answer === null);
    if (open.length === 0) return;
    const { gate } = random.pick(open);
    const given = { tasks: state.tasks, marker: this.#nextMarker() };
    const { via, input } = randomAnswer(random, gate, given);
    const read = answerReader(state, via)(input);
    if ('error' in read) {
      this.#watcher.seen.add(`answer refused to ${gate.kind}`);
      return;
    }
    takeAnswer(run, read.ok);
    this.#watcher.gates.answered(gate, input);
    this.#watcher.promises.answered(state, gate);
    this.#watcher.seen.add(`answer to ${gate.kind}`);
  }
}
