/** The conversation of a run as the console's page folds it from events. */
import { expect, test } from 'vitest';
import { type Durable, type Item, newFold, recordedAnswer, takeItem } from '../../../packages/view/items.js';
import { phaseName } from '../../../packages/view/phases.js';
import type { RunSnapshot } from '../../../src/client/index.js';
import { lookOf } from '../../support/fake-runs.js';

let at = 0;

/** Events as they come, numbered by run and sub-agent. */
function told(...events: Record<string, unknown>[]): Item[] {
  const fold = newFold();
  const last: Record<string, number> = {};
  for (const event of events) {
    const path = String(event.path ?? '');
    last[path] = (last[path] ?? 0) + 1;
    at += 1_000;
    takeItem(fold, { seq: last[path], at, ...event } as unknown as Durable);
  }
  return fold.items;
}

const USAGE = { inputTokens: 1, outputTokens: 2, cachedInputTokens: 0, reasoningTokens: 0, costUsd: 0 };
const begun = { type: 'model_call_started', callId: 'k1', role: 'planner', form: 'json' };
const replied = { type: 'model_call_ended', callId: 'k1', role: 'planner', model: 'e/m', usage: USAGE };

test('conversation: a reply → one entry with its form; one that says nothing → none', () => {
  expect(told(begun, { ...replied, text: '{"summary":"Two tasks."}', reasoning: 'Hm.' })).toMatchObject([
    { kind: 'said', role: 'planner', form: 'json', reasoning: 'Hm.' },
  ]);
  expect(told(begun, { ...replied, text: '', reasoning: '' })).toEqual([]);
});

test('conversation: a tool call and its result → one entry, a new object at its end', () => {
  const call = { type: 'tool_call_started', callId: 'k1_1', tool: 'write', arguments: '{"path":"a"}' };
  const [open] = told(call);
  expect(open).toMatchObject({ kind: 'tool', tool: 'write', ending: null, result: '' });
  const ended = {
    type: 'tool_call_ended',
    callId: 'k1_1',
    tool: 'write',
    ending: 'executed',
    isError: false,
  };
  expect(told(call, { ...ended, text: 'done', durationMs: 12 })).toMatchObject([
    { kind: 'tool', arguments: '{"path":"a"}', ending: 'executed', result: 'done', durationMs: 12 },
  ]);
});

test('conversation: what is warned of as a run is loaded → one entry with all of it', () => {
  const loaded = { type: 'run_loaded', tools: 1, models: [] };
  expect(told({ ...loaded, warnings: ['No price.', 'No server.'] })).toMatchObject([
    { kind: 'note', level: 'warn', about: 'warning', text: 'No price.', said: 'No server.' },
  ]);
  expect(told({ ...loaded, warnings: [] })).toEqual([]);
});

test('conversation: a call that was never begun → its end is an entry', () => {
  const ended = { type: 'tool_call_ended', callId: 'k1_1', tool: 'rm', ending: 'denied', isError: true };
  expect(told({ ...ended, text: 'no', durationMs: 0 })).toMatchObject([{ tool: 'rm', ending: 'denied' }]);
});

test('conversation: calls of a run and of its sub-agent with one id → two entries', () => {
  const call = { type: 'tool_call_started', callId: 'k1_1', tool: 'list', arguments: '{}' };
  const ended = { type: 'tool_call_ended', callId: 'k1_1', tool: 'list', ending: 'executed', isError: false };
  const items = told(call, { ...call, path: 'search/1' }, { ...ended, path: 'search/1', text: 'x' });
  expect(items).toMatchObject([
    { path: '', ending: null },
    { path: 'search/1', ending: 'executed' },
  ]);
});

test('conversation: receipts of a message → one entry with all of them, and the text of the first', () => {
  const receipt = { type: 'receipt', id: 'm', how: 'so' };
  const items = told({ ...receipt, state: 'accepted', text: 'Hurry' }, { ...receipt, state: 'applied' });
  expect(items).toMatchObject([
    { kind: 'message', text: 'Hurry', receipts: [{ state: 'accepted' }, { state: 'applied' }] },
  ]);
});

test('conversation: a follow-up becomes the next goal → the message is marked, and no other one of the same words', () => {
  const long = 'Now look at the other folder too, and say what is in it. '.repeat(3).trim();
  const receipt = (id: string, state: string, text = '') => ({ type: 'receipt', id, state, how: 'so', text });
  const cut = `${long.slice(0, 59)}…`;
  const items = told(
    receipt('noted', 'accepted', cut),
    receipt('noted', 'applied'),
    receipt('waits', 'queued', cut),
    receipt('other', 'queued', 'Another one.'),
    { type: 'goal_started', number: 2, text: long },
    receipt('waits', 'applied'),
    { type: 'goal_started', number: 3, text: 'Another one. It has more words.' },
  );
  const messages = items.filter(item => item.kind === 'message');
  expect(messages.map(({ id, becameGoal }) => [id, becameGoal])).toEqual([
    ['noted', false],
    ['waits', true],
    ['other', false],
  ]);
});

