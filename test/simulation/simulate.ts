/** Simulates one run from its first message to its end, and the same run with continue-as-new. */
import type { JournalEvent } from '../../src/core/journal.js';
import type { Message } from '../../src/core/message.js';
import { DEFAULT_MODE, MODES, type ModeName } from '../../src/core/modes.js';
import { resumedState } from '../../src/core/resume.js';
import type { RunState } from '../../src/core/run-state.js';
import { newRunState } from '../../src/core/run-state.js';
import { beginRun, endCancelled, endRun, goOn, keptOpen, pursue } from '../../src/workflows/goals.js';
import { Run } from '../../src/workflows/run.js';
import { DECLARED } from './declared.js';
import { expectThat } from './expect-that.js';
import type { Scenario } from './scenario.js';
import { scenarioOf } from './scenario.js';
import { Watcher } from './watcher.js';
import type { Course, HandoverPolicy } from './world.js';
import { Cancelled, HandedOver, World } from './world.js';

export interface Simulated {
  state: RunState;
  /** All messages ever written, by thread, and all events. */
  transcript: Record<string, Message[]>;
  journal: JournalEvent[];
  /** What happened, in words, to see that nothing is left untried. */
  seen: ReadonlySet<string>;
}

/** Runs a scenario to its end. @throws Error that names the invariant it broke. */
export async function simulate(
  scenario: Scenario,
  course: HandoverPolicy | Course,
  WorldOfRun: typeof World = World,
): Promise<Simulated> {
  const watcher = new Watcher(scenario);
  const whole = typeof course === 'string' ? { policy: course, inStep: false } : course;
  const world = new WorldOfRun(scenario, whole, watcher);
  let run = new Run(newRunState(scenario.goal, scenario.settings, world.now()), world);
  world.serve(run);
  run.journal('run_started', { mode: scenario.settings.mode, goal: scenario.goal.slice(0, 100) });
  try {
    await beginRun(run, structuredClone(scenario.pinned));
    for (;;) {
      try {
        await session(run, world);
        break;
      } catch (error) {
        if (!(error instanceof HandedOver)) throw error;
        run = new Run(resumedState(JSON.parse(error.json)), world);
        world.serve(run);
      }
    }
  } catch (error) {
    if (error instanceof Error) error.cause ??= run.state.log.journal.events.slice(-SHOWN_EVENTS);
    if (!(error instanceof Cancelled)) throw error;
    endCancelled(run);
  }
  world.afterEnd();
  try {
    watcher.ended(run.state);
  } catch (error) {
    if (error instanceof Error) error.cause ??= watcher.record().journal.slice(-SHOWN_EVENTS);
    throw error;
  }
  return { state: run.state, ...watcher.record() };
}

/** What led to a fault, for whoever looks into it. */
const SHOWN_EVENTS = 60;

/** More goals than all messages could be. */
const MOST_LOOKS = 100;

/** As the workflow does: one goal after the other, with a wait between the last look but one and the last. */
async function session(run: Run, world: World): Promise<void> {
  for (let looks = 0; ; looks += 1) {
    expectThat(looks < MOST_LOOKS, 'the run looks for its next goal again and again');
    const end = await pursue(run);
    if (goOn(run, end) || (await keptOpen(run, end))) continue;
    await world.beforeEnd();
    if (goOn(run, end)) continue;
    endRun(run, end);
    return;
  }
}

export interface SeedResult {
  runs: number;
  seen: ReadonlySet<string>;
}

/**
 * Up to three runs of one seed: uninterrupted, handed over at every safe point, and handed over with too
 * little room. The first two must not differ in anything but the handovers. Where the seed names which of
 * the last two are made, `all` makes them all.
 */
export async function simulateSeed(
  seed: number,
  { attended, mode, all = false }: { attended: boolean; mode?: ModeName; all?: boolean },
): Promise<SeedResult> {
  const scenario = scenarioOf(seed, attended, mode);
  const comparesAll = all || seed % 2 === 0;
  const { parallelTasks } = scenario.pinned.limits;
  const runs: Simulated[] = [];
  if (!comparesAll || parallelTasks > 1) runs.push(await simulate(scenario, 'never'));
  if (comparesAll) {
    const plain = await simulate(scenario, { policy: 'never', inStep: true });
    const every = await simulate(scenario, 'every');
    expectSame(comparable(plain), comparable(every));
    runs.push(plain, every);
  }
  if (all || seed % 4 === 1) runs.push(await simulate(scenario, 'tight'));
  return { runs: runs.length, seen: new Set(runs.flatMap(run => [...run.seen])) };
}

export interface BadSeed {
  seed: number;
  attended: boolean;
  mode: ModeName;
  error: string;
}

export interface SimulatedRuns {
  runs: number;
  seeds: number;
  seen: Set<string>;
  bad: BadSeed[];
}

/** Simulates seeds from `first` on until that many runs are made; stops at `mostBad` bad seeds. */
export async function simulateRuns(first: number, atLeast: number, mostBad = 1): Promise<SimulatedRuns> {
  const seen = new Set<string>();
  const bad: BadSeed[] = [];
  let runs = 0;
  let seed = first;
  for (; runs < atLeast && bad.length < mostBad; seed += 1) {
    const attended = seed % 3 !== 0;
    const mode = modeOf(seed);
    try {
      const result = await simulateSeed(seed, { attended, mode });
      runs += result.runs;
      for (const tag of result.seen) seen.add(tag);
    } catch (error) {
      runs += 1;
      bad.push({
        seed,
        attended,
        mode,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
    }
  }
  return { runs, seeds: seed - first, seen, bad };
}

/** Most of the default mode, which has the most places. */
function modeOf(seed: number): ModeName {
  const others = [...MODES.filter(mode => mode !== DEFAULT_MODE), ...Object.keys(DECLARED)];
  return seed % 7 === 3 ? (others[Math.floor(seed / 7) % others.length] ?? DEFAULT_MODE) : DEFAULT_MODE;
}

function comparable({ state, transcript, journal }: Simulated): Record<string, unknown> {
  const {
    part: _part,
    previousRunId: _previous,
    log: { journal: _journal },
    ...same
  } = state;
  const events = journal.filter(event => event.type !== 'continued_as_new');
  return { ...same, transcript, events: events.map(({ seq: _seq, ...event }) => event) };
}

function expectSame(plain: Record<string, unknown>, every: Record<string, unknown>): void {
  for (const key of Object.keys({ ...plain, ...every })) {
    if (JSON.stringify(plain[key]) === JSON.stringify(every[key])) continue;
    const [one, other] = [pretty(plain[key]), pretty(every[key])];
    const line = one.findIndex((text, index) => text !== other[index]);
    const at = (lines: string[]) => lines.slice(Math.max(0, line - 3), line + 4).join('\n');
    expectThat(false, `continue-as-new changed ${key}: without it\n${at(one)}\n… with it\n${at(other)}`);
  }
}

function pretty(value: unknown): string[] {
  return (JSON.stringify(value, null, 1) ?? 'nothing').split('\n');
}
