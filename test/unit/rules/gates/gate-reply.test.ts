/** What people type and click at gates, and what the run's validators then take. */
import { describe, expect, test } from 'vitest';
import { checkAnswer } from '../../../../src/rules/gates/gate-answer.js';
import { firstValues, type PersonInput, replyTo } from '../../../../src/rules/gates/gate-reply.js';
import { fitGate, type Gate, optionAt } from '../../../../src/run/gates/gate.js';
import { chosenOption, distinctOptions, shownOptions } from '../../../../src/run/gates/options.js';

const base = { id: 'g1', title: '', body: '', openedAt: 0, deadline: null };
const call = { tool: 'write', callId: 'c', arguments: '{}' };
const approval: Gate = { ...base, kind: 'approval', subject: call };
const plan: Gate = { ...base, kind: 'plan', subject: { tasks: 1 } };
const question: Gate = { ...base, kind: 'question', subject: { role: 'react' } };
const budget: Gate = { ...base, kind: 'budget', subject: { budget: 'tokens', limit: 10, used: 12 } };
const failure: Gate = { ...base, kind: 'failure', subject: { model: 'a/b', models: [] } };
const step: Gate = { ...base, kind: 'step', subject: { taskId: 't', canReplan: true } };
const clientTool: Gate = { ...base, kind: 'clientTool', subject: { ...call, idempotencyKey: 'k' } };

function checked(gate: Gate, given: PersonInput) {
  const made = replyTo(gate, given);
  if ('fault' in made) return made.fault;
  const via = gate.kind === 'clientTool' ? 'submitToolResult' : 'answerGate';
  const { alwaysFor: _kept, ...input } = made.input;
  const found = checkAnswer([gate], { gateId: gate.id, ...input }, { via, maxBytes: 10_000 });
  return 'ok' in found ? found.ok.answer : found.error;
}

test.each<[string, Gate, PersonInput, object]>([
  ['approve', approval, { decision: 'approve' }, { decision: 'approve', arguments: null }],
  ['always', approval, { decision: 'always' }, { decision: 'always' }],
  ['edited', approval, { decision: 'approve', arguments: ' {"a":1}' }, { arguments: { a: 1 } }],
  ['deny', approval, { decision: 'deny', arguments: '{"a":1}', reason: ' no ' }, { reason: 'no' }],
  [
    'plan: reject',
    plan,
    { decision: 'reject', reason: 'shorter' },
    { decision: 'reject', reason: 'shorter' },
  ],
  ['plan: deny', plan, { decision: 'deny', reason: 'shorter' }, { decision: 'reject', reason: 'shorter' }],
  ['plan: approve', plan, { decision: 'approve' }, { decision: 'approve' }],
  ['question', question, { text: ' blue ' }, { text: 'blue' }],
  ['budget', budget, { decision: 'raise', to: '1_500_000' }, { decision: 'raise', to: 1_500_000 }],
  ['wrap up', budget, { decision: 'wrap_up' }, { decision: 'wrap_up' }],
  ['failure', failure, { decision: 'retry' }, { decision: 'retry' }],
  ['step', step, { decision: 'replan', reason: 'too much' }, { decision: 'replan', reason: 'too much' }],
  ['result', clientTool, { result: '42 items' }, { content: [{ type: 'text', text: '42 items' }] }],
  ['a figure', clientTool, { result: '42' }, { content: [{ type: 'text', text: '42' }] }],
  ['JSON', clientTool, { result: '{"n":1}' }, { content: [{ type: 'json', value: { n: 1 } }] }],
  ['error', clientTool, { result: 'gone', isError: true }, { isError: true }],
])('WB4 replyTo: %s → the run takes it at the gate that was seen', (_name, gate, given, answer) => {
  expect(checked(gate, given)).toMatchObject({ kind: gate.kind, ...answer });
});

test('replyTo: always in this workspace → the decision always, to be kept', () => {
  const made = replyTo(approval, { decision: 'always', alwaysFor: 'workspace' });
  expect(made).toEqual({ input: { decision: 'always', alwaysFor: 'workspace' } });
});

