import { expect, test } from 'vitest';
import { replyTo } from '../../../../src/rules/gates/gate-reply.js';
import { answerFromWords } from '../../../../src/rules/gates/gate-words.js';
import { fieldLine, fitQuestion, formFields } from '../../../../src/run/gates/form.js';
import type { Gate } from '../../../../src/run/gates/gate.js';

const form = (properties: Record<string, unknown>): Gate =>
  ({
    ...{ id: 'g1', kind: 'form', title: '', body: '', openedAt: 0, deadline: null },
    subject: { server: 's', tool: 't', callId: 'c1', schema: { type: 'object', properties } },
  }) as Gate;
const SIZE = { size: { type: 'integer' } };
const LEVEL = {
  level: {
    type: 'integer',
    oneOf: [
      { const: 1, title: 'Low' },
      { const: 2, title: 'Very high' },
    ],
  },
};
const DAYS = { days: { type: 'array', items: { enum: ['mo', 'tu'], enumNames: ['Monday', 'Tuesday'] } } };
const titled = (...choices: readonly (readonly [unknown, string])[]) =>
  choices.map(([value, title]) => ({ const: value, title }));
const CASED = { pick: { oneOf: titled([1, 'Delete'], [2, 'delete'], [3, '1']) } };
const SWAPPED = { pick: { oneOf: titled(['delete', 'keep'], ['keep', 'delete']) } };
const COMMAS = {
  pick: { type: 'array', items: { enum: ['keep a', 'delete b', 'keep a, delete b', 'c, d'] } },
};
const TWO = { ...SIZE, gift: { type: 'boolean' } };

test.each<[string, Record<string, unknown>, object | null]>([
  ['n', SIZE, { decision: 'decline' }],
  ['decline', TWO, { decision: 'decline' }],
  ['c', TWO, { decision: 'cancel' }],
  ['y', {}, { decision: 'accept', content: {} }],
  ['y 4', SIZE, { decision: 'accept', content: { size: 4 } }],
  ['y large', SIZE, { decision: 'accept', content: { size: 'large' } }],
  ['y no', { gift: { type: 'boolean' } }, { decision: 'accept', content: { gift: false } }],
  ['y a, b', { tags: { type: 'array' } }, { decision: 'accept', content: { tags: ['a', 'b'] } }],
  ['y the red one', { which: { type: 'string' } }, { decision: 'accept', content: { which: 'the red one' } }],
  ['y very HIGH', LEVEL, { decision: 'accept', content: { level: 2 } }],
  ['y 1', LEVEL, { decision: 'accept', content: { level: 1 } }],
  ['y Tuesday, mo', DAYS, { decision: 'accept', content: { days: ['tu', 'mo'] } }],
  ['{"size": 4, "gift": true}', TWO, { decision: 'accept', content: { size: 4, gift: true } }],
  ['y {"size": 4}', TWO, { decision: 'accept', content: { size: 4 } }],
  ['y 4', TWO, null],
  ['4', SIZE, null],
])('form: "%s" is typed → what the form takes, or nothing', (words, properties, input) => {
  const read = answerFromWords(form(properties), words);
  if (input === null) expect(read).toHaveProperty('error');
  else expect(read).toEqual({ input });
});

test.each<[string, Record<string, unknown>, unknown]>([
  ['delete', CASED, 2],
  ['Delete', CASED, 1],
  ['2', CASED, 2],
  ['Delete (1)', CASED, 1],
  ['keep (delete)', SWAPPED, 'delete'],
  ['KEEP (DELETE)', SWAPPED, 'delete'],
  ['1', { pick: { oneOf: titled([1, 'One'], [2, 'Two']) } }, 1],
  ['c, d', COMMAS, ['c, d']],
  ['keep a, c, d', COMMAS, ['keep a', 'c, d']],
  ['C, D, delete b', COMMAS, ['c, d', 'delete b']],
  ['keep a, e', COMMAS, ['keep a', 'e']],
])('WB3 form: "y %s" is typed where an option is just that → that option', (typed, properties, pick) => {
  expect(answerFromWords(form(properties), `y ${typed}`)).toEqual({
    input: { decision: 'accept', content: { pick } },
  });
});

