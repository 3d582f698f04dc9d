import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type CheckFunction, check, createRunCheck } from '../../../src/activities/run-check.js';
import type { CheckEnd, RunCheckInput } from '../../../src/activities/types.js';
import { checkWorkspace } from '../../../src/config/files/workspace.js';
import { commandFault } from '../../../src/config/settings/settings.js';
import { Secrets } from '../../../src/shared/secrets.js';

const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'run-check-')));
afterAll(() => rmSync(workspace, { recursive: true, force: true }));

const KEY = 's3cret-0123456789-abcdef';
const secrets = new Secrets();
secrets.add('TOKEN', KEY);

function make(
  input: Partial<RunCheckInput>,
  functions: Record<string, CheckFunction> = {},
): Promise<CheckEnd> {
  const activity = createRunCheck({
    openWorkspace: path => checkWorkspace(path, 'any'),
    commandFault: async () => null,
    functions,
    redact: text => secrets.redact(text),
    redactPiece: piece => secrets.redactPiece(piece),
  });
  const given: RunCheckInput = { check: { run: 'true' }, workspace, timeoutMs: 60_000, ...input };
  return new MockActivityEnvironment().run(activity, given) as Promise<CheckEnd>;
}

describe('a check that is a function', () => {
  const about = { goal: 'Add.', answer: '7', context: { user: 'u1' } };
  const judged = (judge: CheckFunction, more: Partial<RunCheckInput> = {}) =>
    make({ check: { function: 'sums' }, about, ...more }, { sums: judge });

  test('it says how it is, of workspace, goal and answer → as it says', async () => {
    const judge = check(({ answer, goal, values, workspace: folder }) => {
      return { ok: answer === '8', why: `${goal} ${answer} ${values.user} ${folder === workspace}` };
    });
    expect(await judged(judge)).toEqual({
      status: 'failed',
      why: 'Add. 7 u1 true',
      output: 'Add. 7 u1 true',
    });
    expect(await judged(judge, { about: { ...about, answer: '8' } })).toMatchObject({ status: 'passed' });
  });

  test.each<[string, CheckFunction, Partial<CheckEnd>]>([
    [
      'throws',
      () => {
        throw new Error(`no ${KEY}`);
      },
      { status: 'not_run', why: 'it failed: no [secret TOKEN]' },
    ],
    ['rejects', () => Promise.reject(new Error('no')), { status: 'not_run', why: 'it failed: no' }],
    ['says nothing', () => undefined as never, { status: 'not_run', why: 'it did not say { ok, why }' }],
    ['says yes without a reason', () => ({ ok: true }), { status: 'passed', why: 'ok' }],
    ['says no without a reason', () => ({ ok: false }), { status: 'failed', why: 'not ok' }],
  ])('it %s → %o', async (_what, judge, end) => {
    expect(await judged(judge)).toMatchObject(end);
  });

  test('it never ends → failed at its time, and its signal is aborted', async () => {
    let aborted = false;
    const end = await judged(
      ({ signal }) =>
        new Promise(() =>
          signal.addEventListener('abort', () => {
            aborted = true;
          }),
        ),
      { timeoutMs: 50 },
    );
    expect(end).toMatchObject({ status: 'failed', why: 'it did not end within 50 ms' });
    expect(aborted).toBe(true);
  });

  test('a name such as constructor → there is no such check', async () => {
    expect(await make({ check: { function: 'constructor' } })).toMatchObject({ status: 'not_run' });
  });
});

describe('a check that is a command', () => {
  test('what it says holds a secret → not told', async () => {
    const end = await make({ check: { run: `echo ${KEY}; exit 3` } });
    expect(end).toEqual({ status: 'failed', why: 'exit code 3', output: '[secret TOKEN]\n' });
  });

  test.each([
    ['a command', { run: `i=0; while [ $i -lt 200 ]; do printf '%s' "$i ${KEY}"; i=$((i+1)); done; exit 1` }],
    ['a command that floods', { run: `yes '${KEY}' | tr -d '\\n' | head -c 100000; exit 1` }],
    ['a file', { file: 'keys', matches: 'none' }],
    ['a function', { function: 'tells' }],
  ])('%s: a cut goes through keys → no half of one is told', async (_, given) => {
    writeFileSync(join(workspace, 'keys'), KEY.repeat(100));
    const { why, output = '' } = await make(
      { check: given },
      { tells: () => ({ ok: false, why: KEY.repeat(9_000) }) },
    );
    expect(output).toContain('[secret TOKEN]');
    expect(output.length).toBeLessThan(4_100);
    // `TOKEN` is cut as any other text.
    expect(`${why}${output}`).not.toMatch(/s3cre|-abc|bcdef|01234|56789/);
  });

  test('it ends by a signal → failed, with the signal', async () => {
    expect(await make({ check: { run: 'kill -9 $$' } })).toMatchObject({ status: 'failed' });
  });

  test('the worker has keys in its environment → the command sees none', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'test-key');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await make({ check: { run: 'test -z "$OPENAI_API_KEY"' } })).toMatchObject({ status: 'passed' });
  });

  test('the workspace is not there → not run', async () => {
    const end = await make({ workspace: '/does/not/exist' });
    expect(end).toMatchObject({ status: 'not_run', why: 'The workspace /does/not/exist does not exist.' });
  });
});

describe('which commands may run', () => {
  const settings = {
    checks: [{ run: 'make check' }, { file: 'a' }],
    permissions: { auto: ['run(npm test)'], confirm: [], deny: ['run(*secret*)'] },
  };
  test.each([
    ['make check', false, true],
    ['npm test', false, true],
    ['npm test; id', false, false],
    ['npm test\nid', false, false],
    ['npm test && id', false, false],
    ['make check ', false, false],
    ['id', false, false],
    ['id', true, true],
    ['cat secret.txt', true, false],
    ['make check secret', false, false],
  ])('commandFault: %j, on the local stack %s → may run %s', (command, localStack, may) => {
    expect(commandFault(command, { workspace, localStack, settings }) === null).toBe(may);
  });
});
