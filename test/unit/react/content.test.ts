/** Components of React in content, in a document without a browser, with a root as React 18 makes it. */
import { parseHTML } from 'linkedom';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Kit } from '../../../packages/components/view/here.js';
import { eventually } from '../../support/wait.js';

const { window } = parseHTML('<!doctype html><html><body></body></html>');
let react: typeof import('../../../packages/react/content.js');
let createKit: typeof import('../../../packages/components/kit.js').createKit;

beforeAll(async () => {
  vi.resetModules();
  for (const name of ['document', 'HTMLElement', 'HTMLIFrameElement', 'Element', 'Node'] as const)
    vi.stubGlobal(name, (window as unknown as Record<string, unknown>)[name]);
  vi.stubGlobal('window', window);
  vi.stubGlobal('navigator', { userAgent: '' });
  vi.doMock('react-dom/client', async importActual => {
    const { createRoot } = await importActual<typeof import('react-dom/client')>();
    return { createRoot: (element: Element) => createRoot(element, { onUncaughtError: () => undefined }) };
  });
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  react = await import('../../../packages/react/content.js');
  ({ createKit } = await import('../../../packages/components/kit.js'));
});
afterAll(async () => {
  // React looks at the window once more, when nothing is left to do.
  for (let turn = 0; turn < 5; turn += 1) await new Promise(resolve => setImmediate(resolve));
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.doUnmock('react-dom/client');
  vi.resetModules();
});

test('R11 a component of React 18 that fails, also when its properties change → it is reported, and one that works is drawn', async () => {
  const failed: unknown[] = [];
  const ctx = { partial: false, propose: () => undefined, fail: (error: unknown) => void failed.push(error) };
  const card = react.reactComponent<{ name: string }>(({ name }) => {
    if (name === 'broken') throw new Error('out of cards');
    return createElement('b', null, name);
  });
  const element = window.document.createElement('div') as unknown as HTMLElement;
  const mounted = card.mount(element, { name: 'whole' }, ctx);
  await eventually(() => expect(element.textContent).toBe('whole'));
  mounted?.update?.({ name: 'broken' }, ctx);
  await eventually(() => expect(failed).toEqual([new Error('out of cards')]));
  mounted?.remove?.();
});

test('R11 content in a page of React: its text or its kit changes → drawn anew; the page removes it → it is told', async () => {
  const element = window.document.createElement('div') as unknown as HTMLElement;
  const root = createRoot(element);
  const removed: string[] = [];
  const kits = ['Ada', 'Bo'].map(name => {
    const kit = createKit();
    const mount = (element: HTMLElement) => {
      element.textContent = name;
      return { remove: () => void removed.push(name) };
    };
    kit.registry.register('name-card', { mount });
    return kit;
  });
  const card = JSON.stringify({ content: [{ type: 'component', component: 'name-card', props: {} }] });
  const steps = [
    [0, 'Hello', 'Hello'],
    [0, card, 'Ada'],
    [1, card, 'Bo'],
  ] as const;
  for (const [at, text, shown] of steps) {
    root.render(createElement(react.Content, { kit: kits[at] as Kit, text }));
    await eventually(() => expect(element.textContent).toBe(shown));
  }
  root.unmount();
  await eventually(() => expect(removed).toEqual(['Ada', 'Bo']));
});
