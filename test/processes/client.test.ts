import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stackState, stopStack } from '../../packages/stack/local-stack.js';
import { localConnection } from '../../src/shared/local/probe.js';
import { type Ended, type Running, startCommand } from '../support/command-line.js';
import type { ScriptedModel, ScriptedReply } from '../support/endpoint/model.js';
import { startScriptedModel } from '../support/endpoint/model.js';
import { workflowBundle } from '../support/histories.js';
import type { TestProject } from '../support/project.js';
import { makeProject } from '../support/project.js';
import { SHORT_RUN_FILES, shortScript } from '../support/team-script.js';
import { until } from '../support/wait.js';

const ANSWER = 'Three boats, of 1961, 1974 and 1988.';
const STACK_TRACE = /\n\s+at .*(:\d+:\d+|node:internal)/;

let model: ScriptedModel;
let project: TestProject;
let home: string;
/** The model's replies for the run at hand. */
let script: readonly ScriptedReply[] = [];
let asked = 0;
const running: Running[] = [];

/** The model answers the next requests with these replies. */
function play(replies: readonly ScriptedReply[]): void {
  script = replies;
  asked = 0;
}

function command(name: string, args: string[], env: Record<string, string> = {}): Running {
  const started = startCommand(name, args, {
    cwd: project.workspace,
    env: { STEERSMAN_HOME: home, OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: 'test-key', ...env },
  });
  running.push(started);
  return started;
}

const client = (...args: string[]): Promise<Ended> => command('client', args).ended;
const startArgs = (id: string) => ['A goal', '--id', id, '--config', project.configDir];
/** Starts a run in the background that asks nobody: what fails ends it. */
async function begin(id: string): Promise<void> {
  const { code, stdout, stderr } = await client('start', ...startArgs(id), '--no-attended', '--json');
  expect(code, stderr).toBe(0);
  const ids = {
    runId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    taskQueue: expect.stringContaining('steersman'),
  };
  expect(JSON.parse(stdout)).toEqual({ id, ...ids, webUi: expect.stringContaining(id) });
}
const jsonLines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));

beforeAll(async () => {
  const lastReply: ScriptedReply = { error: { status: 401, message: 'no more replies' } };
  model = await startScriptedModel({
    reply: () => {
      asked += 1;
      return script[asked - 1] ?? lastReply;
    },
  });
  project = makeProject({ workspace: SHORT_RUN_FILES });
  home = join(project.dir, 'home');
});

afterAll(async () => {
  for (const { child } of running) if (child.exitCode === null) child.kill('SIGKILL');
  await stopStack(home);
  await model.close();
  rmSync(project.dir, { recursive: true, force: true });
});

/** Waits until a watcher of the run is shown a text. */
async function seenLive(id: string, text: RegExp): Promise<void> {
  await until(`${id} is there`, async () => (await client('show', id)).code === 0);
  const watch = command('client', ['watch', id]);
  await watch.printed(text);
  watch.child.kill('SIGINT');
  await watch.ended;
}

describe('npm start', () => {
  test('start: a goal → the answer alone on stdout, the plan and a line a task on stderr, exit code 0 (FC9)', async () => {
    play(shortScript());
    const { code, stdout, stderr } = await command('start', startArgs('plain')).ended;
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: `${ANSWER}\n` });
    expect(stderr).toContain('Run    plain');
    expect(stderr).toContain('[ ] task-1 · Read both files');
    expect(stderr).toMatch(/task task-1 completed\nCompleted: /);
    expect(stderr).not.toMatch(/"todos"|read_text_file|A plan of 1 tasks/);
    expect(stderr).not.toContain(ANSWER);
  });

  test('start --json: a goal → every journal event a line, then the result', async () => {
    play(shortScript());
    const { code, stdout } = await command('start', [...startArgs('json'), '--json']).ended;
    const lines = jsonLines(stdout);
    const result = lines.pop();
    expect(code).toBe(0);
    expect(lines.map(line => line.seq)).toEqual(lines.map((_, index) => index + 1));
    expect(lines.map(line => line.type)).toEqual(
      expect.arrayContaining(['run_started', 'plan_updated', 'run_ended']),
    );
    expect(result).toMatchObject({ type: 'result', id: 'json', outcome: 'completed', text: ANSWER });
    expect(Object.keys(result)).toEqual(expect.arrayContaining(['tasks', 'usage', 'counters']));
  });

  test('start: Ctrl-C in the middle of a reply (L10) → the run stops with what there is, exit code 3', async () => {
    play([{ text: 'Half a plan', chunkChars: 4, hold: { until: new Promise(() => {}), atChunk: 'end' } }]);
    const start = command('start', startArgs('interrupted'));
    await seenLive('interrupted', /Half a plan/);
    start.child.kill('SIGINT');
    const { code, stdout, stderr } = await start.ended;
    expect({ code, stdout }).toEqual({ code: 3, stdout: 'Half a plan\n' });
    expect(stderr).toContain('Stopping the run');
    expect(stderr).toContain('interrupted');
  });

  test('start: a second Ctrl-C where nothing can stop → detached, with how to go on, exit code 130', async () => {
    play([{ text: 'Half a plan', hold: { until: new Promise(() => {}), atChunk: 'end' } }]);
    const start = command('start', startArgs('detached'));
    await seenLive('detached', /Half a plan/);
    const [worker] = (await stackState(home))?.workers ?? [];
    if (!worker) throw new Error('no worker');
    process.kill(worker.pid, 'SIGSTOP');
    start.child.kill('SIGINT');
    await start.printed(/Stopping the run/);
    await start.printed(/Waiting for a worker/);
    start.child.kill('SIGINT');
    const { code, stderr } = await start.ended;
    process.kill(worker.pid, 'SIGCONT');
    expect(code).toBe(130);
    expect(stderr).toContain('npm run client -- watch detached');
    expect((await client('result', 'detached')).code).toBe(3);
  });
});

