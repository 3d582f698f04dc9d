import { mkdirSync, mkdtempSync, realpathSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceError } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { jsonBytes } from '../../../src/base/json/json.js';
import { TOLD_BYTES } from '../../../src/base/sizes/bounds.js';
import { SteersmanError } from '../../../src/shared/process/errors.js';
import { fakeRuns, lookOf } from '../../support/fake-runs.js';
import { connected } from './connected.js';

describe('the tools', () => {
  test('tools: listed → seven, each described, with schemas and what it may do', async () => {
    const { client } = await connected();
    const { tools } = await client.listTools();
    const named = (hint: 'readOnlyHint' | 'destructiveHint') =>
      tools.filter(tool => tool.annotations?.[hint]).map(tool => tool.name);
    expect(tools).toHaveLength(7);
    for (const tool of tools) {
      expect(tool.description, tool.name).toBeTruthy();
      expect(tool.outputSchema, tool.name).toMatchObject({ type: 'object' });
      for (const [name, field] of Object.entries(tool.inputSchema.properties ?? {}))
        expect(field, `${tool.name}.${name}`).toHaveProperty('description');
    }
    expect(named('readOnlyHint')).toEqual(['watch_run', 'get_result', 'list_runs']);
    expect(named('destructiveHint')).toEqual(['start_run', 'answer_gate', 'stop_run']);
  });

  test('start_run: a goal alone → nothing is approved unasked, gates wait, in the folder of the server', async () => {
    const { call, runs } = await connected();
    const { structuredContent } = await call('start_run', { goal: 'A goal' });
    expect(runs.asked).toEqual([
      ['start', 'A goal', { workspace: '/work', attended: true, autoApprove: false }],
    ]);
    expect(structuredContent).toMatchObject({ id: 'run-1', workspace: '/work' });
  });

  test('start_run: checks → those of the run', async () => {
    const { call, runs } = await connected();
    const checks = [{ run: 'npm test' }, { file: 'a.md', matches: '^#' }];
    await call('start_run', { goal: 'A goal', checks });
    expect(runs.asked).toMatchObject([['start', 'A goal', { checks }]]);
  });

  test('start_run: temperature and output limit → those of the run (M15)', async () => {
    const { call, runs } = await connected();
    const sampling = { temperature: 0.2, maxOutputTokens: 900 };
    await call('start_run', { goal: 'A goal', ...sampling });
    expect(runs.asked).toMatchObject([['start', 'A goal', sampling]]);
  });

  test('start_run: a schema for the answer → that of the run; get_result has the value, and none where there is none (TA7)', async () => {
    const { call, runs } = await connected();
    const answer = { type: 'object', properties: { count: { type: 'integer' } } };
    await call('start_run', { goal: 'A goal', answer });
    expect(runs.asked[0]?.[2]).toMatchObject({ answer });
    runs.stands({ phase: 'ended', outcome: 'answered', answer: 'Three.', value: { count: 3 } });
    expect((await call('get_result', { id: 'run-1' })).structuredContent).toMatchObject({
      value: { count: 3 },
    });
    runs.stands({ phase: 'ended', outcome: 'unverified', answer: 'Three.', value: undefined });
    expect((await call('get_result', { id: 'run-1' })).structuredContent).not.toHaveProperty('value');
  });

  test('start_run: a setting that there is not → refused by name, nothing is started', async () => {
    const { call, runs } = await connected();
    const { isError, content } = await call('start_run', { goal: 'A goal', auto_approve: true });
    expect(isError).toBe(true);
    expect(content[0]?.text).toContain('auto_approve');
    expect(runs.asked).toEqual([]);
  });

  test('start_run: a folder below that of the server → taken; one outside, by a link too → refused', async () => {
    const dir = realpathSync(mkdtempSync(join(tmpdir(), 'steersman-mcp-')));
    mkdirSync(join(dir, 'served', 'sub'), { recursive: true });
    symlinkSync('/etc', join(dir, 'served', 'link'));
    const { call, runs } = await connected({ workspaces: [join(dir, 'served')] });
    await call('start_run', { goal: 'A goal', workspace: 'sub' });
    expect(runs.asked).toMatchObject([['start', 'A goal', { workspace: join(dir, 'served', 'sub') }]]);
    for (const workspace of ['..', '/etc', 'link', join(dir, 'served-too')]) {
      const { isError, content } = await call('start_run', { goal: 'A goal', workspace });
      expect(isError, workspace).toBe(true);
      expect(content[0]?.text).toContain('--workspace');
    }
    expect(runs.asked).toHaveLength(1);
  });

  test('start_run: the name of a folder of 100,000 characters → refused in a text of bounded length (ST4)', async () => {
    const { call } = await connected({ workspaces: ['/served'] });
    const { isError, content } = await call('start_run', {
      goal: 'A goal',
      workspace: `/${'a'.repeat(100_000)}`,
    });
    expect(isError).toBe(true);
    expect(jsonBytes(content[0]?.text)).toBeLessThanOrEqual(TOLD_BYTES);
  });

  test('steer_run: words → the message with its first receipt', async () => {
    const { call, runs } = await connected();
    const { structuredContent } = await call('steer_run', { id: 'run-1', text: 'Shorter', to: 'planner' });
    await call('steer_run', { id: 'run-1', text: 'Then this', followUp: true });
    expect(runs.asked).toEqual([
      ['steer', 'Shorter', { when: 'skip', to: 'planner' }],
      ['followUp', 'Then this'],
    ]);
    expect(structuredContent).toMatchObject({ messageId: 'm-1', state: 'accepted' });
  });

  test('answer_gate: a decision → what the caller gave and nothing else; a result is an answer too', async () => {
    const { call, runs } = await connected();
    await call('answer_gate', { id: 'run-1', gateId: 'g1', decision: 'deny', reason: 'No' });
    await call('answer_gate', { id: 'run-1', gateId: 'g1', decision: 'approve', except: { 2: 'Keep it' } });
    await call('answer_gate', { id: 'run-1', gateId: 'g2', content: { degrees: 21 } });
    expect(runs.asked).toEqual([
      ['answerGate', 'g1', { decision: 'deny', reason: 'No' }],
      ['answerGate', 'g1', { decision: 'approve', except: { 2: 'Keep it' } }],
      ['answerGate', 'g2', { content: { degrees: 21 } }],
    ]);
  });

  test('answer_gate: a plan is denied → rejected, as at every other face', async () => {
    const { call, runs } = await connected();
    const base = { title: '', body: '', openedAt: 0, deadline: null };
    runs.stands({ gates: [{ ...base, id: 'g1', kind: 'plan', subject: { tasks: 1 } }] });
    await call('answer_gate', { id: 'run-1', gateId: 'g1', decision: 'deny', reason: 'Less' });
    expect(runs.asked).toEqual([['answerGate', 'g1', { decision: 'reject', reason: 'Less' }]]);
  });

  test('stop_run, list_runs: called → passed on', async () => {
    const { call, runs } = await connected();
    await call('stop_run', { id: 'run-1', reason: 'Enough' });
    const { structuredContent } = await call('list_runs', { waiting: true, goal: 'boats' });
    expect(structuredContent.runs).toMatchObject([{ id: 'run-1', stuck: 'Its code fails.' }]);
    expect(runs.asked).toEqual([
      ['stop', 'Enough'],
      ['list', { open: false, waiting: true, goal: 'boats', limit: 20, workspaces: ['/work'] }],
    ]);
  });
});

