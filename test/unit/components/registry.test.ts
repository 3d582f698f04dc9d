/** The names by which a page finds components and handlers. */
import { expect, test } from 'vitest';
import { ComponentRegistry, HandlerRegistry } from '../../../packages/components/view/registry.js';

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
