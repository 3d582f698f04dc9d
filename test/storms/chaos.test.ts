import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ChaosFigures, chaos } from '../support/chaos/chaos.js';
import { killWorkers } from '../support/processes.js';
import { startTemporal } from '../support/rig.js';

/** Short ones: `npm run bench -- chaos` plays longer, with the Temporal server among what is struck. */
const SEEDS = Array.from({ length: 12 }, (_, index) => 101 + index);
const AT_ONCE = 6;
const SHORT = { faults: 3, runs: 1, workers: 1, longestPauseMs: 3_000 };

let env: TestWorkflowEnvironment;

beforeAll(async () => {
  env = await startTemporal();
});
afterAll(async () => {
  killWorkers();
  await env?.teardown();
});

test('chaos: workers and tool servers killed and paused at random moments while people watch, ask and steer → every run ends and replays, nothing lost, doubled or left running (ST3)', async () => {
  const { client, address } = env;
  const seeds = [...SEEDS];
  const played: ChaosFigures[] = [];
  const play = async () => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      played.push(await chaos({ client, address, seed, ...SHORT }));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, play));
  // The seed of what is wrong: `npm run bench -- chaos --seed N`.
  const wrong = played.flatMap(({ seed, faults }) => faults.map(fault => `seed ${seed}: ${fault}`));
  expect(wrong).toEqual([]);
  const struck = Object.assign({}, ...played.map(figures => figures.struck));
  expect(Object.keys(struck).sort()).toEqual([
    'tool server killed',
    'tool server paused',
    'worker killed',
    'worker paused',
  ]);
  expect(played.every(({ messages }) => messages > 0)).toBe(true);
  expect(played.some(({ agents }) => agents > 0)).toBe(true);
}, 240_000);
