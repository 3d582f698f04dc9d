import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { workerOfQueue } from '../../../../src/client/here/project-worker.js';
import { trustFrom } from '../../../../src/config/trust/trust.js';
import { noteQueue } from '../../../../src/shared/local/queues.js';
import { projectRoot } from '../../../../src/shared/process/package.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'steersman-queues-'));
  vi.stubEnv('XDG_STATE_HOME', join(dir, 'state'));
});
afterEach(() => vi.unstubAllEnvs());

function folder(name: string): string {
  const made = join(dir, name);
  mkdirSync(made);
  writeFileSync(join(made, 'steersman.yaml'), 'limits: { planning: 2 }\n');
  return made;
}

test('runs left open: those of another folder → go on with that folder, not with the one at hand', () => {
  const [named, trusted] = [folder('named'), folder('trusted')];
  trustFrom(trusted);
  noteQueue(dir, 'steersman-a-1', { folder: named, named: true });
  noteQueue(dir, 'steersman-b-2', { folder: trusted, named: false });
  expect(workerOfQueue(dir, 'steersman-a-1')).toMatchObject({
    args: ['--config', named],
    cwd: named,
    ofOther: true,
  });
  expect(workerOfQueue(dir, 'steersman-b-2')).toMatchObject({ args: [], cwd: trusted, ofOther: true });
});

test('runs left open: their folder is no longer trusted as it is, or gone → refused, with what to do', () => {
  const one = folder('one');
  trustFrom(one);
  noteQueue(dir, 'steersman-a-1', { folder: one, named: false });
  writeFileSync(join(one, '.mcp.json'), '{ "mcpServers": { "a": { "command": "evil" } } }');
  expect(() => workerOfQueue(dir, 'steersman-a-1')).toThrow('it is not trusted yet');
  rmSync(one, { recursive: true });
  expect(() => workerOfQueue(dir, 'steersman-a-1')).toThrow('is gone');
});

test('runs left open: nothing is known of their folder → the one at hand', () => {
  expect(workerOfQueue(dir, 'steersman-c-3')).toMatchObject({ cwd: projectRoot });
});

test('WB16 a start in the console, in a folder that is not trusted → no option is advised that the console does not have', async () => {
  // Who reads hints is a word for the whole process.
  vi.resetModules();
  (await import('../../../../src/shared/process/called-as.js')).hintCommands();
  const fresh = await import('../../../../src/client/here/project-worker.js');
  const one = folder('one');
  noteQueue(dir, 'steersman-a-1', { folder: one, named: false });
  const remedy = remedyOf(() => fresh.workerOfQueue(dir, 'steersman-a-1'));
  vi.resetModules();
  expect(remedy).toContain('doctor');
  expect(remedy).not.toContain('--config');
});

function remedyOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    if (error instanceof Error && 'remedy' in error) return error.remedy;
  }
  throw new Error('it was not refused');
}
