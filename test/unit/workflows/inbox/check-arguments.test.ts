import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../../../src/base/json/json.js';
import { validateArguments } from '../../../../src/shared/schema/validate-arguments.js';
import { argumentFaults } from '../../../../src/workflows/inbox/check-arguments.js';
import { answerReader } from '../../../../src/workflows/inbox/read-input.js';
import { toolArguments } from '../../../../src/workflows/run/requests.js';
import { runNextCalls } from '../../../../src/workflows/turn/tools/run-tools.js';
import { fileTool, runAtCalls } from '../../../support/small-run.js';
import { eventually } from '../../../support/wait.js';

const WRITE: JsonSchema = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1, format: 'uri' },
    format: { enum: ['text', 'json'] },
    lines: { type: 'array', items: { type: 'integer' } },
    owner: { $ref: '#/$defs/person' },
  },
  required: ['path'],
  additionalProperties: false,
  $defs: { person: { type: 'object', properties: { age: { type: 'number', minimum: 0 } } } },
};

/** As servers list it that write down what they fill in as required: what has a default may be left out. */
const DEFAULTED: JsonSchema = {
  type: 'object',
  properties: {
    button: { type: 'string', default: 'left' },
    ref: { type: 'string' },
    size: { type: 'object', properties: { width: { type: 'integer', default: 1 } }, required: ['width'] },
  },
  required: ['button', 'ref'],
};

const CASES: readonly [string, JsonSchema, Record<string, unknown>, RegExp | null][] = [
  ['what fits', WRITE, { path: 'a', format: 'json', lines: [1], owner: { age: 1 } }, null],
  ['no format is checked', WRITE, { path: 'not a uri' }, null],
  ['its draft is no text', { ...WRITE, $schema: { toString: 1 } }, { path: 'a' }, null],
  ['a missing property', WRITE, {}, /path/],
  ['required properties with a default, left out', DEFAULTED, { ref: 'e1', size: {} }, null],
  ['a default of a wrong type all the same', DEFAULTED, { ref: 'e1', button: 1 }, /^button: .*string/],
  ['a required property without one', DEFAULTED, { button: 'left' }, /ref/],
  ['an unknown property', WRITE, { path: 'a', text: 1 }, /text/],
  ['a wrong type', WRITE, { path: 1 }, /^path: .*string/],
  ['a wrong item', WRITE, { path: 'a', lines: [1, 'x'] }, /^lines\.1: .*integer/],
  ['none of the values', WRITE, { path: 'a', format: 'xml' }, /^format: /],
  ['behind a reference', WRITE, { path: 'a', owner: { age: -1 } }, /^owner\.age: /],
  ['draft 7', { ...WRITE, $schema: 'http://json-schema.org/draft-07/schema#' }, { path: 2 }, /^path: /],
  ['no schema to speak of', { type: 'object' }, { anything: true }, null],
  ['a schema that is broken', { $ref: '#/nowhere' }, { a: 1 }, null],
];

