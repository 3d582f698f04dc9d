/** Counts rounds from outside, by position, and compares them with limits and with the run's own counters. */

import { limitsOf } from '../../src/rules/limits/in-force.js';
import type { Limits } from '../../src/run/limits/limits.js';
import type { Task } from '../../src/run/plan/plan.js';
import { isOpen } from '../../src/run/plan/plan.js';
import { ONE_ROLE_MODES } from '../../src/run/position/modes.js';
import type { Interrupt, Phase, Position as PlaceOfRun } from '../../src/run/position/position.js';
import { here, steeringAt, taskAt } from '../../src/run/state/cursor.js';
import type { JournalEvent } from '../../src/run/state/journal.js';
import type { RunState } from '../../src/run/state/run-state.js';
import { DECLARED } from './declared.js';
import { expectThat } from './expect-that.js';
import { NOBODY } from './people.js';
import type { Scenario } from './scenario.js';

interface Position {
  phase: Phase;
  cycle: number;
  taskId: string | null;
  reporting: boolean;
  /** Whole replies here, less those that were sent back. */
  rounds: number;
  /** Rounds given back: a person answered a question of the role. */
  credits: number;
  /** Its question found nobody: the role has one more. */
  unanswered?: true;
}

/** People add goals, plans and limits; even so a run ends. */
const MOST_CALLS_WITH_PEOPLE = 1_500;

const MOST_WRAP_UPS = 20;

/** Tasks that ended without a reply of their executor, or with their goal. */
const UNCOUNTED = [
  ...['dependency_failed', 'aborted', 'echoed', 'replanned', 'removed by a person', 'orchestrated'],
  ...['completed', 'answered', 'unverified', 'budget_exhausted', 'stopped', 'failed', 'cancelled'],
];

function isUncounted(reason: string | null): boolean {
  return UNCOUNTED.includes(reason ?? '') || (reason?.startsWith('not available: ') ?? false);
}

/** The position's rounds are used up, or its question found nobody: one reply is left to its role. */
export function isLastReply(at: PlaceOfRun | Interrupt): boolean {
  return (at.phase === 'execution' && at.reporting) || (at.phase === 'verification' && at.unanswered);
}

const INTERRUPTS: ReadonlySet<Phase> = new Set(['steering', 'consultation']);

