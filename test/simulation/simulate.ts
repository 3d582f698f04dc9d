/** Simulates one run from its first message to its end, and the same run with continue-as-new. */

import type { Message } from '../../src/run/messages/message.js';
import { DEFAULT_MODE, MODES, type ModeName } from '../../src/run/position/modes.js';
import type { JournalEvent } from '../../src/run/state/journal.js';
import type { RunState } from '../../src/run/state/run-state.js';
import { DECLARED } from './declared.js';
import { expectThat } from './expect-that.js';
import type { Scenario } from './scenario.js';
import { scenarioOf, withAnswer } from './scenario.js';
import { Tree } from './tree.js';
import { expectTreeHolds } from './tree-watch.js';
import type { Course, HandoverPolicy } from './world.js';
import { World } from './world.js';

interface SimulatedRun {
  state: RunState;
  /** All messages ever written, by thread, and all events. */
  transcript: Record<string, Message[]>;
  journal: JournalEvent[];
}

export interface Simulated extends SimulatedRun {
  /** Runs of its sub-agents, by the way to them. */
  agents: Record<string, SimulatedRun>;
  /** What happened, in words, to see that nothing is left untried. */
  seen: ReadonlySet<string>;
}

/** Runs a scenario to its end. @throws Error that names the invariant it broke. */
export async function simulate(
  scenario: Scenario,
  course: HandoverPolicy | Course,
  WorldOfRun: typeof World = World,
): Promise<Simulated> {
  const tree = new Tree(
    scenario,
    typeof course === 'string' ? { policy: course, inStep: false } : course,
    WorldOfRun,
  );
  await tree.lives();
  expectTreeHolds(tree);
  const { '': lead, ...agents } = Object.fromEntries(
    [...tree.members].map(([path, { run, watcher }]) => [path, { state: run.state, ...watcher.record() }]),
  );
  if (!lead) throw new Error('a tree has no lead');
  const seen = new Set([lead, ...Object.values(agents)].flatMap(run => [...run.seen]));
  return { ...lead, agents, seen };
}

export interface SeedResult {
  runs: number;
  seen: ReadonlySet<string>;
}

export interface SeedOptions {
  attended: boolean;
  mode?: ModeName;
  /** Goals must end with a value that fits a schema. Default false. */
  typed?: boolean;
  all?: boolean;
}

/**
 * Up to three runs of one seed: uninterrupted, handed over at every safe point, and handed over with too
 * little room. The first two must not differ in anything but the handovers. Where the seed names which of
 * the last two are made, `all` makes them all.
 */
export async function simulateSeed(
  seed: number,
  { attended, mode, typed = false, all = false }: SeedOptions,
): Promise<SeedResult> {
  const scenario = typed ? withAnswer(scenarioOf(seed, attended, mode)) : scenarioOf(seed, attended, mode);
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
  typed: boolean;
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
    const typed = seed % 5 === 2;
    try {
      const result = await simulateSeed(seed, { attended, mode, typed });
      runs += result.runs;
      for (const tag of result.seen) seen.add(tag);
    } catch (error) {
      runs += 1;
      bad.push({
        seed,
        attended,
        mode,
        typed,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
    }
  }
  return { runs, seeds: seed - first, seen, bad };
}

/** Most of the default mode, which has the most positions. */
function modeOf(seed: number): ModeName {
  const others = [...MODES.filter(mode => mode !== DEFAULT_MODE), ...Object.keys(DECLARED)];
  return seed % 7 === 3 ? (others[Math.floor(seed / 7) % others.length] ?? DEFAULT_MODE) : DEFAULT_MODE;
}

function comparable({ agents, ...lead }: Simulated): Record<string, unknown> {
  const runs = Object.entries(agents).map(([path, run]) => [path, comparableRun(run)]);
  return { ...comparableRun(lead), agents: Object.fromEntries(runs) };
}

function comparableRun({ state, transcript, journal }: SimulatedRun): Record<string, unknown> {
  const {
    segment: _segment,
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