describe('arguments edited at a gate', () => {
  test.each(CASES)(
    'argumentFaults: %s → as the tool activity says, in words (PR8)',
    (_, schema, args, fault) => {
      const faults = argumentFaults(schema, args);
      expect(faults.length === 0).toBe(validateArguments(schema, args).length === 0);
      if (fault === null) expect(faults).toEqual([]);
      else expect(faults.some(line => fault.test(line))).toBe(true);
    },
  );

  test('argumentFaults: a pattern, which may try for ever → left to the tool activity, which can give it up', () => {
    const endless = {
      properties: { path: { type: 'string', pattern: '^(a+)+$' } },
      patternProperties: { '^(b+)+$': {} },
      additionalProperties: false,
    };
    const args = { path: `${'a'.repeat(60)}!`, [`${'b'.repeat(60)}!`]: 1 };
    expect(argumentFaults(endless, args)).toEqual([]);
    expect(argumentFaults({ properties: { pattern: { type: 'string' } } }, { pattern: 1 })).not.toEqual([]);
  });

  const name = { type: 'string', pattern: '^a+$' };
  test.each<[string, JsonSchema, Record<string, unknown>, RegExp | null]>([
    ['in the field itself', { properties: { name } }, { name: 1 }, /^name: .*string/],
    ['in another field', { properties: { name, age: { type: 'integer' } } }, { age: 'x' }, /^age: .*integer/],
    ['and a missing property', { properties: { name }, required: ['name'] }, {}, /name/],
    [
      'behind a reference',
      { properties: { a: { $ref: '#/$defs/name' } }, $defs: { name } },
      { a: 1 },
      /^a: .*string/,
    ],
    ['that does not match', { properties: { name } }, { name: 'b' }, null],
    // Without it they would take less, or nobody knows.
    ['below not', { properties: { a: { not: name } } }, { a: 'b' }, null],
    [
      'below not, behind a reference',
      { properties: { a: { not: { $ref: '#/$defs/name' } } }, $defs: { name } },
      { a: 'b' },
      null,
    ],
    ['in one branch of two', { properties: { a: { oneOf: [name, { const: 'b' }] } } }, { a: 'b' }, null],
  ])(
    'PR8 argumentFaults: a schema with a pattern %s → all else of it is checked',
    (_, schema, args, fault) => {
      const faults = argumentFaults(schema, args);
      if (fault === null) expect(faults).toEqual([]);
      else expect(faults.some(line => fault.test(line))).toBe(true);
    },
  );

  /** Each level leads to the next twice: `through` says how. */
  const doubling = (levels: number, through: (next: JsonSchema) => JsonSchema): JsonSchema => {
    const next = (level: number) => ({ $ref: `#/$defs/d${level + 1}` });
    const level = (each: number) => [`d${each}`, { allOf: [through(next(each)), through(next(each))] }];
    const $defs = Object.fromEntries([...Array(levels).keys()].map(level));
    const last = { [`d${levels}`]: { type: 'string' } };
    return { type: 'object', properties: { a: { $ref: '#/$defs/d0' } }, $defs: { ...$defs, ...last } };
  };
  const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });

  test.each<[string, JsonSchema, unknown]>([
    ['references that double', doubling(60, next => next), 1],
    [
      'references that double with each level',
      doubling(60, next => ({ properties: { a: next } })),
      nested(60),
    ],
    [
      'a list of values that each of many is compared with',
      { properties: { a: { items: { enum: Array.from({ length: 1_000 }, (_, k) => ({ k })) } } } },
      Array.from({ length: 1_000 }, () => ({ k: -1 })),
    ],
    [
      'one that doubles by itself',
      {
        $ref: '#/$defs/b',
        $defs: { b: { properties: { a: { allOf: [{ $ref: '#/$defs/b' }, { $ref: '#/$defs/b' }] } } } },
      },
      nested(60),
    ],
  ])(
    'argumentFaults: %s, so that the check would go on for ever → left to the tool activity',
    (_, schema, a) => {
      expect(argumentFaults(schema, { a })).toEqual([]);
    },
  );

  test('argumentFaults: references that are followed a hundred times → checked', () => {
    expect(
      argumentFaults(
        doubling(6, next => next),
        { a: 1 },
      )[0],
    ).toMatch(/^a: .*string/);
    const list: JsonSchema = {
      properties: { next: { $ref: '#' }, value: { type: 'string' } },
    };
    let args: Record<string, unknown> = { value: 1 };
    for (let depth = 0; depth < 50; depth++) args = { next: args };
    expect(argumentFaults(list, args)[0]).toMatch(/value: .*string/);
  });

  test.each([
    ['a keyword that is null', { properties: { a: { type: 'integer', maximum: null } } }],
    ['a type that nobody knows', { properties: { a: { type: 'file' } } }],
  ])('argumentFaults: %s → no answer is refused for it (PR8)', (_, schema) => {
    expect(argumentFaults(schema, { a: 1 })).toEqual([]);
  });

  test('answer: edited arguments that do not fit → refused, the gate stays open; that fit → taken (PR8)', () => {
    const put = { ...fileTool('put'), inputSchema: WRITE };
    const { run } = runAtCalls([{ name: 'put', input: { path: 'a' } }], { pinned: { tools: [put] } });
    const { batch } = run.state.cursor.position.turns;
    void runNextCalls(run, batch as NonNullable<typeof batch>);
    const gateId = run.state.people.gates[0]?.gate.id;
    const read = (args: object) =>
      answerReader(run.state, 'answerGate')({ gateId, decision: 'approve', arguments: args });
    expect(read({ path: 1 })).toMatchObject({
      error: expect.stringMatching(/do not fit put: path: expected string, got number 1\.$/),
    });
    expect(read({ path: 'b' })).toHaveProperty('ok');
  });

  test('gate about 300,000 characters → says how much is not shown, and the query gives all of it (PR8)', async () => {
    const input = { path: 'a', content: '字'.repeat(300_000) };
    const { run } = runAtCalls([{ name: 'put', input }]);
    const { batch } = run.state.cursor.position.turns;
    void runNextCalls(run, batch as NonNullable<typeof batch>);
    await eventually(() => expect(run.state.people.gates).toHaveLength(1));
    const gate = run.state.people.gates[0]?.gate;
    expect(gate?.body).toMatch(
      /Not all of it is shown: 4000 of 3000\d\d characters.*show <run>.*toolRequest/s,
    );
    expect(gate?.body).toContain('"t1"');
    expect(toolArguments(run.state, 't1')).toEqual(input);
  });
});
