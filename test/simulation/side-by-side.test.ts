/** What is done at the same time comes to the same as what is done one after the other. */
import { expect, test } from 'vitest';
import type { Limits } from '../../src/run/limits/limits.js';
import type { Message } from '../../src/run/messages/message.js';
import { textOf } from '../../src/run/messages/message.js';
import { MODES } from '../../src/run/position/modes.js';
import type { RunState } from '../../src/run/state/run-state.js';
import { modelFacts } from '../support/core-values.js';
import { DECLARED } from './declared.js';
import { NOBODY } from './people.js';
import { type Scenario, scenarioOf } from './scenario.js';
import { type Simulated, simulate } from './simulate.js';

const SEEDS = 60;
/** Nothing is trimmed: how much a conversation holds differs while tasks are at work. */
const ROOMY = { 'p/a': modelFacts(1_000_000, true) };
const MODE_NAMES = [...MODES, ...Object.keys(DECLARED)];

test(`parallelTools: ${SEEDS} random runs of every mode, with agents and failures, 4 at the same time → the transcripts, answers and usage of one after the other (C21)`, async () => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const scenario = undisturbed(seed, MODE_NAMES[seed % MODE_NAMES.length] ?? 'team');
    const one = await simulated(scenario, { parallelTools: 1 });
    const four = await simulated(scenario, { parallelTools: 4 });
    expect(four.runs.map(said), `seed ${seed}`).toEqual(one.runs.map(said));
    for (const tag of four.seen) seen.add(tag);
  }
  expect(
    ['tools at the same time', 'agents at the same time', 'tool unavailable'].filter(tag => !seen.has(tag)),
  ).toEqual([]);
});

test(`parallelTasks: ${SEEDS} random plans of tasks that have nothing to do with each other, 3 at the same time → each task's replies and results, and the joined conversation, of one after the other (C21)`, async () => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const scenario = independent(undisturbed(seed, seed % 2 === 0 ? 'team' : 'plan'));
    const one = await simulated(scenario, { parallelTasks: 1 });
    const three = await simulated(scenario, { parallelTasks: 3 });
    expect(three.runs.map(done), `seed ${seed}`).toEqual(one.runs.map(done));
    for (const tag of three.seen) seen.add(tag);
  }
  expect(
    ['tasks side by side', 'models at the same time', 'an agent of a task beside others'].filter(
      tag => !seen.has(tag),
    ),
  ).toEqual([]);
});

/** Alone, with no limit that time or others at work would reach. */
function undisturbed(seed: number, mode: string): Scenario {
  const { pinned, ...rest } = scenarioOf(seed, false, mode);
  const limits = {
    ...pinned.limits,
    parallelTasks: 1,
    wallTimeMs: 1e12,
    turns: 500,
    tokens: 1e12,
    costUsd: null,
  };
  // What a function leaves out follows from all that was said before, by others too.
  const { context: _changed, ...unchanged } = pinned;
  const own = { ...unchanged, limits };
  return {
    ...rest,
    pinned: Object.keys(rest.agents).length > 0 ? { ...own, dedupe: 'off', modelInfo: ROOMY } : own,
    stop: null,
    cancel: null,
    people: NOBODY,
    maxFailures: Number.POSITIVE_INFINITY,
    longTexts: false,
    byPlace: true,
  };
}

/** What one task leaves concerns others: a model that failed, a result to be given again, an artifact. */
function independent(scenario: Scenario): Scenario {
  const tools = scenario.pinned.tools.filter(({ name }) => !name.includes('artifact'));
  const pinned = { ...scenario.pinned, tools, modelInfo: ROOMY, resolver: [] };
  return {
    ...scenario,
    pinned: { ...pinned, dedupe: 'off', onStepFailure: 'skip' },
    failureRate: 0,
    oddReplies: 0,
    independent: true,
  };
}

type Compared = Pick<Simulated, 'seen'> & { runs: ReturnType<typeof runsOf> };

async function simulated(scenario: Scenario, more: Partial<Limits>): Promise<Compared> {
  const { pinned } = scenario;
  const limits = { ...pinned.limits, ...more };
  const run = await simulate({ ...scenario, pinned: { ...pinned, limits } }, 'never');
  return { seen: run.seen, runs: runsOf(run) };
}

/** The lead, and its agents by what they were to do: their numbers are as they began. */
function runsOf({ agents, state, transcript }: Simulated) {
  const others = Object.values(agents).sort((a, b) => (a.state.goal.text < b.state.goal.text ? -1 : 1));
  return [{ state, transcript }, ...others];
}

type ComparedRun = Compared['runs'][number];

/** All that was said, but for ids and times. */
function said({ state, transcript }: ComparedRun) {
  const threads = Object.entries(transcript).map(([id, messages]) => [
    id,
    messages.filter(each => !isOfOrder(each, state)).map(plain),
  ]);
  return {
    end: state.end,
    tasks: state.tasks.map(({ begunMs: _begun, ...task }) => task),
    usage: usageIn(state),
    threads,
  };
}

/** What was done and found: instructions tell of other tasks. */
function done({ state }: ComparedRun) {
  const { end, tasks, threads } = state;
  const results = tasks.map(({ id, status, reason, result, rounds }) => ({
    id,
    status,
    reason,
    result,
    rounds,
  }));
  const main = Object.entries(threads).map(([id, { messages }]) => [
    id,
    messages.filter(({ kind }) => kind !== 'user').map(plain),
  ]);
  return { end, results, usage: usageIn(state), main };
}

/** In whatever order roles and models came. */
function usageIn({ total: { usageBy, ...total } }: RunState) {
  return { ...total, usageBy: new Set(usageBy.map(entry => JSON.stringify(entry))) };
}

/** What is told of time, and of reads that hold still: one that an agent was at work beside does not. */
function isOfOrder(message: Message, { pinned }: RunState): boolean {
  if (message.kind !== 'user') return false;
  if (message.purpose === 'instruction' && pinned && pinned.agents.length > 0) return true;
  return textOf(message).includes(' was estimated at ');
}

function plain({ id: _id, at: _at, ...message }: Message): unknown {
  return JSON.parse(JSON.stringify(message), (key, value) =>
    key === 'id' || key === 'toolUseId' || key === 'durationMs' ? undefined : value,
  );
}