export class Caps {
  readonly #scenario: Scenario;
  readonly #positions = new Map<string, Position>();
  /** By line: the run itself, and each task beside others. */
  readonly #here = new Map<string, Position>();
  /** The same without messages and questions in between, which its calls are skipped behind. */
  readonly #work = new Map<string, Position>();
  /** Where gates were opened, by their ids: it is not said which of the lines asked. */
  readonly #askedAt = new Map<string, Position[]>();
  /** Gates that its agents have asked for: what is answered there is none of its positions'. */
  readonly ofAgents = new Set<string>();
  /** The most tasks that might run at the same time. */
  mostSideBySide: number;
  #replies = 0;
  #wrapUps = 0;
  #understood = 0;
  /** The message between two goals that is being understood, and the replies that took. */
  #between: string | null = null;
  #betweenReplies = 0;
  #total = 0;
  #goal = 1;
  #calls = 0;
  readonly #granted = new Map<string, number>();
  #verdicts = 0;
  #failedChecks = 0;
  /** The largest that each limit has been: people and the orchestrator raise them. */
  #most: Limits;

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
    this.#most = scenario.pinned.limits;
    this.mostSideBySide = scenario.pinned.limits.parallelTasks;
  }

  modelCalled({ cursor }: RunState, line: string): void {
    const steering = steeringAt(cursor);
    this.#calls += 1;
    const between = steering?.idle ? (steering.items[0]?.id ?? null) : null;
    if (between !== this.#between) this.#betweenReplies = 0;
    this.#between = between;
    // A reply that its model declined is a call too, and each model of the last role's chain may decline.
    const { maxFailures, pinned } = this.#scenario;
    const alone = mostReplies(this.#most) + maxFailures + pinned.models.length + 1;
    const most = this.#scenario.people === NOBODY ? alone : MOST_CALLS_WITH_PEOPLE;
    expectThat(this.#calls <= most, `${this.#calls} model calls, when at most ${most} can be needed`);
    const at = here(cursor);
    const { phase } = at;
    const { cycle } = cursor.position;
    const taskId = taskAt(cursor);
    const reporting = isLastReply(at);
    const key = `${phase}/${cycle}/${taskId}/${reporting}`;
    const position = this.#positions.get(key) ?? { phase, cycle, taskId, reporting, rounds: 0, credits: 0 };
    if (at.phase === 'answering' && at.unanswered) position.unanswered = true;
    this.#here.set(line, position);
    if (!INTERRUPTS.has(phase)) this.#work.set(line, position);
    this.#positions.set(key, position);
  }

  replied(line: string, role: string, interrupted: boolean): void {
    const here = this.#here.get(line);
    const wrapsUp = here?.phase === 'wrap_up';
    const understands = role === 'understanding' || role === 'router';
    if (!wrapsUp) this.#total += 1;
    if (wrapsUp) this.#wrapUps += 1;
    else if (this.#between !== null) this.#betweenReplies += 1;
    else this.#replies += 1;
    // While the goal is wrapped up messages are understood outside its count.
    if (understands && this.#between === null) this.#understood += 1;
    if (here && !interrupted) here.rounds += 1;
  }

  /** An agent has ended: its replies are the goal's, and the run's. */
  agentEnded(replies: number): void {
    this.#replies += replies;
    this.#total += replies;
  }

  /** The last reply was sent back, which is no round. */
  sentBack(line: string): void {
    const here = this.#here.get(line);
    if (here) here.rounds -= 1;
  }

  check({ goal, pinned, limits, tasks, total: { turns } }: RunState): void {
    if (pinned) this.#most = largest(this.#most, limitsOf({ pinned, limits }));
    this.#noteGrants(tasks);
    const { counters } = goal;
    expectThat(counters.turns === this.#replies, `${counters.turns} turns counted, ${this.#replies} replies`);
    expectThat(turns <= this.#most.totalTurns, `${turns} turns of the run, limit ${this.#most.totalTurns}`);
    expectThat(turns === this.#total, `${turns} turns of the run counted, ${this.#total} replies`);
    expectThat(
      this.#replies - this.#understood <= this.#most.turns,
      `${this.#replies} replies, limit ${this.#most.turns}`,
    );
    // Its re-ask, and partial ones before it; people have more to say meanwhile. A typed answer is asked for twice.
    const alone = this.#scenario.settings.answer === undefined ? 2 : 4;
    expectThat(
      this.#wrapUps <= (this.#scenario.people === NOBODY ? alone : MOST_WRAP_UPS),
      `${this.#wrapUps} replies in the wrap-up`,
    );
    const open = tasks.filter(isOpen).length;
    expectThat(open <= this.#most.tasks, `${open} open tasks, limit ${this.#most.tasks}`);
    for (const here of this.#here.values()) this.#checkRounds(here);
  }

  #checkRounds(here: Position): void {
    const { phase, cycle, taskId, reporting, rounds, credits } = here;
    const most = this.#mostRounds(here) + credits;
    expectThat(rounds <= most, `${rounds} rounds in ${phase} ${cycle} ${taskId} ${reporting}, limit ${most}`);
  }

  /** Rounds that a task was allowed beyond the limit are its own. */
  #noteGrants(tasks: readonly Task[]): void {
    for (const { id, maxRounds, retries } of tasks) {
      if (maxRounds !== null) this.#granted.set(id, Math.max(maxRounds, this.#granted.get(id) ?? 0));
      const most = this.#scenario.pinned.limits.taskRetries;
      expectThat(retries <= most, `${id} was tried again ${retries} times, limit ${most}`);
    }
  }

  /** Of a role that works on the goal itself; in auto mode any of them may be chosen. */
  #mostAlone(): number {
    const { roles } = this.#scenario.pinned;
    const { role: named = '' } = this.#scenario.settings;
    const alone = [
      named,
      ...ONE_ROLE_MODES,
      ...Object.values(DECLARED).flatMap(({ steps }) => steps),
    ].flatMap(name => roles[name] ?? []);
    const { execution, replies } = this.#most;
    // The answer is one more.
    return 1 + Math.max(...alone.map(({ maxRounds }) => maxRounds ?? Math.max(execution, replies)));
  }

  #mostRounds({ phase, taskId, reporting, unanswered }: Position): number {
    switch (phase) {
      case 'planning':
        return this.#most.planning;
      case 'execution':
        return reporting ? 1 : Math.max(this.#most.execution, this.#granted.get(taskId ?? '') ?? 0);
      case 'answering':
        return this.#mostAlone() + (unanswered ? 1 : 0);
      case 'checking':
        return 0;
      case 'choosing':
      case 'verification':
      case 'wrap_up':
        return 1;
      case 'steering':
      case 'consultation':
        // Each visit has one, which the journal ends.
        return Number.POSITIVE_INFINITY;
    }
  }

  #of(phase: Phase, cycle: number, taskId: string | null): Position[] {
    return [...this.#positions.values()].filter(
      position => position.phase === phase && position.cycle === cycle && position.taskId === taskId,
    );
  }

  /** A task that was blocked behind another may be freed under a later plan, and stays a task of its own. */
  #lastCycleOf(taskId: string): number | undefined {
    const positions = [...this.#positions.values()].filter(
      position => position.phase === 'execution' && position.taskId === taskId,
    );
    return positions.length === 0 ? undefined : Math.max(...positions.map(({ cycle }) => cycle));
  }

  /** The counters of the run say what happened. */
  happened(event: JournalEvent, { cursor, goal, tasks }: RunState): void {
    switch (event.type) {
      case 'verdict':
        this.#verdicts += 1;
        expectThat(this.#verdicts <= this.#most.verification, `${this.#verdicts} verdicts`);
        expectThat(
          goal.number !== this.#goal ||
            (goal.counters.verification >= this.#verdicts &&
              goal.counters.verification <= this.#verdicts + this.#failedChecks),
          'verifications are not counted',
        );
        return;
      case 'check_ended':
        if (event.status === 'failed') this.#failedChecks += 1;
        return;
      case 'phase_started':
        // A position that is come to again: what was added to the plan meanwhile is done and verified too.
        for (const [key, { phase }] of this.#positions)
          if (phase === event.phase && phase !== 'execution' && phase !== 'planning')
            this.#positions.delete(key);
        if (event.phase === 'execution' && goal.number === this.#goal)
          this.#planned(event.cycle, goal.counters.planning);
        return;
      case 'gate_opened':
        if (!this.ofAgents.has(event.gateId)) this.#askedAt.set(event.gateId, [...this.#here.values()]);
        return;
      case 'gate_closed':
        // Others may have been asked since.
        if (event.kind === 'question' && event.by === 'person')
          for (const asked of this.#askedAt.get(event.gateId) ?? []) asked.credits += 1;
        return;
      case 'steering':
        // A reply of which nothing was run costs no round.
        if (event.skippedTools.length > 0) for (const at of this.#work.values()) at.credits += 1;
        return;
      case 'goal_started':
        this.#positions.clear();
        this.#here.clear();
        this.#work.clear();
        // What it took to understand its message is the goal's.
        this.#replies = this.#betweenReplies;
        this.#understood = this.#betweenReplies;
        this.#betweenReplies = 0;
        this.#wrapUps = 0;
        this.#goal = event.number;
        this.#verdicts = 0;
        this.#failedChecks = 0;
        return;
      case 'task_started':
        // Anew: a person changed the plan, or the orchestrator has it tried again.
        for (const reporting of [true, false]) {
          this.#positions.delete(`execution/${cursor.position.cycle}/${event.taskId}/${reporting}`);
        }
        return;
      case 'task_ended':
        if (isUncounted(event.reason) || goal.number !== this.#goal) return;
        // Its own cycle: the run may be at the next plan already.
        this.#taskEnded(
          event,
          tasks.find(({ id }) => id === event.taskId),
        );
        return;
      default:
    }
  }

  #planned(cycle: number, counted: number): void {
    const positions = this.#of('planning', cycle, null);
    const rounds = sum(positions, 'rounds');
    const least = rounds - sum(positions, 'credits');
    expectThat(counted <= rounds && counted >= least, `${counted} for ${rounds} planning rounds`);
  }

  #taskEnded(
    { taskId, reason }: { taskId: string; reason: string | null },
    task: Pick<Task, 'cycle' | 'rounds'> | undefined,
  ): void {
    const counted = task?.rounds ?? null;
    const cycle = this.#lastCycleOf(taskId) ?? task?.cycle ?? 0;
    const positions = this.#of('execution', cycle, taskId);
    const rounds = sum(positions, 'rounds');
    const right = counted !== null && counted <= rounds && counted >= rounds - sum(positions, 'credits');
    expectThat(right, `${counted} counted for ${rounds} rounds of ${taskId}`);
    const { execution } = this.#scenario.pinned.limits;
    expectThat(
      reason !== 'max_rounds' || rounds > execution - 1,
      `${taskId} reached its cap after ${rounds} rounds`,
    );
  }
}

function sum(positions: readonly Position[], field: 'rounds' | 'credits'): number {
  return positions.reduce((total, position) => total + position[field], 0);
}

function largest(before: Limits, now: Limits): Limits {
  if (before === now) return before;
  const { planning, execution, verification, tasks, turns, totalTurns } = before;
  return {
    ...now,
    planning: Math.max(planning, now.planning),
    execution: Math.max(execution, now.execution),
    verification: Math.max(verification, now.verification),
    tasks: Math.max(tasks, now.tasks),
    turns: Math.max(turns, now.turns),
    totalTurns: Math.max(totalTurns, now.totalTurns),
  };
}

/** Replies that the caps of a goal allow, with one re-ask for each, and by its turns. */
function mostReplies(limits: Limits): number {
  const cycle = limits.planning + limits.tasks * (limits.execution + 1) + 1;
  const byRounds = 2 * (limits.verification * cycle + 1);
  return Math.min(byRounds, limits.turns + 2);
}
