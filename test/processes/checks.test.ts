import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { RunSettings } from '../../src/run/agents/run-config.js';
import type { Check } from '../../src/run/checks/check.js';
import type { RunResult } from '../../src/workflows/run/definitions.js';
import {
  followUpSignal,
  pauseSignal,
  resumeSignal,
  steerSignal,
  stopSignal,
} from '../../src/workflows/run/definitions.js';
import { fakeMcp } from '../support/fake-mcp-server.js';
import { killWorkers, processesNaming, startWorkerProcess } from '../support/processes.js';
import { makeProject } from '../support/project.js';
import { runSettings } from '../support/rig.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf, messagesOf } from '../support/run-views.js';
import { answer, byRole, calls, content, planned, reported, settingsYaml } from '../support/steering.js';
import { until } from '../support/wait.js';

const fake = fakeMcp();
const editor =
  '---\ndescription: An editor.\noutput: text\ntools: ["*"]\n---\nYou are the editor.\n{{businessContext}}\n';

const rig = rigOfFile({
  config: {
    '.mcp.json': JSON.stringify({ mcpServers: { fake: fake.stdioEntry() } }),
    'steersman.yaml': settingsYaml('steering: note', 'modes:', '  review: { steps: [react, editor] }'),
    'prompts/core/editor.md': editor,
  },
});
afterAll(() => {
  killWorkers();
  fake.remove();
});

const ALL_MODES = ['react', 'direct', 'lead', 'review', 'plan', 'team'] as const;
const DONE = { text: 'It is all done.' };
/** All that is claimed, whoever is asked. */
const CLAIMS = {
  planner: () => planned,
  executor: () => reported('It is all done.'),
  verifier: () => content,
  ...Object.fromEntries(['summary', 'react', 'direct', 'lead', 'editor'].map(role => [role, () => DONE])),
};
const WANTED: Check = { run: 'grep -q done result.txt' };

/** Appends to the file that is wanted, as soon as a check has failed. */
const writes = () =>
  calls({
    name: 'append_line',
    arguments: { file: join(rig.project.workspace, 'result.txt'), line: 'done' },
  });
const clear = () => writeFileSync(join(rig.project.workspace, 'result.txt'), '');
const told = (result: RunResult) => result.checks.map(({ id, status, why }) => `${id} ${status}: ${why}`);
const here = (name: string) => join(rig.project.workspace, name);

describe('a model that claims success', () => {
  test.each(ALL_MODES)(
    '%s: its check fails again and again, handed over at every safe point → never completed, and the answer says so',
    async mode => {
      rig.play(byRole(CLAIMS));
      const checks = [{ run: 'echo 1 of 3; test -f never.txt' }];
      const { result } = await rig.run('Write it.', { mode, checks, continueAsNew: 'every-safe-point' });
      expect(result).toMatchObject({ outcome: 'unverified', cause: 'checks_failed' });
      expect(result.checks).toMatchObject([
        { id: 'c1', status: 'failed', why: 'exit code 1', output: '1 of 3\n' },
      ]);
      expect(result.text).toContain(
        'Checks that did not pass: echo 1 of 3; test -f never.txt [failed: exit code 1].',
      );
      expect(result.text).toContain('Nothing had changed since the last failed check');
      // Nothing was changed after the first time, so that the second was the last.
      expect(result.counters.verification).toBe(2);
    },
  );

  test.each(ALL_MODES.filter(mode => mode !== 'direct'))(
    '%s: told what failed, it mends that → completed',
    async mode => {
      clear();
      const asked = byRole({
        ...CLAIMS,
        ...Object.fromEntries(
          ['executor', 'react', 'lead', 'editor'].map(role => [
            role,
            (request: Parameters<typeof messagesOf>[0]) => {
              const said = JSON.stringify(messagesOf(request, 'user'));
              const mended = messagesOf(request, 'tool').length > 0;
              if (said.includes('Check c1') && !mended) return writes();
              return role === 'executor' ? reported('It is all done.') : DONE;
            },
          ]),
        ),
        planner: (_request: unknown, nth: number) =>
          nth === 0 ? planned : { text: planned.text?.replaceAll('task-1', 'task-2') ?? '' },
      });
      rig.play(asked);
      const settings: Partial<RunSettings> = { mode, checks: [WANTED], autoApprove: true };
      const { result } = await rig.run('Write it.', settings);
      expect(result).toMatchObject({ outcome: 'completed', cause: mode === 'team' ? 'verified' : 'checked' });
      expect(told(result)).toEqual(['c1 passed: exit code 0']);
    },
  );

  test('team: its check passes and the verifier wants more → both are needed', async () => {
    rig.play(
      byRole({
        ...CLAIMS,
        verifier: () => ({
          text: '{"allCompleted": false, "userNeedsSatisfied": false, "overallFeedback": "No.", "improvements": ["More."], "tasks": []}',
        }),
      }),
    );
    const { result } = await rig.run('Write it.', { checks: [{ run: 'true' }] });
    expect(result).toMatchObject({ outcome: 'unverified', cause: 'verification_cap' });
  });
});

