/** Simulates in worker threads, from one bundle: several times faster than under a test runner's transforms. */
import { readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import type { SimulatedRuns } from './simulate.js';

const SHARD = fileURLToPath(new URL('./shard.ts', import.meta.url));
const FREEZE = fileURLToPath(new URL('./freeze.ts', import.meta.url));

/** A fixed number, so that every machine tries the same seeds. */
const SHARDS = 4;
const SEEDS_APART = 1_000_000;

/** Makes at least that many runs, of the same seeds each time. */
export async function simulateInParallel(runs: number): Promise<SimulatedRuns[]> {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const outfile = `${root}/node_modules/.cache/steersman-simulation/${process.pid}.mjs`;
  await build({
    stdin: { contents: entry(root), resolveDir: root },
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

/** A worker of runs loads their modules once, and freezes what they export: here it is the same. */
function entry(root: string): string {
  const floors = ['base', 'run', 'conversation', 'rules', 'workflows'].map(floor => `src/${floor}`);
  const files = floors.flatMap(dir =>
    readdirSync(`${root}/${dir}`, { recursive: true, encoding: 'utf8' })
      .filter(file => file.endsWith('.ts'))
      .map(file => `./${dir}/${file}`),
  );
  return [
    ...files.map((file, index) => `import * as m${index} from ${JSON.stringify(file)};`),
    `import { freezeAll } from ${JSON.stringify(FREEZE)};`,
    `freezeAll([${files.map((_, index) => `m${index}`)}]);`,
    `await import(${JSON.stringify(SHARD)});`,
  ].join('\n');
}

function shardOf(script: string, first: number, runs: number): Promise<SimulatedRuns> {
  const worker = new Worker(script, { workerData: { first, runs } });
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', code => reject(new Error(`the simulation ended with code ${code}`)));
  });
}
