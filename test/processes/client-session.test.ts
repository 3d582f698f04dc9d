import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { stopStack } from '../../packages/stack/local-stack.js';
import { execution, plan, verdict } from '../../packages/test-kit/role-outputs.js';
import { startCommand } from '../support/command-line.js';
import type { ScriptedModel, ScriptedReply } from '../support/endpoint/model.js';
import { startScriptedModel } from '../support/endpoint/model.js';
import type { TestProject } from '../support/project.js';
import { makeProject, projectRoot } from '../support/project.js';
import { hasTmux, openWindow, type TerminalWindow } from '../support/terminal.js';
import { until } from '../support/wait.js';

let model: ScriptedModel;
let project: TestProject;
let home: string;
let script: readonly ScriptedReply[] = [];
let asked = 0;
let windows: TerminalWindow[] = [];

const NOTE = `steering: note\n`;

beforeAll(async () => {
  model = await startScriptedModel({
    reply: () => {
      asked += 1;
      return script[asked - 1] ?? { error: { status: 401, message: 'no more replies' } };
    },
  });
  project = makeProject({ workspace: { 'README.md': '# Boats\nThree boats.\n' } });
  const settings = join(project.configDir, 'steersman.yaml');
  writeFileSync(settings, `${readFileSync(settings, 'utf8')}\n${NOTE}`);
  home = join(project.dir, 'home');
});

afterEach(() => {
  for (const window of windows) window.close();
  windows = [];
});

afterAll(async () => {
  await stopStack(home);
  await model.close();
  rmSync(project.dir, { recursive: true, force: true });
});

const env = () => ({
  STEERSMAN_HOME: home,
  OPENAI_BASE_URL: model.baseUrl,
  OPENAI_API_KEY: 'test-key',
  // Changes the file that it is given.
  EDITOR: 'sed -i s/draft/draft-edited/',
});

function terminal(
  name: string,
  args: string[],
  size: { columns?: number; rows?: number } = {},
): TerminalWindow {
  const command = [process.execPath, join(projectRoot, 'dist', `${name}.js`), ...args];
  const opened = openWindow(command, { env: env(), cwd: project.workspace, ...size });
  windows.push(opened);
  return opened;
}

/** `npm start` in a terminal, with the model's replies. */
function start(id: string, replies: readonly ScriptedReply[], ...more: string[]): TerminalWindow {
  script = replies;
  asked = 0;
  return terminal('start', ['A goal', '--id', id, '--config', project.configDir, ...more]);
}

const client = (...args: string[]) =>
  startCommand('client', args, { cwd: project.workspace, env: env() }).ended;

const write = (content: string): ScriptedReply => ({
  toolCalls: [{ name: 'write_file', arguments: { path: join(project.workspace, 'note.md'), content } }],
});
const note = () => readFileSync(join(project.workspace, 'note.md'), 'utf8');
const report: ScriptedReply = { text: execution({ summary: 'It is written.', taskCompleted: true }) };
const done = (summary: string): ScriptedReply => ({ text: verdict({ summary }) });
const onePlan: ScriptedReply = { text: plan({ todos: ['Write the note'] }) };
const forever = new Promise<never>(() => {});

describe.skipIf(!hasTmux)('a terminal session', () => {
  test('session: approve with edited arguments (S4), follow-up (S2), leave → the edit is what ran, exit code 0', async () => {
    const window = start('edit', [
      onePlan,
      write('draft'),
      report,
      done('The **note** is written.'),
      { text: plan({ todos: ['Say it again'] }) },
      { text: execution({ summary: 'Said.', taskCompleted: true }) },
      done('Said again.'),
    ]);
    await window.shows(/Call write_file\?[\s\S]*y approve/);
    // A key is no answer in the first 400 ms of a gate, when nobody can have read it.
    await delay(500);
    window.press('e');
    await window.shows(/The note is written\.[\s\S]*Enter: the next goal/);
    expect(note()).toBe('draft-edited');
    window.type('Say it again');
    window.press('Enter');
    await window.shows(/goal 2[\s\S]*Said again\.\n[\s\S]*Enter: the next goal/);
    window.press('C-c');
    await window.shows(/EXIT=0/);
    expect(window.all()).not.toContain('"type":"component"');
  });

  test('session: steer while the model writes (S1), deny with a reason (S4) → both reach the model', async () => {
    let release: () => void = () => {};
    const until = new Promise<void>(resolve => {
      release = resolve;
    });
    const window = start('steer', [
      { ...onePlan, hold: { until, atChunk: 1 } },
      write('no'),
      { text: execution({ summary: 'Not written.', taskCompleted: true }) },
      done('Nothing was written.'),
    ]);
    await window.shows(/planner is writing/);
    window.type('Use metric units');
    window.press('Enter');
    await window.shows(/you: Use metric units[\s\S]*accepted: /);
    release();
    await window.shows(/“Use metric units” applied[\s\S]*y approve/);
    window.type('hello');
    window.press('Enter');
    await window.shows(/"hello" is none of these/);
    window.press('C-u');
    // A key is no answer in the first 400 ms of a gate, when nobody can have read it.
    await delay(500);
    window.press('n');
    await window.shows(/Why not\?/);
    window.type('too early');
    window.press('Enter');
    await window.shows(/Nothing was written\.\n/);
    const seen = JSON.stringify(model.requests.map(request => request.body.messages));
    expect(seen).toContain('Use metric units');
    expect(seen).toContain('too early');
    window.press('C-c');
    await window.shows(/EXIT=0/);
  });

  test('session: a question (F17), pause and resume (S5), an interrupt (S1) → each as asked', async () => {
    const ask: ScriptedReply = {
      text: JSON.stringify({ action: 'CLARIFICATION_REQUIRED', params: { question: 'Which boat?' } }),
    };
    const window = start('ask', [
      ask,
      onePlan,
      { text: 'Thinking about it for ever', hold: { until: forever, atChunk: 'end' } },
      report,
      done('Alba it is.'),
    ]);
    await window.shows(/Which boat\?[\s\S]*type the answer/);
    window.type('/pause');
    window.press('Enter');
    await window.shows(/PAUSED/);
    window.type('The Alba');
    window.press('Enter');
    await window.shows(/you: g\d+ · The Alba/);
    expect(window.screen()).toContain('PAUSED');
    window.type('/resume');
    window.press('Enter');
    await window.shows(/Thinking about it for ever/);
    window.type('Stop thinking');
    window.press('Escape');
    await window.shows(/you \(interrupt\): Stop thinking[\s\S]*Alba it is\.\n/);
    window.press('C-c');
    await window.shows(/EXIT=0/);
  });

  test('session: detach at a gate, answer by the verb, watch again, stop → exit codes 130 and 3', async () => {
    const window = start('detached', [
      onePlan,
      write('from afar'),
      { text: 'Half a report', hold: { until: forever, atChunk: 'end' } },
    ]);
    await window.shows(/Call write_file\?/);
    window.press('C-c');
    await window.shows(/s stop the run · d detach/);
    window.press('d');
    await window.shows(/detached waits for your answer: npm run client -- show detached[\s\S]*EXIT=130/);
    const shown = JSON.parse((await client('show', 'detached', '--json')).stdout);
    expect(shown).toMatchObject({
      status: 'running',
      phase: 'waiting',
      inbox: [],
      gates: [{ kind: 'approval' }],
    });
    const [{ id: gateId }] = shown.gates;
    expect((await client('show', 'detached')).stdout).toContain(`approve detached ${gateId}`);
    expect(await client('approve', 'detached', gateId)).toMatchObject({ code: 0 });
    const again = terminal('client', ['watch', 'detached'], { columns: 60 });
    await again.shows(/Half a report/);
    expect(note()).toBe('from afar');
    again.press('C-c');
    await again.shows(/s stop the run/);
    again.press('s');
    await again.shows(/EXIT=3/);
  });
});

