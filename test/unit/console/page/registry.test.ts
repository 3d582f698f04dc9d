/** The names by which a page finds components and handlers. */
import { expect, test } from 'vitest';
import { proposals, propose, proposeText } from '../../../../packages/console/page/components/proposals.js';
import { ComponentRegistry, HandlerRegistry } from '../../../../packages/console/page/components/registry.js';

const ctx = { partial: false, propose: () => undefined };
const definition = { render: () => 'drawn' };

test('R2 registry: register, get, render → and null for a name that is not there', () => {
  const registry = new ComponentRegistry();
  registry.register('order-card', definition);
  expect(registry.get('order-card')).toBe(definition);
  expect(registry.render('order-card', {}, ctx)).not.toBeNull();
  expect(registry.render('other-card', {}, ctx)).toBeNull();
});

test('R2 registry: registered again, at run time → the new one, and what was drawn is drawn again', () => {
  const registry = new ComponentRegistry();
  registry.register('order-card', definition);
  const before = registry.version.value;
  const other = { render: () => 'other' };
  registry.register('order-card', other);
  expect([registry.get('order-card'), registry.version.value > before]).toEqual([other, true]);
});

test('R2 registry: what draws nothing → refused', () => {
  expect(() => new ComponentRegistry().register('c', {} as never)).toThrow('no render function');
});

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
  'K1 R7 handlers and components: the name %s → nothing',
  name => {
    expect([new HandlerRegistry().get(name), new ComponentRegistry().get(name)]).toEqual([
      undefined,
      undefined,
    ]);
  },
);

test.each<[string, string, unknown, unknown, boolean]>([
  ['as it should be', 'open', 'Open', { id: 1 }, true],
  ['without a run', '', 'Open', null, false],
  ['a name that is markup', 'open', { not: 'a text' }, null, false],
  ['data that go round', 'open', 'Open', circle(), false],
  ['data above 16 KB', 'open', 'Open', 'x'.repeat(16_384), false],
])('R8 propose: %s', (what, run, label, data, isTaken) => {
  const id = run === '' ? '' : `run of ${what}`;
  expect(propose(id, { action: 'openOrder', label: label as string, data })).toBe(isTaken);
  expect(proposals.value[id]?.length ?? 0).toBe(isTaken ? 1 : 0);
});

test('R8 propose: again and again → one chip an action and label, five at most', () => {
  for (let at = 0; at < 20; at += 1) propose('r', { action: `a${at % 8}`, label: 'x', data: at });
  expect(proposals.value.r?.map(({ data }) => data)).toEqual([15, 16, 17, 18, 19]);
});

test('R8 propose: what is not seen in a text → is seen, and is what is sent', () => {
  propose('unseen', { action: 'openOrder', label: 'Open\u202e it', data: null });
  proposeText('unseen', 'board', 'Say\u{e0041} it\nnow');
  expect(proposals.value.unseen?.map(({ label }) => label)).toEqual([
    ...['Open‹U+202E› it', 'Say‹U+E0041› it\nnow'],
  ]);
});

function circle(): unknown {
  const data: Record<string, unknown> = {};
  data.self = data;
  return data;
}
