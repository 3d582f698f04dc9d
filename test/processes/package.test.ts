import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stopStack } from '../../packages/stack/local-stack.js';
import { installPackage, strangersEnvironment, typeChecked } from '../support/package.js';
import { projectRoot } from '../support/project.js';

const execute = promisify(execFile);

let dir: string;
let home: string;

beforeAll(() => {
  dir = installPackage();
  home = join(dir, 'state', 'steersman');
});

afterAll(() => stopStack(home, () => {}));

test('package: a program that starts, watches, steers, answers and runs a tool of its own → its types fit, and it gets the answer', async () => {
  cpSync(join(projectRoot, 'test/support/stranger.mjs'), join(dir, 'program.mjs'));
  const entries = ['client', 'worker', 'workflow', 'messages', 'vocabularies', 'testing'];
  const all = entries.map((name, index) => `export * as door${index} from 'steersman/${name}';`);
  writeFileSync(join(dir, 'all.mts'), all.join('\n'));
  await typeChecked(dir, ['program.mjs', 'all.mts']);
  const { stdout } = await execute(process.execPath, ['program.mjs'], {
    cwd: dir,
    env: strangersEnvironment(dir),
    // It starts the whole stack.
    timeout: 240_000,
    // A worker drains when it is asked to end.
    killSignal: 'SIGKILL',
  });
  expect(stdout).toContain('1961');
});

test('package: the command in a folder without configuration → the answer, with the state in the user’s folder', async () => {
  const folder = join(dir, 'empty');
  mkdirSync(folder);
  writeFileSync(join(folder, 'notes.md'), '# Boats\n\nTwo of them.\n');
  const steersman = (...args: string[]) =>
    execute(join(dir, 'node_modules/.bin/steersman'), args, { cwd: folder, env: strangersEnvironment(dir) });
  const { stdout, stderr } = await steersman('Summarise what is in this folder');
  expect(stdout).toContain('notes.md');
  expect(stderr).not.toContain('npm');
  const listed = JSON.parse((await steersman('list', '--json')).stdout);
  expect(listed).toMatchObject({ outcome: 'completed' });
  const refused = await steersman('show', 'nobody').catch((error: { stderr: string }) => error);
  expect(refused.stderr).toContain('steersman list');
  expect(existsSync(home)).toBe(true);
  expect(readdirSync(folder)).toEqual(['notes.md']);
});
