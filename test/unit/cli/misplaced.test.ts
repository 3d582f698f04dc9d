import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../../src/shared/process/package.js';

test.each([
  ['an option that the verb has too', ['--config', '.', 'doctor', '--json'], '--config', 'doctor'],
  ['--json itself', ['--json', 'list'], '--json', 'list'],
  ['two options of a start', ['--mode', 'lead', '--yes', 'start', 'x', '--json'], '--mode, --yes', 'start'],
  ['a verb of a verb', ['--json', 'schedule', 'list'], '--json', 'schedule list'],
  ['a program of its own', ['--config', '.', 'worker', '--json'], '--config', 'worker'],
])('verb: %s stands before it → a wrong call, never a verb without it', (_, args, options, verb) => {
  const script = join(projectRoot, 'dist/cli.js');
  const { status, stdout } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
  expect(JSON.parse(stdout)).toEqual({
    type: 'error',
    code: 'usage',
    message: `${options} before the verb ${verb} would not count.`,
    remedy: `Say the verb first: steersman ${verb} … ${options.replace(',', '')}`,
    exitCode: 2,
  });
  expect(status).toBe(2);
});

test.each([
  [[], 'steersman [options] [command] [goal]'],
  [['schedule'], 'steersman schedule [options] [command]'],
  [['worker'], 'steersman worker [options]'],
])('help %j → is a verb, never a goal', (of, usage) => {
  const script = join(projectRoot, 'dist/cli.js');
  const { status, stdout } = spawnSync(process.execPath, [script, 'help', ...of], { encoding: 'utf8' });
  expect(stdout.split('\n')[0]).toBe(`Usage: ${usage}`);
  expect(status).toBe(0);
});
