import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  booleanOrNull,
  canonicalJson,
  isRecord,
  jsonBytes,
  stringOr,
  utf8Length,
  wellFormed,
} from '../../../../src/base/json/json.js';
import { fitMessage } from '../../../../src/conversation/fit-message.js';

/** The same data with the keys of every object in another order. */
function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, shuffled(member)]),
  );
}

describe('canonicalJson', () => {
  it.each([
    [{ b: 1, a: 2 }, '{"a":2,"b":1}'],
    [{ b: { d: 1, c: [{ z: 1, y: 2 }] }, a: null }, '{"a":null,"b":{"c":[{"y":2,"z":1}],"d":1}}'],
    [{ a: undefined, b: 1 }, '{"b":1}'],
    [[1, undefined, 'x'], '[1,null,"x"]'],
    [[], '[]'],
    [{}, '{}'],
    [undefined, 'null'],
    [-0, '0'],
    [1e21, '1e+21'],
    [Number.NaN, 'null'],
    ['a"\n', '"a\\"\\n"'],
    [{ 10: 1, 9: 2, a: 3 }, '{"10":1,"9":2,"a":3}'],
  ])('D1 canonicalJson: %j → %s', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it('D1 canonicalJson: keys in any order → the same text, which reads back as the same data', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const text = canonicalJson(value);
        expect(canonicalJson(shuffled(value))).toBe(text);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('D1 canonicalJson: nesting deeper than the call stack → a text, not an exception', () => {
    const text = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(canonicalJson(JSON.parse(text))).toBe(text);
  });
});

describe('sizes', () => {
  it('utf8Length: any text, lone surrogates included → what an encoder writes', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff })), units => {
        const text = units.map(unit => String.fromCharCode(unit)).join('');
        expect(utf8Length(text)).toBe(Buffer.byteLength(text));
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        expect(utf8Length(text)).toBe(Buffer.byteLength(text));
      }),
    );
  });

  it('jsonBytes: undefined → 0, other data → bytes of its JSON', () => {
    expect(jsonBytes(undefined)).toBe(0);
    expect(jsonBytes({ a: '数' })).toBe(Buffer.byteLength('{"a":"数"}'));
  });
});

describe('guards', () => {
  it.each([
    [true, true],
    [false, false],
    ['true', true],
    [' False ', false],
    ['yes', null],
    [1, null],
    [0, null],
    ['', null],
    [null, null],
    [undefined, null],
    [{}, null],
  ])('F1 booleanOrNull: %j → %j', (value, read) => {
    expect(booleanOrNull(value)).toBe(read);
  });

  it('isRecord and stringOr: only plain objects, only strings', () => {
    expect([{}, [], null, 'x', 1].map(isRecord)).toEqual([true, false, false, false, false]);
    expect([stringOr('', 'd'), stringOr(1, 'd'), stringOr(null, 'd')]).toEqual(['', 'd', 'd']);
  });
});

describe('halves of pairs', () => {
  it.each([
    ['A \ud83d half', 'A \ufffd half'],
    ['\ude00 first', '\ufffd first'],
    [{ 'k\ud83d': ['\ud83d', 1, null] }, { 'k\ufffd': ['\ufffd', 1, null] }],
  ])('%j → U+FFFD in their place (FE4)', (given, expected) => expect(wellFormed(given)).toEqual(expected));

  it('a value without any → itself; a message that enters a thread → mended (FE4)', () => {
    const value = { a: ['😀', { b: 'c' }] };
    expect(wellFormed(value)).toBe(value);
    const said = {
      id: 'm',
      at: 1,
      kind: 'user',
      purpose: 'goal',
      content: [{ type: 'text', text: 'x\ud83d' }],
    } as const;
    expect(fitMessage({ ...said, content: [...said.content] }).content).toEqual([
      { type: 'text', text: 'x\ufffd' },
    ]);
  });
});