describe('verbs that steer', () => {
  test('steer, follow-up, pause, resume, answer, finish: a run kept open → receipts, refusals by name, then closed', async () => {
    script = [
      { text: JSON.stringify({ action: 'CLARIFICATION_REQUIRED', params: { question: 'Which boat?' } }) },
      onePlan,
      report,
      done('Alba.'),
      { text: plan({ todos: ['Next'] }) },
      report,
      done('Next is done.'),
    ];
    asked = 0;
    const begun = ['start', 'A goal', '--id', 'verbs', '--config', project.configDir, '--attended'];
    expect(await client(...begun, '--keep-open', '60')).toMatchObject({ code: 0 });
    const watch = startCommand('client', ['watch', 'verbs'], { cwd: project.workspace, env: env() });
    await watch.printed(/waiting for you[\s\S]*client -- answer verbs g\d+/);
    const gateId = /answer verbs (g\d+)/.exec(watch.stdout())?.[1] ?? '';
    // Who waits for the answer is told what the run waits for; a list finds it.
    const waiting = startCommand('client', ['result', 'verbs'], { cwd: project.workspace, env: env() });
    await waiting.printed(/waits for you: g\d+[\s\S]*client -- answer verbs g\d+/);
    const listed = await until('the list shows who waits', async () => {
      const { stdout } = await client('list', '--waiting', '--json');
      return stdout === '' ? null : JSON.parse(stdout);
    });
    expect(listed).toMatchObject({
      id: 'verbs',
      phase: 'waiting',
      waiting: `${gateId} question: Which boat?`,
    });

    expect(await client('approve', 'verbs', gateId)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('text'),
    });
    expect(await client('answer', 'verbs', 'g99', 'x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no gate g99'),
    });
    expect((await client('pause', 'verbs')).code).toBe(0);
    expect(JSON.parse((await client('show', 'verbs', '--json')).stdout)).toMatchObject({ phase: 'paused' });
    const steered = JSON.parse((await client('steer', 'verbs', 'In French', '--json')).stdout);
    expect(steered).toMatchObject({ state: 'accepted', how: expect.stringContaining('paused') });
    const wrong = await client('steer', 'verbs', 'Hm', '--to', 'nobody');
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('Not taken') });
    const queued = await client('follow-up', 'verbs', 'And next');
    expect(queued.stdout).toMatch(/accepted: It becomes a goal of its own/);
    expect((await client('budget', 'verbs', 'tokens=2000000')).code).toBe(0);
    expect((await client('budget', 'verbs', 'tokens=0')).stderr).toContain('whole number from 1');
    expect((await client('answer', 'verbs', gateId, 'The Alba')).code).toBe(0);
    expect((await client('resume', 'verbs')).code).toBe(0);
    await watch.printed(/goal 2 ended · completed/);
    expect(JSON.parse((await client('show', 'verbs', '--json')).stdout)).toMatchObject({
      phase: 'idle',
      answer: 'Next is done.',
    });
    expect((await client('finish', 'verbs')).code).toBe(0);
    expect((await watch.ended).code).toBe(0);
    expect(await waiting.ended).toMatchObject({ code: 0, stdout: 'Next is done.\n' });
    expect((await client('list', '--waiting')).stdout).toBe('');
    const late = await client('follow-up', 'verbs', 'One more');
    expect(late).toMatchObject({ code: 2, stderr: expect.stringContaining('"One more" --after verbs') });
  });
});
