import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactJson, exactText } from '../../../../src/base/json/json.js';

describe('FE1: numbers of a JSON text', () => {
  it.each([
    ...[
      '0',
      '-0',
      '7',
      '1.50',
      '9007199254740991',
      '9007199254740994',
      '-12.25',
      '1e3',
      '1E+2',
      '0.1',
      '0e999',
    ],
    ...[
      '0.30000000000000004',
      '100000000000000000000',
      '1e21',
      '5e-324',
      '1.7976931348623157e308',
      '0.000001',
    ],
  ])('%s, which a double holds → a number', digits => {
    expect(exactJson(`{"a":${digits}}`)).toEqual({ a: Number(digits) });
  });

  it.each([
    ...[
      '9007199254740993',
      '0.10000000000000001',
      '12345678901234567890',
      '-12345678901234567890',
      '90071992547409936',
    ],
    ...[
      '1.00000000000000000001',
      '1e400',
      '-1e400',
      '1e-400',
      '0.12345678901234567890',
      '123456789012345678e2',
    ],
  ])('%s, which it does not → the text of its digits', digits => {
    expect(exactJson(`{"a":[${digits},1]}`)).toEqual({ a: [digits, 1] });
    expect(exactJson(digits)).toBe(digits);
  });

  it('digits in texts and names → as they stand there', () => {
    const text = '{"12345678901234567890":"12345678901234567890 \\" 12345678901234567890","\\\\":1}';
    expect(exactText(text)).toBe(text);
  });

  it('any value → as JSON.parse reads it; no JSON → as it refuses it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        expect(exactText(JSON.stringify(value))).toBe(JSON.stringify(value));
      }),
    );
    const sign = fc.constantFrom(...'{}[]":,\\-0123456789.eE+ a'.split(''));
    fc.assert(
      fc.property(fc.array(sign, { maxLength: 12 }), signs => {
        const text = signs.join('');
        const isJson = (given: string) => {
          try {
            JSON.parse(given);
            return true;
          } catch {
            return false;
          }
        };
        expect(isJson(exactText(text))).toBe(isJson(text));
      }),
      { numRuns: 5_000 },
    );
  });
});
