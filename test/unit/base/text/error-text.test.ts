import { expect, it } from 'vitest';
import { errorText, errorTextWithCause } from '../../../../src/base/text/error-text.js';

const withMessage = (message: unknown) => Object.assign(new Error('x'), { message });

it.each([
  ['an error', new Error('no stock'), 'no stock'],
  ['a text', 'no stock', 'no stock'],
  ['an object with a message', { code: -32_602, message: 'no stock' }, 'no stock'],
  ['an error whose message is an object', withMessage({ status: 502 }), '{"status":502}'],
  ['an error whose message is a number', withMessage(409), '409'],
  ['an error without a message', withMessage(undefined), 'Error'],
  ['nothing', undefined, 'undefined'],
  ['null', null, 'null'],
  ['a symbol', Symbol('sold'), 'Symbol(sold)'],
  ['an object', { stock: 0 }, '{"stock":0}'],
  ['an object without a prototype', Object.create(null), '{}'],
])('errorText: %s → a text', (_, thrown, text) => {
  expect(errorText(thrown)).toBe(text);
});

const fails = () => {
  throw new Error('no words');
};

it.each([
  ['a message', Object.defineProperty({}, 'message', { get: fails })],
  ['a form in JSON', { message: { toJSON: fails } }],
  ['words', new Proxy({}, { get: fails, has: fails })],
])('errorText: what was thrown throws where it is asked for %s → a text all the same', (_, thrown) => {
  expect(errorText(thrown)).toBe('an error that cannot be shown');
  expect(errorTextWithCause(new Error('lost', { cause: thrown }))).toContain('lost');
});
