/** Counts rounds from outside, by place, and compares them with limits and with the run's own counters. */
import type { JournalEvent } from '../../src/core/journal.js';
import type { Limits } from '../../src/core/limits.js';
import type { Phase, RunState } from '../../src/core/run-state.js';
import { expectThat } from './expect-that.js';
import type { Scenario } from './scenario.js';

interface Place {
  phase: Phase;
  cycle: number;
  taskId: string | null;
  reporting: boolean;
  /** Whole replies here, less those that were sent back. */
  rounds: number;
}

export class Caps {
  private readonly scenario: Scenario;
  private readonly places = new Map<string, Place>();
  private here: Place | null = null;
  private replies = 0;
  private calls = 0;
  private verdicts = 0;

  constructor(scenario: Scenario) {
    this.scenario = scenario;
  }

  modelCalled({ cursor }: RunState): void {
    this.calls += 1;
    const most = mostReplies(this.scenario.pinned.limits) + this.scenario.maxFailures + 1;
    expectThat(this.calls <= most, `${this.calls} model calls, when at most ${most} can be needed`);
    const { phase, cycle, taskId, reporting } = cursor;
    const key = `${phase}/${cycle}/${taskId}/${reporting}`;
    this.here = this.places.get(key) ?? { phase, cycle, taskId, reporting, rounds: 0 };
    this.places.set(key, this.here);
  }

  replied(interrupted: boolean): void {
    this.replies += 1;
    if (this.here && !interrupted) this.here.rounds += 1;
  }

  /** The last reply was sent back, which is no round. */
  sentBack(): void {
    if (this.here) this.here.rounds -= 1;
  }

  check({ goal }: RunState): void {
    const { limits } = this.scenario.pinned;
    const { counters } = goal;
    expectThat(counters.turns === this.replies, `${counters.turns} turns counted, ${this.replies} replies`);
    // One wrap-up call beyond the limit, and its re-ask.
    expectThat(this.replies <= limits.turns + 2, `${this.replies} replies, limit ${limits.turns}`);
    if (!this.here) return;
    const { phase, cycle, taskId, reporting, rounds } = this.here;
    const most = this.mostRounds(this.here);
    expectThat(rounds <= most, `${rounds} rounds in ${phase} ${cycle} ${taskId} ${reporting}, limit ${most}`);
  }

  private mostRounds({ phase, reporting }: Place): number {
    const { limits } = this.scenario.pinned;
    switch (phase) {
      case 'planning':
        return limits.planning;
      case 'execution':
        return reporting ? 1 : limits.execution;
      case 'verification':
      case 'wrap_up':
      case 'steering':
      case 'consultation':
        return 1;
    }
  }

  private roundsOf(phase: Phase, cycle: number, taskId: string | null): number {
    return [...this.places.values()]
      .filter(place => place.phase === phase && place.cycle === cycle && place.taskId === taskId)
      .reduce((sum, place) => sum + place.rounds, 0);
  }

  /** The counters of the run say what happened. */
  happened(event: JournalEvent, { cursor, goal, tasks }: RunState): void {
    const { limits } = this.scenario.pinned;
    if (event.type === 'verdict') {
      this.verdicts += 1;
      expectThat(this.verdicts <= limits.verification, `${this.verdicts} verdicts`);
      expectThat(goal.counters.verification === this.verdicts, 'verifications are not counted');
    }
    if (event.type === 'phase_started' && event.phase === 'execution') {
      const rounds = this.roundsOf('planning', event.cycle, null);
      expectThat(
        goal.counters.planning === rounds,
        `${goal.counters.planning} for ${rounds} planning rounds`,
      );
    }
    if (event.type !== 'task_ended' || event.status === 'blocked') return;
    const task = tasks.find(candidate => candidate.id === event.taskId);
    const rounds = this.roundsOf('execution', cursor.cycle, event.taskId);
    expectThat(task?.rounds === rounds, `${task?.rounds} counted for ${rounds} rounds of ${event.taskId}`);
    expectThat(
      event.reason !== 'max_rounds' || rounds > limits.execution - 1,
      `${event.taskId} reached its cap after ${rounds} rounds`,
    );
  }
}

/** Replies that the caps of a goal allow, with one re-ask for each, and by its turns. */
function mostReplies(limits: Limits): number {
  const cycle = limits.planning + limits.tasks * (limits.execution + 1) + 1;
  const byRounds = 2 * (limits.verification * cycle + 1);
  return Math.min(byRounds, limits.turns + 2);
}
