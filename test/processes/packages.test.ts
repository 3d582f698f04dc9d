/** Each package below `packages`, packed with its siblings. */
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stopStack } from '../../packages/stack/local-stack.js';
import { installPackage, strangersEnvironment, typeChecked } from '../support/package.js';
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

beforeAll(() => {
  dir = installPackage({ packages: true });
  for (const [name] of PROGRAMS) {
    const readme = readFileSync(join(projectRoot, 'packages', name, 'README.md'), 'utf8');
    const [, program = ''] = /^```js\n([\s\S]*?)^```$/m.exec(readme) ?? [];
    mkdirSync(join(dir, name));
    writeFileSync(join(dir, name, 'program.mjs'), program);
  }
});

afterAll(() => stopStack(join(dir, 'state', 'steersman'), () => {}));

test('packages: their doors and the programs of their READMEs → their types fit', async () => {
  const all = PROGRAMS.map(([name], index) => `export * as door${index} from '@steersman/${name}';`);
  writeFileSync(join(dir, 'all.mts'), all.join('\n'));
  await typeChecked(dir, [...PROGRAMS.map(([name]) => join(name, 'program.mjs')), 'all.mts']);
});

test.each(PROGRAMS)(
  'packages/%s: packed, with its siblings → the first program of its README runs',
  async (name, args, shown) => {
    const program = [process.execPath, 'program.mjs', ...args];
    // A session is held in a terminal; without one it is told to no one.
    const [command = '', ...rest] =
      name === 'session' ? ['script', '-qec', program.join(' '), '/dev/null'] : program;
    const running = execute(command, rest, {
      cwd: join(dir, name),
      env: strangersEnvironment(dir),
      timeout: 90_000,
    });
    running.child.stdin?.end();
    expect((await running).stdout).toMatch(shown);
  },
);

test('packages: each → has its program here', () => {
  expect(PROGRAMS.map(([name]) => name)).toEqual(readdirSync(join(projectRoot, 'packages')));
});
