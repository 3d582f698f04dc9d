/** The forms of gates of the console's page: what is filled in, and what the run's validators then take. */
import { expect, test } from 'vitest';
import {
  answerInput,
  approvalInput,
  budgetInput,
  decisionInput,
  firstValues,
  formInput,
  type MadeInput,
  rejectInput,
  resultInput,
} from '../../../src/cli/console/page/gates/inputs.js';
import type { Gate } from '../../../src/core/gates/gate.js';
import { checkAnswer } from '../../../src/core/gates/gate-answer.js';

const base = { id: 'g1', title: '', body: '', openedAt: 0, deadline: null };
const call = { tool: 'write', callId: 'c', arguments: '{}' };
const approval: Gate = { ...base, kind: 'approval', subject: call };
const plan: Gate = { ...base, kind: 'plan', subject: { tasks: 1 } };
const question: Gate = { ...base, kind: 'question', subject: { role: 'react' } };
const budget: Gate = { ...base, kind: 'budget', subject: { budget: 'tokens', limit: 10, used: 12 } };
const failure: Gate = { ...base, kind: 'failure', subject: { model: 'a/b', models: [] } };
const step: Gate = { ...base, kind: 'step', subject: { taskId: 't', canReplan: true } };
const clientTool: Gate = { ...base, kind: 'clientTool', subject: { ...call, idempotencyKey: 'k' } };

function checked(gate: Gate, made: MadeInput) {
  if ('fault' in made) return made.fault;
  const via = gate.kind === 'clientTool' ? 'submitToolResult' : 'answerGate';
  const { alwaysFor: _kept, ...input } = made.input;
  const found = checkAnswer([gate], { gateId: 'g1', ...input }, { via, maxBytes: 10_000 });
  return 'ok' in found ? found.ok.answer : found.error;
}

const none = { edited: null, reason: '' };

test.each<[string, Gate, MadeInput, object]>([
  ['approve', approval, approvalInput('approve', none), { decision: 'approve', arguments: null }],
  ['always', approval, approvalInput('always', none), { decision: 'always' }],
  ['edited', approval, approvalInput('approve', { edited: ' {"a":1}', reason: '' }), { arguments: { a: 1 } }],
  ['deny', approval, approvalInput('deny', { edited: '{"a":1}', reason: ' no ' }), { reason: 'no' }],
  ['plan: reject', plan, rejectInput('shorter'), { decision: 'reject', reason: 'shorter' }],
  ['plan: approve', plan, decisionInput('approve'), { decision: 'approve' }],
  ['question', question, answerInput(' blue '), { text: 'blue' }],
  ['budget', budget, budgetInput('1,500_000'), { decision: 'raise', to: 1_500_000 }],
  ['wrap up', budget, decisionInput('wrap_up'), { decision: 'wrap_up' }],
  ['failure', failure, decisionInput('retry'), { decision: 'retry' }],
  ['step', step, decisionInput('replan', 'too much'), { decision: 'replan', reason: 'too much' }],
  ['result', clientTool, resultInput('42 items', false), { content: [{ type: 'text', text: '42 items' }] }],
  ['JSON', clientTool, resultInput('{"n":1}', false), { content: [{ type: 'json', value: { n: 1 } }] }],
  ['error', clientTool, resultInput('gone', true), { isError: true }],
])('gate forms: %s → the run takes it', (_name, gate, made, answer) => {
  expect(checked(gate, made)).toMatchObject({ kind: gate.kind, ...answer });
});

test('gate forms: always in this workspace → the decision always, to be kept', () => {
  expect(approvalInput('workspace', none)).toEqual({
    input: { decision: 'always', alwaysFor: 'workspace' },
  });
});

test.each<[MadeInput, string]>([
  [approvalInput('approve', { edited: '{ broken', reason: '' }), 'faultJson'],
  [approvalInput('approve', { edited: '[1]', reason: '' }), 'faultJson'],
  [rejectInput('  '), 'faultReason'],
  [answerInput(' '), 'faultEmpty'],
  [budgetInput('much'), 'faultNumber'],
  [budgetInput('-1'), 'faultNumber'],
  [resultInput('', false), 'faultEmpty'],
])('gate forms: what can not be right → it is said before it is sent', (made, fault) => {
  expect(made).toMatchObject({ fault });
});

const schema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string' },
    age: { type: 'integer', default: 7 },
    ok: { type: 'boolean' },
    colours: { type: 'array', items: { enum: ['red, dark', 'blue'] }, default: ['blue'] },
  },
};

test('gate forms: the fields of a form → values of their types; what is empty is left out', () => {
  const values = { name: 'Ada', age: '36', ok: 'false', colours: ['red, dark'] };
  const content = { name: 'Ada', age: 36, ok: false, colours: ['red, dark'] };
  expect(formInput(schema, values)).toEqual({ input: { decision: 'accept', content } });
  expect(formInput(schema, { name: 'Ada', ok: '' })).toEqual({
    input: { decision: 'accept', content: { name: 'Ada' } },
  });
  expect(formInput(schema, { age: '36' })).toEqual({ fault: 'faultFields', field: 'name' });
});

test('gate forms: defaults of a form → they stand in it first', () => {
  expect(firstValues(schema)).toEqual({ age: '7', colours: ['blue'] });
});
