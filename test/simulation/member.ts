/** One run of a tree, from its first message to its end, in as many parts as it takes. */
import { FEATURES } from '../../src/compose.js';
import { resumedState } from '../../src/conversation/handover.js';
import type { GoalEnd } from '../../src/run/state/goal.js';
import { newRunState } from '../../src/run/state/run-state.js';
import { adopted } from '../../src/workflows/beside/moments.js';
import { beginRun, endRun, goOn, pursue, waitForFollowUp } from '../../src/workflows/goals.js';
import { answerFor } from '../../src/workflows/phases/conclude.js';
import { Run } from '../../src/workflows/run/run.js';
import { expectThat } from './expect-that.js';
import type { Scenario } from './scenario.js';
import type { Surroundings } from './surroundings.js';
import { Watcher } from './watcher.js';
import type { Course } from './world.js';
import { HandedOver, type World } from './world.js';

/** What led to a fault, for whoever looks into it. */
const SHOWN_EVENTS = 60;

/** More goals than all messages could be. */
const MOST_LOOKS = 100;

type Ended = Parameters<typeof endRun>[1] & { unread: ReturnType<typeof endRun> };

export class Member {
  readonly path: string;
  readonly scenario: Scenario;
  readonly watcher: Watcher;
  readonly world: World;
  /** The part that runs, or ran last. */
  run: Run;

  constructor(scenario: Scenario, course: Course, around: Surroundings, WorldOfRun: typeof World) {
    this.path = around.path;
    this.scenario = scenario;
    this.watcher = new Watcher(scenario);
    this.world = new WorldOfRun(scenario, course, this.watcher, around);
    this.run = new Run(
      newRunState(scenario.goal, scenario.settings, around.timeline.now),
      this.world,
      FEATURES,
    );
    this.world.serve(this.run);
  }

  /** As the workflow does, from its first message to its end. @throws Cancelled */
  async lives(): Promise<Ended> {
    try {
      const refused = await this.#begins();
      for (;;) {
        try {
          return await this.#session(refused);
        } catch (error) {
          if (!(error instanceof HandedOver)) throw error;
          this.run = new Run(adopted(resumedState(JSON.parse(error.json)), FEATURES), this.world, FEATURES);
          this.world.serve(this.run);
        }
      }
    } catch (error) {
      if (error instanceof Error) error.cause ??= this.run.state.log.journal.events.slice(-SHOWN_EVENTS);
      throw error;
    }
  }

  async #begins(): Promise<GoalEnd | null> {
    const { run, world, scenario } = this;
    const { mode } = scenario.settings;
    run.journal('run_started', { mode, goal: scenario.goal.slice(0, 100) });
    if (this.path !== '') {
      await world.loads();
      world.throwIfCancelled();
      if (run.state.people.stop) return answerFor(run, 'stopped');
    }
    await beginRun(run, structuredClone(scenario.pinned));
    return null;
  }

  /** One goal after the other, with a wait between the last look but one and the last. */
  async #session(refused: GoalEnd | null): Promise<Ended> {
    const { run, world } = this;
    for (let looks = 0; ; looks += 1) {
      expectThat(looks < MOST_LOOKS, 'the run looks for its next goal again and again');
      const end = refused ?? (await pursue(run));
      if (goOn(run, end) || (await waitForFollowUp(run, end))) continue;
      await world.beforeEnd();
      for (let told = world.callerTold(); told; told = world.callerTold()) await told;
      if (goOn(run, end)) continue;
      return { ...end, unread: endRun(run, end) };
    }
  }

  ended(): void {
    try {
      this.watcher.ended(this.run.state);
      this.world.looksBeside();
    } catch (error) {
      if (error instanceof Error) error.cause ??= this.watcher.record().journal.slice(-SHOWN_EVENTS);
      throw error;
    }
  }
}
