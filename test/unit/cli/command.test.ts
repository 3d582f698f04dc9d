import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { namesConfig } from '../../../packages/cli/command/command.js';
import { projectRoot } from '../../../src/shared/process/package.js';
import { callHere } from '../../support/command-line.js';

// What a command line tells the modules of its process is for it alone.
beforeAll(() => vi.resetModules());
afterAll(() => vi.resetModules());

test('a command that is left while calls are tried again → ends at once, with all it said and no stack trace (TE8)', () => {
  const command = JSON.stringify(join(projectRoot, 'dist/packages/cli/command/command.js'));
  const body = `
    import { Command } from 'commander';
    import { runCommandLine } from ${command};
    const program = new Command().action(async () => {
      // As the SDK does with a call that was under way when the connection was closed.
      setTimeout(() => { throw new Error('Channel has been shut down'); }, 200);
      process.stdout.write('x'.repeat(200_000));
      process.exitCode = 130;
    });
    await runCommandLine(program);`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', body], {
    encoding: 'utf8',
    cwd: projectRoot,
  });
  expect({ status, stderr, length: stdout.length }).toEqual({ status: 130, stderr: '', length: 200_000 });
});

test.each([
  ['an unknown option', ['list', '--json', '--opne'], /unknown option '--opne'/],
  [
    'words that no argument takes',
    ['artifact', 'my-run', 'a', 'b', 'c', '--json'],
    /artifact does not take b, c\./,
  ],
  ['words where none is taken', ['list', 'b', 'c', '--json'], /list does not take b, c\./],
  ['a goal in several words', ['start', 'a', 'b', '--json'], /The goal came as 2 words/],
  [
    'a check without a command',
    ['start', 'a', '--check', ' ', '--json'],
    /'--check <command>'.*not be empty/,
  ],
  ['a temperature over 2 (M15)', ['start', 'a', '--temperature', '3', '--json'], /a number from 0 to 2/],
  [
    'a role that is not there (P16)',
    ['prompts', 'show', 'plannerr', '--json'],
    /There is no role "plannerr"/,
  ],
  ['a file for no artifact', ['artifact', 'my-run', '--save', 'x', '--json'], /--save takes one artifact/],
])(
  '--json: a wrong call, %s → one line of JSON with message, remedy and exit code',
  async (_, args, says) => {
    const { code, stdout, stderr } = await callHere('client', args);
    const { remedy, ...error } = JSON.parse(stdout);
    expect(error).toEqual({
      type: 'error',
      code: 'usage',
      message: expect.stringMatching(says),
      exitCode: 2,
    });
    expect(remedy).not.toBe('');
    expect(code).toBe(2);
    expect(stderr).toMatch(says);
  },
);

test.each(['deny my-run g1', 'stop my-run', 'pause my-run'])(
  '%s with a reason that has no option → the call that takes it is told',
  async call => {
    const { code, stderr } = await callHere('client', [...call.split(' '), 'not', 'here']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('The reason: --reason "not here"'),
    });
  },
);

test("prompts show: a role → its system text and its message, as a run's requests have them (P16)", async () => {
  const { code, stdout } = await callHere('client', ['prompts', 'show', 'planner', '--json']);
  const { type, role, system, message, warnings } = JSON.parse(stdout);
  expect({ code, type, role, warnings }).toEqual({ code: 0, type: 'prompt', role: 'planner', warnings: [] });
  expect([system.length > 200, message.length > 200]).toEqual([true, true]);
  const shown = await callHere('client', ['prompts', 'show', 'react']);
  expect(shown.stdout).toMatch(/^System text:\n\n/);
});

test('models --json: no endpoint → a line of JSON that says why, and the same on stderr', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steersman-models-'));
  writeFileSync(join(folder, 'steersman.yaml'), 'models: {}\n');
  const args = [join(projectRoot, 'dist/cli.js'), 'models', '--json', '--config', folder];
  const env = Object.entries(process.env).filter(([name]) => !/^(OPENAI|ANTHROPIC)_/.test(name));
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    env: Object.fromEntries(env),
  });
  expect(JSON.parse(stdout)).toMatchObject({ type: 'error', code: 'configuration', exitCode: 1 });
  expect(stderr).toMatch(/^There is no endpoint: none of OPENAI_API_KEY.* Runs use the built-in demo model/);
  expect(status).toBe(1);
});

test.each([
  ['stdout', 'a script', ['completion', 'bash']],
  ['stdout', 'the help', ['--help']],
  ['stderr', 'an error', ['--no-such-option']],
] as const)('pipe: %s is cut before %s comes → ends without a word, code 141', async (cut, _, args) => {
  const script = join(projectRoot, 'dist/cli.js');
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  child[cut].destroy();
  const said = text(cut === 'stdout' ? child.stderr : child.stdout);
  const [code] = await once(child, 'close');
  expect({ code, said: await said }).toEqual({ code: 141, said: '' });
});

test.each(['dist/cli.js', 'scripts/build.mjs'])(
  '%s: Node is too old for what it imports → says which Node it needs, and imports none of it',
  script => {
    const lines = readFileSync(join(projectRoot, script), 'utf8').matchAll(
      /^(?:import|export) .*from "(.*)"/gm,
    );
    const old =
      "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.8' } })";
    const args = [
      `--import=data:text/javascript,${encodeURIComponent(old)}`,
      join(projectRoot, script),
      'list',
    ];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(stderr).toBe('Error: Steersman needs Node 20.19 or newer. This is Node 18.20.8.\n');
    expect(status).toBe(2);
    expect([...lines].map(([, from = '']) => from).filter(from => !from.startsWith('node:'))).toEqual([]);
  },
);

test.each([
  [['--config', 'x'], true],
  [['list', '--config=x'], true],
  [['Explain --configuration to me', '--yes'], false],
])('variables of the folder: %j → of another folder: %s (FC3)', (words, isOther) => {
  expect(namesConfig(words)).toBe(isOther);
});
