/** The names by which a page finds components and handlers. */
import { expect, test } from 'vitest';
import type { ComponentPart } from '../../../packages/components/built-in/built-in-props.js';
import { createKit } from '../../../packages/components/kit.js';
import { ComponentRegistry, HandlerRegistry } from '../../../packages/components/view/registry.js';
import { sayIn } from '../../../packages/components/view/words.js';

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

test('FC6 R5 a built-in component that is given what it does not take, on a Chinese page → the hint is Chinese', () => {
  const { registry } = createKit({ say: sayIn(() => 'zh') });
  const faults = registry.get('planner-response')?.faults?.({ summary: 1, todos: 'none' });
  expect(faults).toEqual(['summary：应为文本', 'todos：应为对象或文本的列表']);
});

test('R9 a part with a property that its component has not → no type', () => {
  // @ts-expect-error It is `todos`.
  const wrong: ComponentPart = { type: 'component', component: 'todo-list', props: { todoz: [] } };
  expect(wrong.component).toBe('todo-list');
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
