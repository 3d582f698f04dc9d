import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stopStack } from '../../packages/stack/local-stack.js';
import { installPackage } from '../support/package.js';
import { projectRoot } from '../support/project.js';

const execute = promisify(execFile);

/** What the first program of each package's README is called with, and what it prints. */
const PROGRAMS: [name: string, args: string[], shown: string | RegExp][] = [
  ['ag-ui', [], 'TEXT_MESSAGE_END'],
  ['ai-sdk-ui', [], 'text-end'],
  ['cli', ['hello'], 'Hello.'],
  ['components', [], "{ summary: 'Half of a pl' } true"],
  ['console', [], '200 text/html'],
  ['demo-model', [], '**2 files**'],
  ['mcp-server', [], 'answer_gate'],
  ['print', [], 'run ended · completed'],
  ['react', [], '<p>connecting: 0 messages, 0 questions</p>'],
  ['session', [], 'How many files are here?'],
  ['stack', [], /Temporal at \S+:\d+/],
  ['store', [], 'totalBytes: 12'],
  ['test-kit', [], 'completed It was done'],
  ['view', [], '4 model calls, 1 tool calls, 1 task'],
  ['workspace-tools', [], /program\.mjs[\s\S]*\n42\n/],
];

let dir: string;
let home: string;

beforeAll(() => {
  dir = installPackage({ packages: true });
  home = join(dir, 'state', 'steersman');
  for (const [name] of PROGRAMS) {
    const readme = readFileSync(join(projectRoot, 'packages', name, 'README.md'), 'utf8');
    const [, program = ''] = /^```js\n([\s\S]*?)^```$/m.exec(readme) ?? [];
    mkdirSync(join(dir, name));
    writeFileSync(join(dir, name, 'program.mjs'), program);
  }
});

afterAll(() => stopStack(home, () => {}));

/** As in a fresh shell of somebody who knows nothing of this project. */
function environment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(TEMPORAL_(?!CLI_PATH)|STEERSMAN_|INIT_CWD|OPENAI_|npm_)/.test(name),
  );
  const own = { XDG_STATE_HOME: join(dir, 'state'), XDG_CACHE_HOME: join(dir, 'cache') };
  return { ...Object.fromEntries(inherited), ...own };
}

test('package: a program that starts, watches, steers, answers and runs a tool of its own → its types fit, and it gets the answer', async () => {
  cpSync(join(projectRoot, 'test/support/stranger.mjs'), join(dir, 'program.mjs'));
  const entries = ['client', 'worker', 'workflow', 'messages', 'vocabularies', 'testing'];
  const doors = [
    ...entries.map(name => `steersman/${name}`),
    ...PROGRAMS.map(([name]) => `@steersman/${name}`),
  ];
  const all = doors.map((door, index) => `export * as door${index} from '${door}';`);
  const programs = ['program.mjs', ...PROGRAMS.map(([name]) => join(name, 'program.mjs'))];
  writeFileSync(join(dir, 'all.mts'), all.join('\n'));
  // Also of what the package's types take from others: nobody is to need `skipLibCheck`.
  const options = '--noEmit --allowJs --checkJs --strict --target es2022 --module nodenext --types node';
  const tsc = join(dir, 'node_modules', '.bin', 'tsc');
  await execute(tsc, [...options.split(' '), ...programs, 'all.mts'], { cwd: dir }).catch(({ stdout }) => {
    throw new Error(String(stdout));
  });
  const { stdout } = await execute(process.execPath, ['program.mjs'], {
    cwd: dir,
    env: environment(),
    timeout: 90_000,
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
    execute(join(dir, 'node_modules/.bin/steersman'), args, { cwd: folder, env: environment() });
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

test.each(PROGRAMS)(
  'packages/%s: packed, with its siblings → the first program of its README runs',
  async (name, args, shown) => {
    const program = [process.execPath, 'program.mjs', ...args];
    // A session is held in a terminal; without one it is told to no one.
    const [command = '', ...rest] =
      name === 'session' ? ['script', '-qec', program.join(' '), '/dev/null'] : program;
    const running = execute(command, rest, { cwd: join(dir, name), env: environment(), timeout: 90_000 });
    running.child.stdin?.end();
    expect((await running).stdout).toMatch(shown);
  },
);

test('packages: each → has its program here', () => {
  expect(PROGRAMS.map(([name]) => name)).toEqual(readdirSync(join(projectRoot, 'packages')));
});