describe('a check that can not be made', () => {
  test.each<[Check, string]>([
    [{ function: 'sums' }, "the worker's program has no check of this name; it has none"],
    [{ tool: 'nobody' }, 'there is no tool nobody in this run'],
    [{ tool: 'append_line' }, 'the tool append_line may change something: a check only reads'],
    [{ file: '../config/steersman.yaml' }, 'it leads out of the workspace'],
    [{ file: 'long.txt', matches: '^(a+)+$' }, '/^(a+)+$/ takes too long to be looked for'],
  ])('%j → it is named and never passed, and the goal is unverified at best', async (check, why) => {
    writeFileSync(here('long.txt'), `${'a'.repeat(60)}b`);
    rig.play(byRole(CLAIMS));
    const { result } = await rig.run('Write it.', { mode: 'react', checks: [check, { run: 'true' }] });
    expect(result).toMatchObject({ outcome: 'unverified', cause: 'checks_not_run' });
    expect(told(result)).toEqual([`c1 not_run: ${why}`, 'c2 passed: exit code 0']);
    expect(result.text).toContain(`[not run: ${why}]`);
  });
});

test('files and tools: each form of a check, one that passes and one that fails → as it says', async () => {
  writeFileSync(here('a.json'), '{ "sum": 7 }');
  writeFileSync(here('a.md'), 'Text\n# Report\n');
  const number = { type: 'object', properties: { sum: { type: 'number' } } };
  const text = { type: 'object', properties: { sum: { type: 'string' } } };
  const checks: [Check, string][] = [
    [{ file: 'a.md' }, 'passed: it is there'],
    [{ file: 'b.md' }, 'failed: there is no such file'],
    [{ file: '.' }, 'failed: it is not a file'],
    [{ file: 'a.md', matches: '^# Report$' }, 'passed: it matches'],
    [{ file: 'a.md', matches: '^# None' }, 'failed: /^# None/ does not match'],
    [{ file: 'a.json', matches: '7', json: number }, 'passed: it matches, it fits its schema'],
    [{ file: 'a.json', json: text }, 'failed: it does not fit its schema'],
    [{ tool: 'many', arguments: { parts: 1 }, matches: '^part 0' }, 'passed: it matches'],
    [{ tool: 'many', arguments: { parts: 1 }, matches: '^part 7' }, 'failed: /^part 7/ does not match'],
    [{ tool: 'fail' }, 'failed: the tool said that it failed'],
  ];
  rig.play(byRole(CLAIMS));
  const { result } = await rig.run('Look.', { mode: 'direct', checks: checks.map(([check]) => check) });
  expect(told(result)).toEqual(checks.map(([, how], index) => `c${index + 1} ${how}`));
});

test('a command that forks, floods, hangs, asks or removes its own folder → each has an end, and nothing of it is left', async () => {
  const folder = here('own');
  mkdirSync(folder);
  writeFileSync(join(folder, 'mark'), '');
  const mark = join(folder, 'mark');
  rig.play(byRole(CLAIMS));
  const checks: Check[] = [
    {
      run: `(setsid tail -f ${mark} &) ; tail -f ${mark} & for i in 1 2 3; do tail -f ${mark} & done; exit 0`,
    },
    { run: 'yes', timeoutMs: 1_000 },
    { run: `tail -f ${mark}`, timeoutMs: 1_000 },
    { run: 'read -r line && echo "$line"' },
    { run: 'rm -rf "$PWD"' },
    { run: 'true' },
  ];
  const { result } = await rig.run('Do it.', {
    mode: 'react',
    workspace: folder,
    checks,
    limits: { verification: 1 },
  });
  expect(result).toMatchObject({ outcome: 'unverified', cause: 'checks_failed' });
  expect(told(result).map(line => line.slice(0, 60))).toEqual([
    'c1 passed: exit code 0',
    'c2 failed: it did not end within 1000 ms',
    'c3 failed: it did not end within 1000 ms',
    'c4 failed: exit code 1',
    expect.stringMatching(/^c5 failed: exit code 0, and left no folder/),
    expect.stringMatching(/^c6 not_run: The workspace/),
  ]);
  expect(result.checks[1]?.output?.length).toBeLessThan(4_100);
  await until('nothing of it is left', () => processesNaming(mark).length === 0);
  expect(existsSync(folder)).toBe(false);
});