test.each([
  ['watch_run', {}],
  ['get_result', {}],
  ['steer_run', { text: 'Shorter' }],
  ['answer_gate', { gateId: 'g1', decision: 'approve' }],
  ['answer_gate', { gateId: 'g1', content: 'done' }],
  ['stop_run', {}],
  ['start_run', { goal: 'Go on', after: 'run-1' }],
])(
  '%s: a run of another folder, or of none that is known → as one that there is not, not touched (TR14)',
  async (name, args) => {
    for (const workspace of ['/work-too', '/', null]) {
      const { call, runs } = await connected({ runs: fakeRuns({ workspace }) });
      const { isError, content } = await call(name, name === 'start_run' ? args : { id: 'run-1', ...args });
      expect({ isError, text: content[0]?.text }).toEqual({
        isError: true,
        text: 'There is no run run-1 in the namespace default at here:1.\nlist_runs shows the runs.',
      });
      expect(runs.asked).toEqual([]);
    }
  },
);

test('a tool: a run below a folder of the server, named by a link to it → served', async () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'steersman-mcp-')));
  mkdirSync(join(dir, 'served', 'sub'), { recursive: true });
  symlinkSync(join(dir, 'served'), join(dir, 'link'));
  const runs = fakeRuns({ workspace: join(dir, 'served', 'sub') });
  const { call } = await connected({ runs, workspaces: [join(dir, 'link')] });
  expect((await call('get_result', { id: 'run-1' })).isError).toBeUndefined();
});

