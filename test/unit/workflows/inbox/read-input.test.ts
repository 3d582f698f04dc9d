import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readFromCaller } from '../../../../src/rules/agents/agent-message.js';
import type { GateCloser } from '../../../../src/run/gates/gate.js';
import { newGoal } from '../../../../src/run/state/goal.js';
import type { Read } from '../../../../src/workflows/beside/feature.js';
import {
  changeModel,
  editPlan,
  receive,
  requestPause,
  requestResume,
  requestStop,
  setBudget,
  takeAnswer,
  withdraw,
} from '../../../../src/workflows/inbox/inbox-handlers.js';
import {
  answerReader,
  budgetReader,
  modelReader,
  planEditReader,
  readIndex,
  readName,
  readPageOptions,
  readReason,
  withdrawalReader,
} from '../../../../src/workflows/inbox/read-input.js';
import { closeGate } from '../../../../src/workflows/run/gates.js';
import { transcript } from '../../../../src/workflows/run/views.js';
import { task } from '../../../support/core-values.js';
import { propertyRuns } from '../../../support/property-runs.js';
import { fileTool, runAtCalls } from '../../../support/small-run.js';

const GATE_KINDS = [
  'approval',
  'plan',
  'question',
  'route',
  'clientTool',
  'budget',
  'failure',
  'form',
  'step',
] as const;

const SUBJECTS = {
  approval: { tool: 'put', callId: 't1', arguments: '{}' },
  plan: { tasks: 1 },
  question: { role: 'planner' },
  route: { act: 'new_task', messageId: 'u1' },
  clientTool: { tool: 'shop', callId: 't2', arguments: '{}' },
  budget: { budget: 'turns', limit: 4, used: 4 },
  failure: { model: 'p/a', models: ['p/b'] },
  form: { server: 's', tool: 'put', callId: 't1', schema: { type: 'object', properties: {} } },
  step: { taskId: 'task-1', canReplan: false },
} as const;

/** A run that has a message, a task, and an open gate of each kind. */
function runWithGates() {
  const { run } = runAtCalls([{ name: 'put', input: {} }], { pinned: { tools: [fileTool('put')] } });
  const { state } = run;
  state.goal = newGoal(1, 'Do it.', { mode: 'team', startedAt: 0 });
  state.tasks = [task('task-1')];
  receive(run, { id: 'u1', text: 'Mind this.' }, 'steer');
  state.people.gates = GATE_KINDS.map((kind, index) => ({
    key: `${kind}:${index}`,
    gate: {
      id: `g${index}`,
      kind,
      title: '',
      body: '',
      subject: SUBJECTS[kind],
      openedAt: 0,
      deadline: null,
    } as never,
    answer: null,
  }));
  return run;
}

const KEYS = [
  ...['gateId', 'callId', 'kind', 'decision', 'reason', 'arguments', 'tasks', 'text', 'to', 'model', 'id'],
  ...['content', 'isError', 'when', 'interrupt', 'turns', 'tokens', 'costUsd', 'foo', 'constructor'],
  ...['__proto__', 'from', 'headKey', 'description', 'dependencies'],
];
const WORDS = [
  ...['g0', 'g1', 'g2', 'g3', 'g4', 'g5', 'g6', 't2', 'u1', 'task-1', 'approve', 'always', 'deny', 'reject'],
  ...[
    'edit',
    'raise',
    'wrap_up',
    'retry',
    'other_model',
    'skip',
    'interrupt',
    'p/b',
    '',
    ' ',
    '\0',
    '\ud800',
  ],
];

/** Random JSON, much of it made of the names and words that readers know. */
const json = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, false, 0, -0, -1, 1, 1.5, 1e308, 9_007_199_254_740_991, ...WORDS),
    fc.string({ maxLength: 8 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie('value'), { maxKeys: 5 }),
  ),
})).value;

function nested(depth: number, make: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = make(value);
  return value;
}