describe('while a check runs', () => {
  /** Says that it has begun, and goes on once it may. */
  const held = (name: string): Check => ({
    run: `touch ${name}.begun; while [ ! -f ${name}.go ]; do sleep 0.1; done`,
  });
  const begun = (name: string) => until('the check runs', () => existsSync(here(`${name}.begun`)));
  const letGo = (name: string) => writeFileSync(here(`${name}.go`), '');

  test('a stop → it is cut off, and the answer is kept', async () => {
    rig.play(byRole(CLAIMS));
    const handle = await rig.start('Do it.', { mode: 'react', checks: [held('stop')] });
    await begun('stop');
    await handle.signal(stopSignal);
    expect(await handle.result()).toMatchObject({ outcome: 'stopped', text: 'It is all done.', checks: [] });
  });

  test('a pause that cuts it off → it is made again when the run is resumed', async () => {
    rig.play(byRole(CLAIMS));
    const handle = await rig.start('Do it.', { mode: 'react', checks: [held('pause')] });
    await begun('pause');
    await handle.signal(pauseSignal, { interrupt: true });
    await until('the check is cut off', async () =>
      (await eventsOf(handle, 'check_ended')).some(({ status }) => status === 'interrupted'),
    );
    letGo('pause');
    await handle.signal(resumeSignal);
    expect(await handle.result()).toMatchObject({ outcome: 'completed', cause: 'checked' });
    expect((await eventsOf(handle, 'check_ended')).map(({ status }) => status)).toEqual([
      'interrupted',
      'passed',
    ]);
  });

  test.each(['react', 'team'] as const)(
    '%s: a message → it is read after the check, and the checks are made again where it is answered',
    async mode => {
      const script = rig.play(byRole(CLAIMS));
      const name = `steer-${mode}`;
      const handle = await rig.start('Do it.', { mode, checks: [held(name)] });
      await begun(name);
      await handle.signal(steerSignal, { text: 'Say it in French.' });
      letGo(name);
      const result = (await handle.result()) as RunResult;
      expect(result.outcome).toBe('completed');
      expect(JSON.stringify(script.requests.at(-1)?.body.messages)).toContain('Say it in French.');
      expect(result.goals).toHaveLength(1);
    },
  );
});

test('goals: a follow-up → checked as the goal before it, by itself', async () => {
  clear();
  rig.play(byRole({ ...CLAIMS, react: (_request, nth) => (nth === 2 ? writes() : DONE) }));
  const handle = await rig.start('First.', { mode: 'react', checks: [WANTED], autoApprove: true });
  await handle.signal(followUpSignal, { text: 'Second.' });
  const result = (await handle.result()) as RunResult;
  expect(result.goals.map(({ cause }) => cause)).toEqual(['checks_failed', 'checked']);
  expect(told(result)).toEqual(['c1 passed: exit code 0']);
});

test('a check of the planner: approved with the plan by a person → made; approved by a rule → dropped, with a warning', async () => {
  const proposed = {
    text: JSON.stringify({ ...JSON.parse(planned.text ?? ''), checks: ['test -f never.txt'] }),
  };
  rig.play(byRole({ ...CLAIMS, planner: () => proposed }));
  const handle = await rig.start('Do it.', { mode: 'plan', attended: true, limits: { verification: 1 } });
  await answer(handle, 'plan', { decision: 'approve' });
  const [gate] = await eventsOf(handle, 'gate_opened');
  expect(gate?.body).toContain('Runs, to prove the goal: "test -f never.txt"');
  expect(await handle.result()).toMatchObject({ cause: 'checks_failed' });
  const { handle: alone, result } = await rig.run('Do it.', { mode: 'plan' });
  expect(result).toMatchObject({ cause: 'carried_out', checks: [] });
  expect((await eventsOf(alone, 'warning')).map(({ text }) => text).join()).toContain('do not count');
});

test('kill -9 in the middle of a check, by a worker that serves others → made again by the next; commands that its file does not name are not', async () => {
  const project = makeProject({
    config: {
      'steersman.yaml': settingsYaml(
        'steering: note',
        'checks:',
        "  - run: 'echo x >> times; test $(wc -l < times) -gt 1 || tail -f times'",
        "permissions: { auto: ['run(true)'] }",
      ),
    },
  });
  rig.play(byRole(CLAIMS));
  const taskQueue = 'checks-killed';
  const options = { address: rig.env.address, taskQueue, project, model: rig.model };
  const doomed = await startWorkerProcess(options);
  const settings = runSettings(project.workspace, {
    mode: 'react',
    checks: [{ run: 'true' }, { run: 'id' }],
  });
  const handle = await rig.env.client.workflow.start('steersmanRun', {
    args: [{ goal: 'Do it.', settings }],
    taskQueue,
    workflowId: 'checks-killed',
  });
  const times = join(project.workspace, 'times');
  await until('the check runs', () => existsSync(times));
  await doomed.kill();
  await until('nothing of it is left', () => processesNaming('tail -f times').length === 0);
  const next = await startWorkerProcess(options);
  const result = (await handle.result()) as RunResult;
  expect(result).toMatchObject({ outcome: 'unverified', cause: 'checks_not_run' });
  expect(told(result)).toEqual([
    'c1 passed: exit code 0',
    'c2 passed: exit code 0',
    expect.stringContaining('c3 not_run: this worker runs no such command'),
  ]);
  // It is told before any work, too.
  expect((await eventsOf(handle, 'run_loaded')).flatMap(({ warnings }) => warnings)).toContainEqual(
    expect.stringContaining('The check id will not be made: this worker runs no such command'),
  );
  expect(readFileSync(times, 'utf8')).toBe('x\nx\n');
  next.end('SIGTERM');
  await next.exited;
});
