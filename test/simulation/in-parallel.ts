/** Simulates in worker threads, from one bundle: several times faster than under a test runner's transforms. */
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import type { SimulatedRuns } from './simulate.js';

/** A fixed number, so that every machine tries the same seeds. */
const SHARDS = 4;
const SEEDS_APART = 1_000_000;

/** Makes at least that many runs, of the same seeds each time. */
export async function simulateInParallel(runs: number): Promise<SimulatedRuns[]> {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const outfile = `${root}/node_modules/.cache/steersman-simulation/${process.pid}.mjs`;
  await build({
    entryPoints: [fileURLToPath(new URL('./shard.ts', import.meta.url))],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  try {
    const firsts = Array.from({ length: SHARDS }, (_, shard) => 1 + shard * SEEDS_APART);
    return await Promise.all(firsts.map(first => shardOf(outfile, first, Math.ceil(runs / SHARDS))));
  } finally {
    rmSync(outfile, { force: true });
  }
}

function shardOf(script: string, first: number, runs: number): Promise<SimulatedRuns> {
  const worker = new Worker(script, { workerData: { first, runs } });
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', code => reject(new Error(`the simulation ended with code ${code}`)));
  });
}
