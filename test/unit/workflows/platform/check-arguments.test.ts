import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../../../src/core/tools/tool.js';
import { validateArguments } from '../../../../src/schema/validate-arguments.js';
import { argumentFaults } from '../../../../src/workflows/platform/check-arguments.js';
import { answerReader } from '../../../../src/workflows/platform/read-input.js';
import { toolArguments } from '../../../../src/workflows/platform/requests.js';
import { runNextCalls } from '../../../../src/workflows/turn/run-tools.js';
import { fileTool, runAtCalls } from '../../../support/small-run.js';

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

const CASES: readonly [string, JsonSchema, Record<string, unknown>, RegExp | null][] = [
  ['what fits', WRITE, { path: 'a', format: 'json', lines: [1], owner: { age: 1 } }, null],
  ['no format is checked', WRITE, { path: 'not a uri' }, null],
  ['a missing property', WRITE, {}, /path/],
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

  test('answer: edited arguments that do not fit → refused, the gate stays open; that fit → taken (PR8)', () => {
    const put = { ...fileTool('put'), inputSchema: WRITE };
    const { run } = runAtCalls([{ name: 'put', input: { path: 'a' } }], { pinned: { tools: [put] } });
    const { batch } = run.state.cursor.place.turns;
    void runNextCalls(run, batch as NonNullable<typeof batch>);
    const gateId = run.state.people.gates[0]?.gate.id;
    const read = (args: object) =>
      answerReader(run.state, 'answerGate')({ gateId, decision: 'approve', arguments: args });
    expect(read({ path: 1 })).toMatchObject({
      error: expect.stringMatching(/do not fit put: path: .*string/),
    });
    expect(read({ path: 'b' })).toHaveProperty('ok');
  });

  test('gate about 300,000 characters → says how much is not shown, and the query gives all of it (PR8)', () => {
    const input = { path: 'a', content: '字'.repeat(300_000) };
    const { run } = runAtCalls([{ name: 'put', input }]);
    const { batch } = run.state.cursor.place.turns;
    void runNextCalls(run, batch as NonNullable<typeof batch>);
    const gate = run.state.people.gates[0]?.gate;
    expect(gate?.body).toMatch(
      /Not all of it is shown: 4000 of 3000\d\d characters.*show <run>.*toolRequest/s,
    );
    expect(gate?.body).toContain('"t1"');
    expect(toolArguments(run.state, 't1')).toEqual(input);
  });
});
