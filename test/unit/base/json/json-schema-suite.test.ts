/** The JSON Schema Test Suite (github.com/json-schema-org/JSON-Schema-Test-Suite, MIT), without its optional part. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isRecord } from '../../../../src/base/json/json.js';
import { faultsOf } from '../../../../src/shared/schema/validate-arguments.js';

interface Case {
  file: string;
  description: string;
  schema: unknown;
  tests: { description: string; data: unknown; valid: boolean }[];
}

const DRAFTS = {
  draft7: 'http://json-schema.org/draft-07/schema#',
  'draft2020-12': 'https://json-schema.org/draft/2020-12/schema',
};

/**
 * What is not refused though it is wrong, by file. Their schemas refer to others over the network, by `$dynamicRef`, with
 * an `$id` beside the `$ref`, or name a vocabulary of their own: the check leaves these to the server of the tool.
 */
const TAKEN: Record<keyof typeof DRAFTS, Record<string, number>> = {
  draft7: { definitions: 1, ref: 6, refRemote: 11 },
  'draft2020-12': {
    ...{ anchor: 2, defs: 1, dynamicRef: 22, ref: 12, refRemote: 15 },
    ...{ unevaluatedItems: 1, unevaluatedProperties: 13, vocabulary: 2 },
  },
};

function casesOf(draft: keyof typeof DRAFTS): Case[] {
  const url = new URL(`../../../support/json-schema-suite/${draft}.jsonl`, import.meta.url);
  const lines = readFileSync(url, 'utf8').trimEnd().split('\n');
  return lines.map(line => JSON.parse(line) as Case);
}

/** A schema that is true or false is none of arguments. */
function faults({ schema }: Case, draft: keyof typeof DRAFTS, data: unknown): string[] {
  const whole = isRecord(schema) ? { $schema: DRAFTS[draft], ...schema } : { allOf: [schema] };
  return faultsOf(whole, data) ?? [];
}

describe.each(['draft7', 'draft2020-12'] as const)('SU1: JSON Schema Test Suite, %s', draft => {
  const cases = casesOf(draft);
  const verdicts = cases.flatMap(one =>
    one.tests.map(({ description, data, valid }) => {
      const said = faults(one, draft, data);
      return { name: `${one.file}: ${one.description}: ${description}`, file: one.file, valid, said };
    }),
  );

  it('what is valid → is never refused', () => {
    expect(verdicts.length).toBeGreaterThan(800);
    expect(verdicts.filter(({ valid, said }) => valid && said.length > 0)).toEqual([]);
  });

  it('what is not → is refused, but where the server is the judge', () => {
    const taken = verdicts.filter(({ valid, said }) => !valid && said.length === 0);
    const counts: Record<string, number> = {};
    for (const { file } of taken) counts[file] = (counts[file] ?? 0) + 1;
    expect(counts).toEqual(TAKEN[draft]);
  });
});

describe('SU1: what a server would take though its schema does not say so', () => {
  const path = { properties: { path: { type: 'string', default: '.' } }, required: ['path'] };
  const url = { properties: { url: { type: 'string' } }, required: ['url'] };
  it.each<[string, Record<string, unknown>, unknown, boolean]>([
    ['a default, without it', path, {}, true],
    ['a default in a branch, the other branch', { oneOf: [path, url] }, { url: 'a' }, true],
    [
      'a default behind a reference',
      { oneOf: [{ $ref: '#/$defs/a' }, url], $defs: { a: path } },
      { url: 'a' },
      true,
    ],
    ['branches beside others', { anyOf: [url], oneOf: [path, url] }, { url: 'a' }, true],
    ['branches without a default', { oneOf: [url, { required: ['url'] }] }, { url: 'a' }, false],
    ['a default below `not`', { not: path }, { url: 'a' }, true],
    ['a default below `not`, given', { not: path }, { path: 'a' }, false],
    [
      'a default below `not`, behind a reference',
      { not: { $ref: '#/$defs/a' }, $defs: { a: path } },
      {},
      true,
    ],
    ['a default below `if`', { if: path, else: { required: ['mode'] } }, { url: 'a' }, false],
    ['null below `not`', { not: { type: 'string', nullable: true } }, null, true],
    ['a format below `not`', { not: { format: 'email' } }, 'no address', true],
    ['at most so many', { contains: { type: 'string', nullable: true }, maxContains: 1 }, ['a', null], true],
  ])('%s → %j takes it as the server does', (_what, schema, value, valid) => {
    expect((faultsOf(schema, value) ?? []).length === 0).toBe(valid);
  });
});
