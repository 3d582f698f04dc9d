import { describe, expect, it, vi } from 'vitest';
import { isUsableSchema, validateArguments } from '../../src/shared/schema/validate-arguments.js';

const schema = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    mode: { enum: ['a', 'b'] },
    lines: { type: 'array', items: { type: 'object', properties: { at: { type: 'integer', minimum: 1 } } } },
  },
  required: ['path'],
  additionalProperties: false,
};

describe('arguments against a schema (T6, T7, C4)', () => {
  it('a schema that asks for an asynchronous check → checked at once, and no promise is left to fail', () => {
    const odd = { ...schema, $async: true };
    expect(isUsableSchema(odd)).toBe(true);
    expect(validateArguments(odd, {})).toEqual(['the arguments: the required property "path" is missing']);
  });

  it('valid → no errors', () => {
    expect(validateArguments(schema, { path: 'x', mode: 'a', lines: [{ at: 1 }] })).toEqual([]);
  });

  it('faults → each named with path, what was expected, what was given', () => {
    expect(validateArguments(schema, { mode: 'c', lines: [{ at: 'one' }, { at: 0 }], pth: 1 })).toEqual([
      'the arguments: the required property "path" is missing',
      'the arguments: unknown property "pth"; known: path, mode, lines',
      'mode: expected one of string "a", string "b", got string "c"',
      'lines.0.at: expected integer, got string "one"',
      'lines.1.at: must be >= 1, got number 0',
    ]);
  });

  it('a value that fits two forms of one → named, and not what contains it', () => {
    const forms = { type: 'object', properties: { a: { oneOf: [{ minimum: 1 }, { minimum: 2 }] } } };
    expect(validateArguments(forms, { a: 3 })).toEqual([
      'a: Instance does not match exactly one subschema (2 matches), got number 3',
    ]);
  });

  it('more properties than may be → too many, and not too few', () => {
    const most = { type: 'object', maxProperties: 1 };
    expect(validateArguments(most, { a: 1, b: 2 })).toEqual([
      'the arguments: has too many properties (2 > 1), got object {"a":1,"b":2}',
    ]);
  });

  it('more than ten faults → ten lines', () => {
    const wrong = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`x${i}`, 1]));
    expect(validateArguments(schema, wrong)).toHaveLength(10);
  });

  it('a long value → quoted in short', () => {
    const [line] = validateArguments(schema, { path: ['x'.repeat(5_000)] });
    expect(line?.length).toBeLessThan(200);
  });

  const nothing = { a: { b: 1 } };
  it.each([
    [
      'a pattern that tries for ever',
      { properties: { a: { pattern: '^(a+)+$' } } },
      { a: `${'a'.repeat(60)}!` },
    ],
    ['a reference to itself', { properties: { a: {} }, allOf: [{ $ref: '#' }] }, nothing],
  ])('a schema with %s → the server is the judge, soon (C4)', (_, endless, args) => {
    expect(validateArguments(endless, args)).toEqual([]);
    expect(isUsableSchema(endless)).toBe(false);
  });

  const list = { type: 'object', properties: { ids: { type: 'array', items: { type: 'string' } } } };
  const numbers = (count: number) => ({ ids: Array.from({ length: count }, () => 1) });

  it('a list of 5,000 wrong items → the list itself is written once, not with each of them (T6)', () => {
    const args = numbers(5_000);
    const toJSON = vi.fn(() => []);
    Object.defineProperty(args.ids, 'toJSON', { value: toJSON });
    expect(validateArguments(list, args)).toHaveLength(10);
    expect(toJSON.mock.calls.length).toBeLessThan(10);
  });

  it('more wrong items than can be told → the first is, and the schema is asked again', () => {
    expect(validateArguments(list, numbers(200_000))).toEqual(['ids.0: expected string, got number 1']);
    expect(validateArguments(list, numbers(1))).toHaveLength(1);
    expect(isUsableSchema(list)).toBe(true);
  });

  it.each<[string, object, unknown]>([
    ['a nullable type', { type: 'string', nullable: true }, null],
    ['a keyword that is null', { type: 'string', maxLength: null, pattern: null, enum: null }, 'x'],
    ['a bound that is null', { type: 'integer', maximum: null, multipleOf: null }, 5],
    ['a list of items with a bound that is null', { type: 'array', maxItems: null }, [1]],
    ['a name for its required ones', { type: 'object', required: 'name' }, { name: 'x' }],
    ['an anchor', { $ref: '#text' }, 'x'],
  ])('what fits by the words of its server: %s → no fault (C4)', (_, a, value) => {
    const asked = { type: 'object', properties: { a }, $defs: { text: { $anchor: 'text', type: 'string' } } };
    expect(validateArguments(asked, { a: value })).toEqual([]);
  });

  it('properties with the names of keywords → read as properties', () => {
    const properties = {
      format: true,
      enum: { type: 'string', format: 'email' },
      default: { type: 'number' },
    };
    const asked = { type: 'object', properties, additionalProperties: false };
    expect(validateArguments(asked, { format: 'x', enum: 'y', default: 'z' })).toEqual([
      'default: expected number, got string "z"',
    ]);
  });

  it.each([
    ['an example', { example: { type: 'photo' } }],
    [
      'a note of another program',
      { 'x-ui': { type: 'dropdown' }, discriminator: { mapping: { type: 'a' } } },
    ],
    ['a null', { maxLength: null }],
    ['a name of a schema', { $ref: '#text' }],
  ])('%s beside what is said of a value → the value is checked all the same (T6)', (_, beside) => {
    const a = '$ref' in beside ? beside : { type: 'string', ...beside };
    const asked = { type: 'object', properties: { a }, $defs: { text: { $anchor: 'text', type: 'string' } } };
    expect(isUsableSchema(asked)).toBe(true);
    expect(validateArguments(asked, { a: 1 })).toEqual([
      expect.stringMatching(/^a: .*string.*, got number 1$/),
    ]);
  });

  it('a schema that nests deeper than the stack → the server is the judge', () => {
    let deep: Record<string, unknown> = { type: 'string' };
    for (let depth = 0; depth < 20_000; depth += 1) deep = { properties: { a: deep } };
    expect(isUsableSchema(deep)).toBe(false);
    expect(validateArguments(deep, { a: 1 })).toEqual([]);
  });

  it('a schema that knows very many values → still sentences', () => {
    const known = Array.from({ length: 50_000 }, (_, i) => `value ${i}`);
    const [line = ''] = validateArguments({ properties: { a: { enum: known } } }, { a: 'x' });
    expect(line).toMatch(/^a: expected one of string "value 0"/);
    expect(line.length).toBeLessThanOrEqual(500);
  });

  it.each([
    ['a pattern', { properties: { a: { pattern: '^x' } } }, 'a: must match pattern "^x", got string "y"'],
    [
      'a bound behind a reference',
      { $defs: { b: { maxLength: 0 } }, properties: { a: { $ref: '#/$defs/b' } } },
      'a: String is too long (1 > 0), got string "y"',
    ],
    ['the one value', { properties: { a: { const: 'x' } } }, 'a: expected string "x", got string "y"'],
    [
      'a known word, or nothing',
      { properties: { a: { anyOf: [{ enum: ['x'] }, { type: 'null' }] } } },
      /^a: expected one of string "x", got string "y"$/,
    ],
    [
      'a bound of draft 4',
      { properties: { a: {}, n: { minimum: 0, exclusiveMinimum: true } }, required: ['n'] },
      'the arguments: the required property "n" is missing',
    ],
  ])('%s → what it must be, and what it is (T6)', (_, asked, says) => {
    expect(validateArguments(asked, { a: 'y' })[0]).toMatch(says);
  });

  it('a flag for a bound, as in draft 4 → followed, though no draft is named', () => {
    const above = { properties: { n: { minimum: 0, exclusiveMinimum: true } } };
    expect([0, 1].map(n => validateArguments(above, { n }).length)).toEqual([1, 0]);
  });

  it.each([
    ['none', undefined, false],
    ['no word about properties', { type: 'object' }, false],
    ['not an object', [], false],
    ['of a type that nobody knows', { type: 'object', properties: { a: { type: 'file' } } }, false],
    ['broken', { type: 'object', properties: { a: { $ref: '#/nowhere' } } }, false],
    [
      'draft 7',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: { a: { type: 'array', items: [{ type: 'string' }] } },
      },
      true,
    ],
    [
      '2020-12',
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $id: 'same',
        type: 'object',
        properties: { a: { prefixItems: [{ type: 'string' }] } },
      },
      true,
    ],
    ['the same $id again', { $id: 'same', type: 'object', properties: {} }, true],
    [
      'unknown keywords and formats',
      { type: 'object', properties: { a: { type: 'string', format: 'odd', 'x-note': 1 } } },
      true,
    ],
  ])('C4 usable schema: %s → %#', (_name, value, usable) => {
    expect(isUsableSchema(value)).toBe(usable);
  });
});
