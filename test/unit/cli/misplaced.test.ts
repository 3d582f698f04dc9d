import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { projectRoot } from '../../../src/shared/process/package.js';
import { callHere } from '../../support/command-line.js';

// What a command line tells the modules of its process is for it alone.
beforeAll(() => vi.resetModules());
afterAll(() => vi.resetModules());

test.each([
  ['an option that the verb has too', ['--config', '.', 'doctor', '--json'], '--config', 'doctor'],
  ['--json itself', ['--json', 'list'], '--json', 'list'],
  ['two options of a start', ['--mode', 'lead', '--yes', 'start', 'x', '--json'], '--mode, --yes', 'start'],
  ['a verb of a verb', ['--json', 'schedule', 'list'], '--json', 'schedule list'],
  ['a program of its own', ['--config', '.', 'worker', '--json'], '--config', 'worker'],
])('verb: %s stands before it → a wrong call, never a verb without it', async (_, args, options, verb) => {
  const { code, stdout } = await callHere('steersman', args);
  expect(JSON.parse(stdout)).toEqual({
    type: 'error',
    code: 'usage',
    message: `${options} must come after the verb ${verb}.`,
    remedy: `Put the verb first: steersman ${verb} … ${options.replace(',', '')}`,
    exitCode: 2,
  });
  expect(code).toBe(2);
});

test.each([
  [[], 'steersman [options] [command] [goal]'],
  [['schedule'], 'steersman schedule [options] [command]'],
])('help %j → is a verb, never a goal', async (of, usage) => {
  const { code, stdout } = await callHere('steersman', ['help', ...of]);
  expect(stdout.split('\n')[0]).toBe(`Usage: ${usage}`);
  expect(code).toBe(0);
});

test.each([
  ['steersman', ['help', 'nosuch'], 'nosuch.', 'start, watch, show, '],
  ['client', ['help', 'lst'], 'lst. Did you mean list?', 'start, watch, show, '],
  ['client', ['schedule', 'help', 'nosuch'], 'nosuch.', 'create, list, '],
] as const)(
  '%s %j → says that there is no such verb, and which there are',
  async (program, words, says, verbs) => {
    const { code, stdout, stderr } = await callHere(program, [...words]);
    const [said, remedy, ...more] = stderr.trimEnd().split('\n');
    expect({ code, stdout, said, more }).toEqual({
      code: 2,
      stdout: '',
      said: `Error: There is no verb ${says}`,
      more: [],
    });
    expect(remedy).toContain(`The verbs: ${verbs}`);
  },
);

test.each([
  [['approve', 'x'], "missing required argument 'gate'", 'approve <id> <gate> [options]'],
  [['list', '--opne'], "unknown option '--opne'\n(Did you mean --open?)", 'list [options]'],
  [['schedule', 'delete'], "missing required argument 'id'", 'schedule delete <id> [options]'],
])('%j → a wrong call says how its verb is called', async (words, says, call) => {
  const { code, stderr } = await callHere('steersman', words);
  expect({ code, stderr }).toEqual({ code: 2, stderr: `error: ${says}\nCall: steersman ${call}\n` });
  const { stdout } = await callHere('steersman', [...words, '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ message: says, remedy: `Call: steersman ${call}` });
});

test.each([
  ['start', ['list'], 'list is a verb, not a goal.', 'list'],
  ['start', ['show', 'my-run'], 'show is a verb, not a goal.', 'show my-run'],
  ['start', ['lsit'], 'There is no verb lsit. Did you mean list?', 'list'],
  ['steersman', ['lsit'], 'There is no verb lsit. Did you mean list?', 'list'],
] as const)(
  '%s %j: a verb in the place of a goal → a wrong call, never a run',
  async (program, words, says, call) => {
    // A run would be refused here, without a folder to work in.
    const { code, stderr } = await callHere(program, [...words, '--workspace', '/nosuch']);
    expect(stderr.split('\n').slice(0, 1)).toEqual([`Error: ${says}`]);
    expect(stderr).toContain(` ${call}. If it is the goal, say it in more words: `);
    expect(code).toBe(2);
  },
);

test('help worker → is a verb of a program of its own, never a goal', () => {
  const script = join(projectRoot, 'dist/cli.js');
  const { status, stdout } = spawnSync(process.execPath, [script, 'help', 'worker'], { encoding: 'utf8' });
  expect(stdout.split('\n')[0]).toBe('Usage: steersman worker [options]');
  expect(status).toBe(0);
});

test.each([
  [['worker', '--bogus'], "error: unknown option '--bogus'\n(--help shows how to call it)\n"],
  [['worker', 'extra'], 'steersman worker does not take extra.\nCall: steersman worker [options]\n'],
  [['dev', 'extra'], 'Error: steersman dev does not take extra.\nCall: steersman dev [options]\n'],
])('%j → a wrong call of a program of its own ends with 2, as that of any verb', (words, said) => {
  const script = join(projectRoot, 'dist/cli.js');
  const { status, stderr } = spawnSync(process.execPath, [script, ...words], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 2, stderr: said });
});

test('--help in 80 columns: what an option and a verb do is wrapped beside its name', async () => {
  const { stdout } = await callHere('steersman', ['--help']);
  const rows = stdout.split('\n').filter(line => /^ +(?:--mode|tool-result) /.test(line));
  expect(rows.map(row => row.length <= 80)).toEqual([true, true]);
});