test('conversation: a gate → one entry, closed by whom, how and why', () => {
  const opened = { type: 'gate_opened', gateId: 'g1', kind: 'approval', title: 'Run it?', body: '' };
  const closed = { by: 'person', decision: 'deny', reason: 'Not on a Friday.' };
  const items = told(opened, { type: 'gate_closed', gateId: 'g1', ...closed });
  expect(items).toMatchObject([{ kind: 'gate', closed }]);
});

test('conversation: an answer that was said already → it does not stand twice', () => {
  const end = { type: 'goal_ended', number: 1, outcome: 'answered', cause: 'direct_answer', answer: 'Yes.' };
  const said = told({ ...begun, form: 'words' }, { ...replied, text: 'Yes.' }, end);
  expect(said.at(-1)).toMatchObject({ kind: 'answer', repeats: true });
  expect(told(end).at(-1)).toMatchObject({ kind: 'answer', repeats: false });
});

test('conversation: what a role tells a person in its reply → it does not stand twice', () => {
  const words = { type: 'user_message', role: 'planner', text: 'Two tasks.' };
  const reply = { ...replied, text: '{"summary":"Two tasks."}' };
  expect(told(begun, reply, words).map(({ kind }) => kind)).toEqual(['said']);
  expect(told(words).map(({ kind }) => kind)).toEqual(['told']);
});

test('conversation: a failure, a warning → notes; what only machines need → nothing', () => {
  const failed = { type: 'model_call_failed', model: 'e/m', message: 'Busy.', next: 'retry' };
  expect(told(failed, { type: 'warning', text: 'Careful.' })).toMatchObject([
    { kind: 'note', about: 'model_call_failed', level: 'warn', text: 'e/m: Busy.', named: ['next', 'retry'] },
    { kind: 'note', about: 'warning', text: 'Careful.' },
  ]);
  const named = { ...failed, message: 'e/m at http://here answered HTTP 429.' };
  expect(told(named)).toMatchObject([{ text: 'e/m at http://here answered HTTP 429.' }]);
  expect(told({ type: 'continued_as_new', segment: 2 }, { type: 'store_back', afterMs: 1 })).toEqual([]);
});

test.each([
  [{ type: 'model_call_failed', model: 'e/m', message: 'No.', next: 'fail' }, 'e/m: No.', null],
  [
    { type: 'task_ended', taskId: 't1', status: 'failed', reason: 'gave_up' },
    't1 (gave up):',
    ['status', 'failed'],
  ],
  [{ type: 'task_ended', taskId: 't1', status: 'completed' }, 't1:', ['status', 'completed']],
  [{ type: 'skill_loaded', name: 'pdf', digest: 'd', file: 'a.md' }, 'pdf · a.md', null],
  [{ type: 'limit_reached', limit: 'execution' }, '', ['phase', 'execution']],
  [{ type: 'limit_reached', limit: 'turns' }, '', ['budget', 'turns']],
  [{ type: 'budget_warning', budget: 'costUsd' }, '', ['budget', 'costUsd']],
])('conversation: %j → names are told as such, for the page to say', (event, text, named) => {
  expect(told(event)).toMatchObject([{ kind: 'note', text, named }]);
});

test('FC9 conversation: a check that failed → the end of what it said, in whole lines; one that passed → none', () => {
  const ended = { type: 'check_ended', id: 'c1', check: 'npm test', why: 'exit code 1', durationMs: 5 };
  const output = `${'x'.repeat(50)}\n\nexpected 3, got 4\n1 failed\n`;
  expect(told({ ...ended, status: 'failed', output })).toMatchObject([
    { text: 'npm test: failed, exit code 1', said: `${'x'.repeat(50)}\nexpected 3, got 4\n1 failed` },
  ]);
  expect(told({ ...ended, status: 'passed', output })[0]).not.toHaveProperty('said');
});

test('conversation: a check from before the work → it is told as such, for the page to say; a later one → not', () => {
  const ended = {
    type: 'check_ended',
    id: 'c1',
    check: 'npm test',
    status: 'failed',
    why: 'exit code 1',
    output: '',
  };
  expect(told({ ...ended, before: true })).toMatchObject([
    { text: 'npm test: failed, exit code 1', named: ['check', 'before'] },
  ]);
  expect(told({ ...ended, before: false })).toMatchObject([{ named: null }]);
});

test('an ended run of which no event tells the answer → its record does, once (FC4)', () => {
  const ended = {
    endedAt: '2026-01-01T00:00:00.000Z',
    answer: 'Three.',
    outcome: 'completed',
    cause: 'verified',
  };
  const fold = newFold();
  const record = lookOf(ended as Partial<RunSnapshot>);
  expect(recordedAnswer(fold, record)).toMatchObject({ kind: 'answer', text: 'Three.', cause: 'verified' });
  expect(recordedAnswer(fold, lookOf({}))).toBeNull();
  const told = {
    seq: 1,
    at: 0,
    type: 'goal_ended',
    number: 1,
    outcome: 'completed',
    cause: 'verified',
    answer: 'Three.',
  };
  takeItem(fold, told as unknown as Durable);
  expect(recordedAnswer(fold, record)).toBeNull();
});

test.each([
  ['paused', 'zh', '已暂停'],
  ['paused', 'de', 'paused'],
  ['of_another_version', 'zh', 'of another version'],
])('the phase %s, in %s → its name', (phase, language, name) => {
  expect(phaseName(phase, language)).toBe(name);
});