describe('the client', () => {
  test('watch: a second process → live text while the reply runs, each text once, from the start to the end', async () => {
    let release: () => void = () => {};
    const until = new Promise<void>(resolve => {
      release = resolve;
    });
    const [first, second, ...rest] = shortScript();
    play([
      first ?? {},
      { ...second, text: 'I look at both files now.', chunkChars: 5, hold: { until, atChunk: 3 } },
      ...rest,
    ]);
    await begin('watched');
    const watch = command('client', ['watch', 'watched']);
    await watch.printed(/I look at both/);
    expect(watch.stdout()).toContain('run started');
    expect(watch.stdout()).not.toContain('files now.');
    release();
    const { code, stdout } = await watch.ended;
    expect(code).toBe(0);
    expect(stdout.match(/I look at both files now\./g)).toHaveLength(1);
    expect(stdout.trimEnd().endsWith(ANSWER)).toBe(true);
  });

  test('watch --json: after the end → the same events as live', async () => {
    const first = await client('watch', 'watched', '--json');
    const events = jsonLines(first.stdout);
    expect(events.map(event => event.seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.at(-1)).toMatchObject({ type: 'run_ended', outcome: 'completed' });
  });

  test('watch: the run continued as new at every safe point (L20) → all events from the first, each once', async () => {
    play(shortScript());
    const { address = '' } = (await stackState(home))?.server ?? {};
    const connection = localConnection(address);
    const temporal = new Client({ connection });
    const { taskQueue } = await temporal.workflow.getHandle('watched').describe();
    const settings = {
      mode: 'team',
      workspace: project.workspace,
      autoApprove: false,
      continueAsNew: 'every-safe-point',
    };
    await temporal.workflow.start('steersmanRun', {
      workflowId: 'parts',
      taskQueue,
      args: [{ goal: 'A goal', settings }],
    });
    await connection.close();
    const watch = await client('watch', 'parts', '--json');
    const events = jsonLines(watch.stdout);
    expect(watch.code).toBe(0);
    expect(events.map(event => event.seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.filter(event => event.type === 'continued_as_new').length).toBeGreaterThan(3);
  });

  test('stop and cancel: a run in a model call → exit codes 3 and 130 by result, and refused once it has ended', async () => {
    for (const [verb, code, outcome] of [
      ['stop', 3, 'stopped'],
      ['cancel', 130, 'cancelled'],
    ] as const) {
      play([{ text: 'Thinking', hold: { until: new Promise(() => {}), atChunk: 'end' } }]);
      await begin(`to-${verb}`);
      const watch = command('client', ['watch', `to-${verb}`]);
      await watch.printed(/Thinking/);
      expect((await client(verb, `to-${verb}`)).code).toBe(0);
      expect((await watch.ended).code).toBe(code);
      expect((await client('result', `to-${verb}`)).code).toBe(code);
      const again = await client(verb, `to-${verb}`);
      expect(again).toMatchObject({ code: 2, stdout: '' });
      expect(again.stderr).toContain(`has ended (${outcome})`);
    }
  });

  test('result: a run that failed → why on stderr, exit code 1', async () => {
    play([]);
    await begin('failing');
    const { code, stderr } = await client('result', 'failing');
    expect(code).toBe(1);
    expect(stderr).toContain('no more replies');
    expect(stderr).not.toMatch(STACK_TRACE);
  });

  test('list --json: → one run a line, newest first', async () => {
    const { stdout } = await client('list', '--json');
    const ids = jsonLines(stdout).map(run => run.id);
    expect(ids[0]).toBe('failing');
    expect(ids).toContain('plain');
  });

  test('list by outcome, time and goal → the server filters, and the goal after it', async () => {
    const words = ['--outcome', 'failed', '--since', '1h', '--goal', 'A GOAL', '--json'];
    expect(jsonLines((await client('list', ...words)).stdout)).toMatchObject([{ id: 'failing' }]);
    expect((await client('list', '--goal', 'no such words')).stdout).toBe('');
  });

  test('transcript: an ended run → its conversation as Markdown, and as a message a line', async () => {
    const { code, stdout } = await client('transcript', 'failing');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^# failing\n\n## Thread main\n\n### user · goal · .*\n\nA goal\n/);
    const messages = jsonLines((await client('transcript', 'failing', '--thread', 'main', '--json')).stdout);
    expect(messages[0]).toMatchObject({ thread: 'main', kind: 'user', purpose: 'goal' });
  });

  test('export: a run → a history that replays', async () => {
    const { code, stdout } = await client('export', 'plain');
    expect(code).toBe(0);
    await Worker.runReplayHistory({ workflowBundle: workflowBundle() }, JSON.parse(stdout), 'plain');
  });

  test('show, result and watch: an ended run whose worker is gone → answered from the server alone', async () => {
    const workers = async () => (await stackState(home))?.workers ?? [];
    for (const { pid } of await workers()) process.kill(pid, 'SIGTERM');
    await until('the workers are gone', async () => (await workers()).length === 0);
    const shown = jsonLines((await client('show', 'plain', '--json')).stdout)[0];
    expect(shown).toMatchObject({
      status: 'completed',
      outcome: 'completed',
      phase: 'ended',
      answer: ANSWER,
    });
    // Nothing is waited for, and nothing says so.
    expect(await client('result', 'plain')).toEqual({ code: 0, stdout: `${ANSWER}\n`, stderr: '' });
    const watch = await client('watch', 'plain');
    expect(watch.code).toBe(0);
    expect(watch.stdout).toMatch(/tool read_text_file/);
    expect(watch.stdout).toContain(ANSWER);
  });
});

describe('wrong calls', () => {
  /** Else a start asks the endpoint which model there is, and this one lists none. */
  const NAMED_MODEL = ['--model', 'openai/gpt-5-mini'];
  const wrong: {
    name: string;
    script: string;
    args: string[];
    env?: Record<string, string>;
    says: RegExp;
  }[] = [
    { name: 'no goal', script: 'start', args: [], says: /There is no goal/ },
    { name: 'an empty goal', script: 'start', args: [''], says: /goal is empty/ },
    { name: 'a goal without quotes', script: 'start', args: ['a', 'b'], says: /in quotes: "a b"/ },
    {
      name: 'no such workspace',
      script: 'start',
      args: ['x', '--workspace', '/nope', ...NAMED_MODEL],
      says: /\/nope does not exist/,
    },
    {
      name: 'no such mode',
      script: 'start',
      args: ['x', '--mode', 'foo'],
      says: /no mode "foo": there are team/,
    },
    { name: 'an id with spaces', script: 'start', args: ['x', '--id', 'a b'], says: /--id/ },
    {
      name: 'an id in use',
      script: 'client',
      args: ['start', 'x', '--id', 'plain', ...NAMED_MODEL],
      says: /plain already/,
    },
    {
      name: 'an unknown run',
      script: 'client',
      args: ['show', 'plane'],
      says: /no run plane[\s\S]*Nearest: .*plain/,
    },
    { name: 'an unknown verb', script: 'client', args: ['wach'], says: /Did you mean watch/ },
    {
      name: 'Temporal out of reach',
      script: 'client',
      args: ['list'],
      env: { TEMPORAL_ADDRESS: '127.0.0.1:9' },
      says: /127\.0\.0\.1:9 cannot be reached[\s\S]*TEMPORAL_ADDRESS/,
    },
    {
      name: 'an unknown profile',
      script: 'client',
      args: ['list'],
      env: { TEMPORAL_PROFILE: 'nix' },
      says: /Profile 'nix'/,
    },
  ];

  test.each(wrong)('wrong call: $name → what and what to do, exit code 2, no stack trace', async given => {
    const { code, stdout, stderr } = await command(given.script, given.args, given.env).ended;
    expect(stderr).toMatch(given.says);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toMatch(STACK_TRACE);
  });
});
