// node scripts/freeze.mjs [FILE …]
// Records the frozen histories anew (test/histories), from the runs of whole test files. Each file is run once as it
// is, and once on servers that suggest continue-as-new early, where some tests fail. That takes a quarter of an hour.
// With names of files, such as `skills`, only these are run, and their histories are added.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const named = process.argv.slice(2);

/**
 * Files of `test/e2e` and `test/processes` that together cover everything that `test/support/history-facts.ts` names.
 */
const FILES = `
  agent-tree answers app-calls artifacts asks checks compaction credits evidence follow-ups gates gates-meeting
  hooks keyed-calls lead modes own-worker refusals schedules session-runs sessions side-by-side skills steering
  steering-review steering-roles team-models team-stops team-tools transforms
`;

/** The server suggests continue-as-new after this many events of a segment. A run has more before its first gate. */
const EVENTS_OF_PART = '8';

const root = new URL('..', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'histories-'));
const files = (named.length > 0 ? named : FILES.trim().split(/\s+/)).map(file => `/${file}.test.ts`);
const adding = named.length > 0 ? { STEERSMAN_TEST_FREEZE_ADDS: '1' } : {};

/** @returns the exit code. */
function vitest(args, env = {}) {
  const how = { cwd: root, env: { ...process.env, ...env }, stdio: 'inherit' };
  return spawnSync('npx', ['vitest', 'run', ...args], how).status ?? 1;
}

const recording = { STEERSMAN_TEST_RECORD_TO: folder };
const inParts = { ...recording, STEERSMAN_TEST_RECORD_PARTS: EVENTS_OF_PART };
const steps = [
  () => vitest(['--project', 'e2e', '--project', 'processes', ...files], recording),
  // The result of these tests is ignored: only their runs are needed.
  () => vitest(['--project', 'e2e', '--project', 'processes', ...files], inParts) && 0,
  () =>
    vitest(['--project', 'unit', 'test/unit/histories.test.ts'], {
      STEERSMAN_TEST_FREEZE_FROM: folder,
      ...adding,
    }),
  () => vitest(['--project', 'e2e', 'test/e2e/replay.test.ts']),
];
process.exitCode = steps.reduce((status, step) => status || step(), 0);
rmSync(folder, { recursive: true });