const NASTY: readonly [string, unknown][] = [
  ['nothing', undefined],
  ['null', null],
  ['a bare id', 'u1'],
  ['a bare number', 7],
  ['a list', [{ gateId: 'g0', decision: 'approve' }]],
  ['100,000 lists in each other', nested(100_000, inner => [inner])],
  ['100,000 objects in each other', nested(100_000, inner => ({ arguments: inner }))],
  [
    'deep arguments',
    { gateId: 'g0', decision: 'approve', arguments: nested(50_000, inner => ({ a: inner })) },
  ],
  ['deep tasks', { tasks: [{ id: 'x', description: 'd', dependencies: nested(50_000, inner => [inner]) }] }],
  ['a model', { model: 'p/a', role: 'executor' }],
  ['deep text', { text: nested(50_000, inner => [inner]) }],
];

let run = runWithGates();
let sent = 0;

/** Everything that may be sent, read and carried out. Whatever is not right is refused in words. */
function send(input: unknown): void {
  sent += 1;
  if (sent % 200 === 0) run = runWithGates();
  const { state } = run;
  const taken = [
    carriedOut(answerReader(state, 'answerGate')(input), read => takeAnswer(run, read)),
    carriedOut(answerReader(state, 'submitToolResult')(input), read => takeAnswer(run, read)),
    carriedOut(planEditReader(state)(input), tasks => editPlan(run, tasks)),
    carriedOut(budgetReader(state, 1)(input), limits => setBudget(run, limits)),
    carriedOut(modelReader(state)(input), read => changeModel(run, read)),
    carriedOut(withdrawalReader(run)(input), id => withdraw(run, id)),
  ];
  receive(run, input, 'steer');
  receive(run, input, 'follow-up');
  requestPause(run, input);
  requestResume(run, input);
  if (sent % 200 === 199) requestStop(run, input);
  readReason(input);
  readFromCaller(input);
  readPageOptions(input);
  transcript(state, readName(input), readIndex(input));
  // What was taken can be carried over.
  if (!taken.includes(true)) return;
  JSON.stringify(state);
  run = runWithGates();
}

function carriedOut<T>(read: Read<T>, act: (value: T) => unknown): boolean {
  if ('ok' in read) act(read.ok);
  else if (read.error.trim() === '') throw new Error('refused without a word');
  return 'ok' in read;
}

describe('readers of what clients send', () => {
  test.each(NASTY)('readers: %s → nothing throws (ST4)', (_, input) => send(input));

  test('readers: random JSON values → each is taken or refused in words, and nothing throws (ST4)', () => {
    fc.assert(fc.property(json, send), { numRuns: propertyRuns(100_000), endOnFailure: true });
  });

  test('withdraw: a bare id, as a form sends it → the message is taken back (ST4)', () => {
    run = runWithGates();
    const read = withdrawalReader(run)('u1');
    expect(read).toEqual({ ok: 'u1' });
    expect('ok' in read && withdraw(run, read.ok)).toEqual({ text: 'Mind this.' });
    expect(withdrawalReader(run)({ id: 'u1' })).toHaveProperty('error');
  });
});

describe('an answer at a gate that is closed', () => {
  test.each<[string, GateCloser, string, string]>([
    ['a person', 'person', 'approve', 'it has its answer already (approve)'],
    ['its deadline', 'timeout', 'deny', 'no answer came in time (deny)'],
    [
      'a rule',
      'rule',
      'put is allowed for this run',
      'no person had to be asked (put is allowed for this run)',
    ],
    [
      ...(['a message', 'superseded', 'a message of the user'] as const),
      'the run no longer waits for an answer (a message of the user)',
    ],
  ])('by %s → refused, and what happened is said (C23)', (_name, by, why, said) => {
    const run = runWithGates();
    const [open] = run.state.people.gates;
    if (!open) throw new Error('no gate');
    Object.assign(open.gate, { id: 'g0' });
    closeGate(run, open, by, why);
    expect(answerReader(run.state, 'answerGate')({ gateId: 'g0', decision: 'approve' })).toEqual({
      error: expect.stringContaining(`Gate g0 is closed: ${said}. Open: `),
    });
    run.state.log.journal.events = [];
    expect(answerReader(run.state, 'answerGate')({ gateId: 'g0', decision: 'approve' })).toEqual({
      error: expect.stringContaining('Gate g0 is closed: the run no longer waits for an answer.'),
    });
  });
});