test.each<[string, Record<string, unknown>, unknown[]]>([
  ['keep', SWAPPED, ['delete', 'keep']],
  ['Keep', SWAPPED, ['delete', 'keep']],
  ['1', CASED, [1, 3]],
  ['DELETE', CASED, [1, 2]],
  ['same', { pick: { enum: [1, '1'], enumNames: ['same', 'same'] } }, [1, '1']],
  ['keep a, delete b', COMMAS, [['keep a', 'delete b'], ['keep a, delete b']]],
])(
  'WB3 form: "y %s" is typed where it may mean several → nothing is decided, each is told as JSON',
  (typed, properties, meant) => {
    const read = answerFromWords(form(properties), `y ${typed}`);
    if (!('error' in read)) throw new Error('it was taken');
    for (const pick of meant) {
      const line = `y ${JSON.stringify({ pick })}`;
      expect(read.error).toContain(line);
      expect(answerFromWords(form(properties), line)).toEqual({
        input: { decision: 'accept', content: { pick } },
      });
    }
  },
);

test('WB3 form: a choice of a list is clicked → the one that has this value, whatever title another has', () => {
  const fields = { pick: 'keep' };
  expect(replyTo(form(SWAPPED), { decision: 'accept', fields })).toMatchObject({
    input: { content: { pick: 'keep' } },
  });
  const upper = { pick: { enum: ['Keep', 'keep'], enumNames: ['one', 'other'] } };
  expect(replyTo(form(upper), { decision: 'accept', fields })).toMatchObject({
    input: { content: { pick: 'keep' } },
  });
});

test('form: choices that are no texts, and would not become any → as JSON', () => {
  const odd = { toString: 1, valueOf: 1 };
  const schema = { properties: { which: { type: 'string', enum: [odd, 2], oneOf: [{ const: odd }] } } };
  expect(formFields(schema).map(fieldLine)).toEqual([
    '- which (string, optional): {"toString":1,"valueOf":1} | 2',
  ]);
});

test('form: choices with titles → each title, with the value that is to be given; a title that says no more is left out', () => {
  const same = { which: { type: 'string', oneOf: [{ const: 'x', title: 'x' }, { const: 'y' }] } };
  expect(formFields({ properties: { ...LEVEL, ...DAYS, ...same } }).map(fieldLine)).toEqual([
    '- level (integer, optional): Low (1) | Very high (2)',
    '- days (array, optional): Monday (mo) | Tuesday (tu)',
    '- which (string, optional): x | y',
  ]);
});

test('form: fields with titles, choices and defaults → a line each', () => {
  const schema = {
    properties: {
      size: { type: 'string', title: 'Size', enum: ['S', 'L'], default: 'S' },
      tags: { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } },
    },
    required: ['size'],
  };
  expect(formFields(schema).map(fieldLine)).toEqual([
    '- size (string): Size · S | L · = "S"',
    '- tags (array, optional): A (a)',
  ]);
});

test('form: a field with a title → it stands beside the name, and before the other words in a line', () => {
  const [field] = formFields({
    properties: { length: { type: 'number', title: 'Boat', description: 'In m' } },
  });
  expect(field).toMatchObject({ label: 'length', title: 'Boat', hint: 'In m' });
  expect(field && fieldLine(field)).toBe('- length (number, optional): Boat · In m');
});

test('WB7 form: a name, words and choices that hide something → show it; long ones stand whole', () => {
  const description = `${'Say it. '.repeat(100)}Then all is deleted.`;
  const schema = {
    properties: { 'na\u200bme': { enum: ['ke\u202eep'], enumNames: ['Ke\u00adep'], description } },
  };
  const [field] = formFields(schema);
  expect(field).toMatchObject({
    name: 'na\u200bme',
    label: 'na‹U+200B›me',
    choices: [{ value: 'ke\u202eep', title: 'Ke‹U+00AD›ep' }],
  });
  expect(field?.hint).toBe(`${description} · Ke‹U+00AD›ep (ke‹U+202E›ep)`);
});

test('WB7 form: names that differ in blanks → look different', () => {
  const labels = formFields({ properties: { 'a b': {}, 'a  b': {}, 'a\ufeffb': {} } }).map(
    ({ label }) => label,
  );
  expect(labels).toEqual(['a b', '"a  b"', '"a\\ufeffb"']);
});

test('WB7 form: a message that is too long → is cut with a mark, once', () => {
  const schema = { type: 'object', properties: SIZE };
  const fits = fitQuestion({ message: `${'z'.repeat(4_200)} all of it is deleted`, schema });
  expect(fits?.message).toMatch(/z… \[cut: 2\d\d characters\]$/);
  expect(fits?.message.length).toBeLessThanOrEqual(4_000);
  expect(fits && fitQuestion(fits)).toEqual(fits);
});