test.each<[Gate, PersonInput, string]>([
  [approval, { decision: 'approve', arguments: '{ broken' }, 'faultJson'],
  [approval, { decision: 'approve', arguments: '[1]' }, 'faultJson'],
  [plan, { decision: 'reject', reason: '  ' }, 'faultReason'],
  [question, { text: ' ' }, 'faultEmpty'],
  [budget, { decision: 'raise', to: 'much' }, 'faultNumber'],
  [budget, { decision: 'raise', to: '-1' }, 'faultNumber'],
  [budget, { line: 'much' }, 'faultWords'],
  [clientTool, { result: '' }, 'faultEmpty'],
])('replyTo: what can not be right → it is said before it is sent', (gate, given, fault) => {
  expect(replyTo(gate, given)).toMatchObject({ fault });
});

test.each(['2,5', '1,500', '２，５', '٣'])(
  'WB14 replyTo: the limit %j → is no number, in a field or a line',
  typed => {
    expect(replyTo(budget, { decision: 'raise', to: typed })).toMatchObject({ fault: 'faultNumber' });
    expect(replyTo(budget, { line: typed })).toMatchObject({ fault: 'faultWords' });
    expect(replyTo(budget, { line: `raise ${typed}` })).toMatchObject({ fault: 'faultWords' });
  },
);

