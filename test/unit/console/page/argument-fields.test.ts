/** Arguments of a call as fields that a person edits. */
import { describe, expect, it } from 'vitest';
import {
  argumentFields,
  isEdited,
  withTexts,
} from '../../../../packages/console/page/gates/call/argument-fields.js';

const INPUT = {
  path: 'a.ts',
  edits: [{ oldText: 'a', newText: 'b\nc', all: true }],
  limit: 5,
  note: null,
  tags: [],
};

describe('FC6 fields in place of JSON', () => {
  it('each value → a field of its kind', () => {
    expect(argumentFields(INPUT).map(({ name, kind, text }) => [name, kind, text])).toEqual([
      ['path', 'text', 'a.ts'],
      ['edits.0.oldText', 'lines', 'a'],
      ['edits.0.newText', 'lines', 'b\nc'],
      ['edits.0.all', 'flag', 'true'],
      ['limit', 'number', '5'],
      ['note', 'json', 'null'],
      ['tags', 'json', '[]'],
    ]);
  });

  it('more fields than a person reads → lists as JSON', () => {
    const many = { list: Array.from({ length: 100 }, (_, at) => ({ at })) };
    expect(argumentFields(many).map(({ name, kind }) => [name, kind])).toEqual([['list', 'json']]);
  });

  it.each([
    ['a text', { path: 'b.ts' }, { ...INPUT, path: 'b.ts' }],
    [
      'a text in a list',
      { 'edits.0.newText': 'd' },
      { ...INPUT, edits: [{ ...INPUT.edits[0], newText: 'd' }] },
    ],
    ['a number', { limit: '7' }, { ...INPUT, limit: 7 }],
    ['a flag', { 'edits.0.all': 'false' }, { ...INPUT, edits: [{ ...INPUT.edits[0], all: false }] }],
    ['JSON', { tags: '["x"]' }, { ...INPUT, tags: ['x'] }],
    ['nothing', { path: 'a.ts' }, INPUT],
  ])('%s is edited → it alone differs', (_, texts, input) => {
    expect(withTexts(INPUT, texts)).toEqual({ input });
  });

  it.each([
    ['limit', 'many'],
    ['limit', ''],
    ['tags', '[x'],
  ])('%s becomes %j → refused, by its name', (name, text) => {
    expect(withTexts(INPUT, { [name]: text })).toEqual({ fault: name });
  });

  it('a number that no double holds → its digits', () => {
    expect(withTexts({ id: 1 }, { id: '12345678901234567890' })).toEqual({
      input: { id: '12345678901234567890' },
    });
  });

  it('a field named as what every object has → its own value', () => {
    expect(isEdited({ constructor: 'a' }, {})).toBe(false);
    expect(withTexts({ constructor: 'a' }, { constructor: 'b' })).toEqual({ input: { constructor: 'b' } });
  });
});