describe('get_result', () => {
  test('get_result: an ended run → answer, outcome, why and usage', async () => {
    const usage = { inputTokens: 5, outputTokens: 2, cachedInputTokens: 1, reasoningTokens: 0, costUsd: 0.1 };
    const runs = fakeRuns({
      show: async () =>
        lookOf({ phase: 'ended', outcome: 'completed', cause: 'verified', answer: '42', usage }),
    });
    const { call } = await connected({ runs });
    const { structuredContent } = await call('get_result', { id: 'run-1' });
    expect(structuredContent).toMatchObject({
      ended: true,
      outcome: 'completed',
      why: 'The answer was verified.',
      answer: '42',
      usage: { inputTokens: 5, outputTokens: 2, costUsd: 0.1 },
    });
  });

  test('get_result: an open run → where it stands, without waiting', async () => {
    const { call } = await connected();
    const { structuredContent } = await call('get_result', { id: 'run-1' });
    expect(structuredContent).toMatchObject({ ended: false, phase: 'execution', answer: null });
    expect(structuredContent.next).toContain('watch_run');
  });

  test('get_result: an answer with characters that nobody sees → without them, for the model too', async () => {
    const hidden = String.fromCodePoint(0xe0041, 0x200b, 0x1b, 0x5b, 0x33, 0x31, 0x6d);
    const runs = fakeRuns({
      show: async () => lookOf({ phase: 'ended', answer: `All${hidden} well\nDone` }),
    });
    const { call } = await connected({ runs });
    const { structuredContent, content } = await call('get_result', { id: 'run-1' });
    expect(structuredContent.answer).toBe('All well\nDone');
    expect(JSON.parse(content[0]?.text ?? '')).toEqual(structuredContent);
  });
});

describe('errors', () => {
  test.each([
    [
      'no folder',
      new SteersmanError('It does not exist.', 'Create it.', 'usage'),
      'It does not exist.\nCreate it.',
    ],
    [
      'no run',
      new SteersmanError('There is no run x.', 'npm run client -- list', 'not_found'),
      'There is no run x.\nlist_runs shows the runs.',
    ],
  ])(
    'a tool: %s → an error result with a remedy that a caller of tools can follow',
    async (_, error, text) => {
      const { call } = await connected({ runs: fakeRuns({ show: () => Promise.reject(error) }) });
      expect(await call('get_result', { id: 'x' })).toEqual({
        isError: true,
        content: [{ type: 'text', text }],
      });
    },
  );

  test('a tool: the server does not answer, in its own words → told as that, and the connection counts as lost', async () => {
    const cause = Object.assign(new Error('14 UNAVAILABLE'), { code: 14, details: '', metadata: {} });
    const runs = fakeRuns({ show: () => Promise.reject(new ServiceError('Failed', { cause })) });
    const lost: string[] = [];
    const { call } = await connected({ runs, lostBy: ({ code }) => lost.push(code) });
    const { isError, content } = await call('get_result', { id: 'run-1' });
    expect(isError).toBe(true);
    expect(content[0]?.text).toContain('Temporal does not answer');
    expect(lost).toEqual(['unreachable']);
  });

  test('a tool: a fault of our own → an error result that says so, no protocol error', async () => {
    const runs = fakeRuns({ stop: () => Promise.reject(new TypeError('x is not a function')) });
    const { call } = await connected({ runs });
    const { isError, content } = await call('stop_run', { id: 'run-1' });
    expect(isError).toBe(true);
    expect(content[0]?.text).toMatch(/x is not a function\n.*fault of Steersman/);
  });
});
