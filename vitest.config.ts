import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const ROOT = new URL('.', import.meta.url).pathname;

/**
 * The files share their processes and the modules that these have loaded, which takes a third of the time of unit tests
 * and two seconds of each other file: a file that mocks a module or sets a variable takes it back.
 */
const shared = { isolate: false };

/** With a real Temporal server, workers and tools as processes. */
const SETUP_OF_RUNS = [
  'test/support/own-environment.ts',
  // Only for scripts/freeze.mjs.
  ...(process.env.STEERSMAN_TEST_RECORD_TO ? ['test/support/record-runs.ts'] : []),
];

const wholeRuns = {
  globalSetup: ['test/support/temporal-servers.ts'],
  testTimeout: 300_000,
  hookTimeout: 300_000,
  pool: 'forks',
  // Real processes on a machine of unknown load; what fails twice is broken. Locally nothing is tried again.
  retry: process.env.CI ? 1 : 0,
};

/** As tsconfig.json has them: the doors of the floors and of the packages, from their sources. */
const doors = [
  { find: /^@steersman\/([\w-]+)$/, replacement: `${ROOT}packages/$1/index.ts` },
  { find: /^steersman$/, replacement: `${ROOT}src/client/index.ts` },
  { find: /^steersman\/console$/, replacement: `${ROOT}packages/console/index.ts` },
  { find: /^steersman\/(components|react)$/, replacement: `${ROOT}packages/$1/index.ts` },
  { find: /^steersman\/testing$/, replacement: `${ROOT}packages/test-kit/index.ts` },
  { find: /^steersman\/messages$/, replacement: `${ROOT}src/client/messages/index.ts` },
  { find: /^steersman\/vocabularies$/, replacement: `${ROOT}src/vocabularies.ts` },
  { find: /^steersman\/workflow$/, replacement: `${ROOT}src/workflows/index.ts` },
  { find: /^steersman\/([\w-]+)$/, replacement: `${ROOT}src/$1/index.ts` },
];

export default defineConfig({
  resolve: { alias: doors },
  test: {
    globalSetup: ['test/support/build-once.ts'],
    // Whole runs wait for a model, a server or a process: with fewer, two cores are idle; with more, all wait too long.
    maxWorkers: Math.min(8, Math.max(3, cores())),
    // Of tests within a file that say so: those wait for timeouts of the server, 10 s and more each.
    maxConcurrency: 5,
    // Temporal's client tries a request again by a timer, also when its connection was closed meanwhile.
    onUnhandledError: ({ message }) => message !== 'Channel has been shut down',
    projects: [
      {
        extends: true,
        test: { name: 'simulation', include: ['test/simulation/**/*.test.ts'], testTimeout: 300_000 },
      },
      // Limits are nets for what hangs, wide enough for a busy machine: no test is about time.
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          ...shared,
          setupFiles: ['test/support/property-runs.ts'],
          // On two cores with thirty processes a test that loads all modules anew took two minutes.
          testTimeout: 180_000 + (Number(process.env.PROPERTY_RUNS) || 0) * 20,
          hookTimeout: 180_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          ...wholeRuns,
          ...shared,
          setupFiles: SETUP_OF_RUNS,
          include: ['test/e2e/**/*.test.ts'],
        },
      },
      // Commands, browsers, packages, databases, processes that are killed, and the longer of the whole runs.
      {
        extends: true,
        test: {
          name: 'processes',
          ...wholeRuns,
          ...shared,
          setupFiles: SETUP_OF_RUNS,
          include: ['test/processes/**/*.test.ts'],
        },
      },
      // Random faults, every benchmark, many more random runs, and all inputs of unit tests that try a tenth elsewhere.
      {
        extends: true,
        test: {
          name: 'storms',
          ...wholeRuns,
          setupFiles: ['test/support/property-runs.ts'],
          include: [
            'test/storms/**/*.test.ts',
            'test/simulation/simulation.test.ts',
            ...filesThatTryInputs(),
          ],
          env: { SIMULATION_RUNS: '10000', PROPERTY_RUNS: 'whole' },
        },
      },
    ],
  },
});

/** Files of unit tests that draw their inputs. */
function filesThatTryInputs(): string[] {
  return readdirSync('test/unit', { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.test.ts'))
    .map(file => `test/unit/${file}`)
    .filter(file => /'fast-check'|property-runs\.js'/.test(readFileSync(file, 'utf8')));
}

/** Cores that may be used here: of a large machine, a container may have two. */
function cores(): number {
  const all = availableParallelism();
  try {
    const [quota = '', period = ''] = readFileSync('/sys/fs/cgroup/cpu.max', 'utf8').split(' ');
    return quota === 'max' ? all : Math.min(all, Math.floor(Number(quota) / Number(period)));
  } catch {
    return all;
  }
}