describe('a question with options', () => {
  const options = ['None of them', 'All of them', '4', 'b'];
  const many: Gate = { ...base, kind: 'question', subject: { role: 'react', options } };

  test.each([
    // As much as was said: it is no place in a list.
    ['2', '2'],
    ['4', '4'],
    ['All of them', 'All of them'],
    ['a', 'None of them'],
    ['A)', 'None of them'],
    ['(c)', '4'],
    // The letter that stands beside an option means it, whatever another says.
    ['b', 'All of them'],
    ['d', 'b'],
    ['e', 'e'],
    ['1.', '1.'],
    ['two', 'two'],
  ])('WB3 replyTo: the line %j where options have letters → %j', (line, text) => {
    expect(checked(many, { line })).toEqual({ kind: 'question', text });
  });

  test('WB3 distinctOptions: an option whose words are the letter of another → in quotes, its own letter not', () => {
    expect(distinctOptions(['keep everything', 'a', 'delete everything'])).toEqual([
      'keep everything',
      '"a"',
      'delete everything',
    ]);
    expect(distinctOptions(['a', 'B)', '(a)', 'g'])).toEqual(['a', 'B)', '"(a)"', 'g']);
  });

  test('WB7 distinctOptions: options that look equal and are not → told apart by their codes', () => {
    expect(distinctOptions(['café.txt', 'cafe\u0301.txt', 'né'])).toEqual([
      'caf‹U+00E9›.txt',
      'cafe‹U+0301›.txt',
      'né',
    ]);
    expect(distinctOptions(['né', 'né'])).toEqual(['né', 'né']);
  });

  test.each<[string, string[], string[]]>([
    [
      'blanks',
      ['a b.txt', 'a  b.txt', 'a\tb.txt', 'a\u00a0b.txt', ' a b.txt'],
      ['a b.txt', 'a‹U+0020×2›b.txt', 'a‹U+0009›b.txt', 'a‹U+00A0›b.txt', '‹U+0020›a b.txt'],
    ],
    ['blanks of one alone', ['keep\n  all', 'none'], ['keep all', 'none']],
    ['quotes', ['a', '"a"', 'b', '"b"', 'B'], ['a', '"a"', '"b"', '"\\"b\\""', '"B"']],
    ['codes', ['a\tb', 'a b', 'a‹U+0009›b'], ['a‹U+0009›b ‹option 1›', 'a b', 'a‹U+0009›b ‹option 3›']],
    ['the same', ['yes', 'yes'], ['yes', 'yes']],
  ])(
    'WB3 shownOptions: what %s tell apart → looks different, and each is what was given',
    (_name, given, shown) => {
      expect(shownOptions(given)).toEqual(shown);
      expect(shown.map(each => chosenOption(each, shown, given))).toEqual(given);
    },
  );

  const long = (end: string, middle = '') => `${'x'.repeat(3_000)}${middle}${'y'.repeat(3_000)} ${end}`;

  test.each<[string, string[]]>([
    ['at their ends', [long('keep'), long('delete')]],
    ['in their middle', [long('', 'keep'), long('', 'drop'), 'none']],
    ['in their lengths', [long(''), long('', 'x'), 'none']],
    ['after 200 characters', [`${'z'.repeat(300)} keep`, `${'z'.repeat(300)} drop`]],
  ])(
    'WB10 fitGate: long options that differ %s → look different in any room, and each letter is its option',
    (_name, given) => {
      const asked: Gate = { ...many, subject: { role: 'react', options: shownOptions(given) } };
      for (const open of [[], Array.from({ length: 3 }, () => ({ ...many, body: 'y'.repeat(20_700) }))]) {
        const gate = fitGate(asked, open);
        if (gate.kind !== 'question') throw new Error('another kind');
        const { options = [] } = gate.subject;
        expect(new Set(options).size).toBe(given.length);
        expect(fitGate(gate, open)).toEqual(gate);
        for (const [at, option] of options.entries()) {
          if (option !== given[at]) expect(option).toMatch(/… \[cut: \d+ characters\] …/);
          const chosen = optionAt(gate, 'abc'.charAt(at)) ?? '';
          expect(chosenOption(chosen, options, given)).toBe(given[at]);
        }
      }
    },
  );

  test('WB10 shownOptions: an option of 1,000 characters → stands whole', () => {
    const given = [`${'z'.repeat(1_000)} keep`, 'none'];
    expect(shownOptions(given)).toEqual(given);
  });

  test.each(['2', 'a', '(b)'])('WB3 replyTo: %j in a field where options have no letters → that', text => {
    expect(checked(many, { text })).toEqual({ kind: 'question', text });
  });
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

const form: Extract<Gate, { kind: 'form' }> = {
  ...base,
  kind: 'form',
  subject: { server: 's', tool: 't', callId: 'c', schema },
};

test('replyTo: the fields of a form → values of their types; what is empty is left out', () => {
  const fields = { name: 'Ada', age: '36', ok: 'false', colours: ['red, dark'] };
  const content = { name: 'Ada', age: 36, ok: false, colours: ['red, dark'] };
  const given = (fields: object) => replyTo(form, { decision: 'accept', fields: { ...fields } });
  expect(given(fields)).toMatchObject({ input: { decision: 'accept', content } });
  expect(given({ name: 'Ada', ok: '' })).toMatchObject({ input: { content: { name: 'Ada' } } });
  // The run's check of the form says what is wrong with it.
  expect(given({ name: 'Ada', age: '2,5' })).toMatchObject({ input: { content: { age: '2,5' } } });
  expect(given({ age: '36' })).toMatchObject({ fault: 'faultFields', field: 'name' });
});

test('SU2 replyTo: a text and a list with a default, emptied by a person → sent as empty, for absent ones get their default', () => {
  const text = { type: 'string', default: 'usual' };
  const properties = {
    a: text,
    b: text,
    list: schema.properties.colours,
    size: { ...text, enum: ['usual'] },
    age: { type: 'integer', default: 7 },
  };
  const one: Gate = { ...form, subject: { ...form.subject, schema: { type: 'object', properties } } };
  const fields = { a: '', list: [], size: '', age: '' };
  expect(replyTo(one, { decision: 'accept', fields })).toEqual({
    input: { decision: 'accept', content: { a: '', list: [] } },
  });
});

test('replyTo: fields with the names of what every object has → their values alone', () => {
  const names = ['constructor', 'toString', '__proto__'];
  const properties = Object.fromEntries(names.map(name => [name, { type: 'string' }]));
  const odd: Gate = { ...form, subject: { ...form.subject, schema: { type: 'object', properties } } };
  expect(replyTo(odd, { decision: 'accept', fields: {} })).toEqual({
    input: { decision: 'accept', content: {} },
  });
  const fields = Object.fromEntries([['__proto__', 'a']]);
  const made = replyTo(odd, { decision: 'accept', fields });
  expect('input' in made && JSON.stringify(made.input.content)).toBe('{"__proto__":"a"}');
});

test('WB3 firstValues: a default that is none of the choices → is not given unseen', () => {
  const properties = {
    size: { type: 'string', enum: ['s', 'm'], default: 'xl' },
    number: { enum: [1, 2], default: 2 },
    ok: { type: 'boolean', default: 'perhaps' },
    sure: { type: 'boolean', default: false },
    colours: { type: 'array', items: { enum: ['red', 'blue'] }, default: ['red', 'green'] },
    free: { type: 'array', default: [1, 'b'] },
  };
  expect(firstValues({ type: 'object', properties })).toEqual({
    ...{ number: '2', sure: 'false', colours: ['red'], free: ['1', 'b'] },
  });
});

test('firstValues: defaults of a form → they stand in it first', () => {
  expect(firstValues(schema)).toEqual({ age: '7', colours: ['blue'] });
});
