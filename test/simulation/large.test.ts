/** Runs in which everybody writes without end: the state stays within its bounds at every safe point. */
import { expect, test } from 'vitest';
import { LongWindedWorld, longScenario } from './long-winded.js';
import { simulate } from './simulate.js';

const SEEDS = Array.from({ length: 8 }, (_, index) => 7_000_000 + index);

test('state: everybody writes without end, handed over at every safe point → each part within its bound, the whole within an input (ST1, L20)', async () => {
  const seen = new Set<string>();
  for (const seed of SEEDS) {
    const run = await simulate(longScenario(seed, seed % 3 !== 0), 'every', LongWindedWorld).catch(error => {
      throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : error}`, { cause: error });
    });
    for (const event of run.journal) seen.add(event.type);
  }
  expect(['store_failed', 'thread_trimmed', 'goal_ended'].filter(type => !seen.has(type))).toEqual([]);
});
