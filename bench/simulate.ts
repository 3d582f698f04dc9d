/**
 * The long simulation: it draws new seeds at every call, and keeps failing ones for `test:storms`, which plays them
 * first.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { DEFAULT_MODE, MODES, type ModeName } from '../src/run/position/modes.js';
import { DECLARED } from '../test/simulation/declared.js';
import { type BadSeed, simulateRuns, simulateSeed } from '../test/simulation/simulate.js';
import { machine } from './support/machine.js';

const BAD_SEEDS = 'test/simulation/bad-seeds.json';
const MOST_BAD = 10;

const options = new Command('simulate')
  .option('--runs <n>', 'runs to make', Number, 100_000)
  .option('--from <seed>', 'the first seed; by default a new one each time', Number, Date.now())
  .option('--seed <seed>', 'this seed only, in all its runs', Number)
  .option('--alone', 'that seed without people')
  .option('--typed', 'that seed with a schema of its answers')
  .addOption(
    new Option('--mode <mode>', 'that seed in this mode')
      .choices([...MODES, ...Object.keys(DECLARED)])
      .default(DEFAULT_MODE),
  )
  .parse()
  .opts<{ runs: number; from: number; seed?: number; alone?: boolean; typed?: boolean; mode: ModeName }>();

if (options.seed !== undefined) {
  const { runs } = await simulateSeed(options.seed, {
    attended: !options.alone,
    mode: options.mode,
    typed: options.typed === true,
    all: true,
  });
  console.log(`seed ${options.seed}: ${runs} runs, every invariant holds`);
} else {
  const started = Date.now();
  const { runs, seeds, bad } = await simulateRuns(options.from, options.runs, MOST_BAD);
  const seconds = ((Date.now() - started) / 1_000).toFixed(1);
  console.log(`${runs} runs of ${seeds} seeds from ${options.from} in ${seconds} s, ${machine()}`);
  for (const { seed, attended, mode, typed, error } of bad)
    console.log(
      `seed ${seed}, ${mode}, ${attended ? 'attended' : 'alone'}${typed ? ', typed' : ''}: ${error}`,
    );
  keep(bad);
  process.exitCode = bad.length === 0 ? 0 : 1;
}

function keep(bad: readonly BadSeed[]): void {
  if (bad.length === 0) return;
  const kept: { seed: number; attended?: boolean; mode?: ModeName; typed?: true; found: string }[] =
    JSON.parse(readFileSync(BAD_SEEDS, 'utf8'));
  for (const { seed, attended, mode, typed, error } of bad)
    kept.push({ seed, attended, mode, ...(typed && { typed }), found: error.split('\n')[0] ?? '' });
  writeFileSync(BAD_SEEDS, `${JSON.stringify(kept, null, 2)}\n`);
  console.log(`kept in ${BAD_SEEDS}`);
}
