/** Content as the page draws it, in a document without a browser. What makes HTML safe there is played: see `safe`. */
import { parseHTML } from 'linkedom';
import { type ComponentType, h, render } from 'preact';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { eventually } from '../../../support/wait.js';

// What is drawn is not compiled here.
const at = (path: string) =>
  import(new URL(`../../../../packages/console/page/${path}.js`, import.meta.url).pathname);
const window = parseHTML('<!doctype html><html><body></body></html>');
const host = window.document.createElement('div') as unknown as Element;

interface Rules {
  ALLOWED_TAGS: string[];
  ALLOWED_ATTR: string[];
  CUSTOM_ELEMENT_HANDLING: { tagNameCheck(name: string): boolean };
}
const passes: Rules[] = [];
/** Keeps the elements that the rules have, as DOMPurify does, which no document but a browser's is enough for. */
const safe = {
  addHook: () => undefined,
  sanitize(given: string | Element, rules: Rules) {
    passes.push(rules);
    const made = window.document.createElement('div');
    made.innerHTML = typeof given === 'string' ? given : given.innerHTML;
    const { CUSTOM_ELEMENT_HANDLING: own } = rules;
    for (const element of [...made.querySelectorAll('*')]) {
      const name = element.localName;
      if (!rules.ALLOWED_TAGS.includes(name) && !own.tagNameCheck(name)) element.remove();
      for (const attribute of [...element.attributes])
        if (!rules.ALLOWED_ATTR.includes(attribute.name)) element.removeAttribute(attribute.name);
    }
    const fragment = window.document.createDocumentFragment();
    fragment.append(...made.childNodes);
    return fragment;
  },
};

const page = {} as {
  ContentText: ComponentType<{ text: string; live: boolean }>;
  Parts: ComponentType<{ parts: object[]; tool?: { server: string | null } }>;
  RunHere: { Provider: ComponentType<{ value: string; children: object }> };
  proposals: { value: Record<string, readonly object[]> };
  registry: { register(name: string, made: object): void; element(name: string, type: unknown): void };
};

beforeAll(async () => {
  vi.resetModules();
  vi.doMock('dompurify', () => ({ default: () => safe }));
  const { document: inert } = parseHTML('<html><body></body></html>');
  Object.assign(inert, { adoptNode: (node: unknown) => node });
  const { document, HTMLElement, CustomEvent, Event, customElements } = window;
  Object.assign(document, {
    implementation: { createHTMLDocument: () => inert },
  });
  const globals = { window, document, HTMLElement, CustomEvent, Event, customElements };
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  vi.stubGlobal('navigator', { language: 'en' });
  vi.stubGlobal('localStorage', { getItem: () => null });
  vi.stubGlobal('fetch', () => Promise.reject(new Error('no server')));
  await (await at('words/words')).speakFirst();
  (await at('components/load')).settings.value = { module: null, unsafeHtml: ['looks'], fault: null };
  const [content, registry] = [await at('components/content-view'), await at('components/registry')];
  Object.assign(page, content, registry, await at('components/here'), await at('components/proposals'));
  const order = { type: 'object', properties: { orderId: { type: 'string' } } };
  page.registry.register('order-card', { props: order, render: () => 'An order' });
  const broken = () => {
    throw new Error('out of cards');
  };
  page.registry.register('broken-card', { render: broken });
});
afterAll(() => {
  render(null, host);
  vi.unstubAllGlobals();
  vi.doUnmock('dompurify');
  vi.resetModules();
});
beforeEach(() => {
  passes.length = 0;
});

const card = (component: string, props: object) => ({ type: 'component', component, props });
const content = (...parts: object[]) => JSON.stringify({ content: parts });

function drawn(text: string): string {
  render(h(page.ContentText, { text, live: false }), host);
  return host.textContent ?? '';
}

describe('components', () => {
  test.each<[string, object, string]>([
    ['resource-info', { name: 'Chart', pages: 3 }, 'pages3'],
    ['task-info', { description: 'Sound the depth' }, 'Sound the depth'],
    ['resource-list', { resources: [{ name: 'Harbour' }] }, 'Harbour'],
    ['planner-response', { summary: 'A plan', todos: [{ description: 'Cast off' }] }, 'Cast off'],
    ['executor-response', { summary: 'It was done' }, 'It was done'],
    ['verifier-response', { overallFeedback: 'All is well' }, 'All is well'],
    ['todo-list', { todos: [{ description: 'Furl the sail' }] }, 'Furl the sail'],
    ['summary-response', { summary: 'In short' }, 'In short'],
  ])('R3 the component %s → is there, whatever a project has registered', async (name, props, words) => {
    await eventually(() => {
      expect(drawn(content(card(name, props)))).toContain(words);
      expect(host.querySelector('.component-hint')).toBeNull();
    });
  });

  test.each<[string, object, string]>([
    ['that is missing', card('no-such-card', { a: 'its data' }), 'There is no component no-such-card here.'],
    ['given what its schema has not', card('order-card', { orderId: 7 }), 'orderId'],
    ['of the page, given something else', card('todo-list', { todos: 'none' }), 'expected a list of objects'],
    [
      'that fails',
      card('broken-card', { a: 'its data' }),
      'The component broken-card failed. Error: out of cards',
    ],
  ])(
    'R5 a component %s → a hint in its place with its data, and the next one is drawn',
    async (_what, part, hint) => {
      const text = content(part, card('summary-response', { summary: 'The next' }));
      await eventually(() => expect(drawn(text)).toContain(hint));
      const [given] = Object.values('props' in part ? (part.props as object) : {});
      expect(host.querySelector('.component-hint pre')?.textContent).toContain(String(given));
      expect(host.textContent).toContain('The next');
    },
  );

  test('R5 content with a part that is none → text', () => {
    const text = content({ type: 'text', value: 'Words' }, { type: 'odd' });
    drawn(text);
    expect(host.querySelector('.parts, .component-hint')).toBeNull();
  });
});

describe('HTML', () => {
  const here = (parts: object[], server?: string) =>
    render(
      h(page.RunHere.Provider, {
        value: 'run-1',
        children: h(page.Parts, { parts, ...(server !== undefined && { tool: { server } }) }),
      }),
      host,
    );
  const html = (value: string) => [{ type: 'webcomponent', value }];
  const shadow = () => host.querySelector('.made')?.shadowRoot ?? null;

  test('C30 HTML → what stands in the page was made safe last of all, by a list of elements', () => {
    here(
      html(
        '<p style="x" onclick="y()">Hi</p><img src="http://a/b" alt="a picture"><script>z()</script><form><input></form>',
      ),
    );
    expect(shadow()?.innerHTML).toBe('<p>Hi</p><a href="http://a/b">a picture</a>');
    const { ALLOWED_TAGS: tags = [], ALLOWED_ATTR: attributes = [] } = passes.at(-1) ?? {};
    expect(
      tags.filter(tag =>
        /script|style|frame|form|input|button|img|svg|math|link|meta|object|embed/.test(tag),
      ),
    ).toEqual([]);
    expect(attributes.filter(name => /^on|style|src|^id$|class|slot|part/.test(name))).toEqual([]);
  });

  test('C30 HTML of a server that is named under unsafeHtml → in a frame, and not in the page; of others made safe', () => {
    here(html('<p>Looks</p>'), 'looks');
    expect(host.querySelector('iframe')?.getAttribute('sandbox')).toBe('allow-scripts');
    expect([host.textContent, passes]).toEqual(['', []]);
    here(html('<p>Looks</p>'), 'others');
    expect([host.querySelector('iframe'), shadow()?.innerHTML]).toEqual([null, '<p>Looks</p>']);
  });

  test('R6 HTML → in a shadow of its own, with elements that are registered and no others; gone, nobody hears it', () => {
    page.registry.element('star-card', class extends window.HTMLElement {});
    here(html('<star-card>Five</star-card><other-card>Six</other-card>'));
    const root = shadow();
    expect([root?.innerHTML, host.textContent]).toEqual(['<star-card>Five</star-card>', '']);
    const tells = () =>
      root?.dispatchEvent(
        new window.CustomEvent('component-action', { detail: { action: 'rate' } }) as never,
      );
    tells();
    expect(page.proposals.value['run-1']).toHaveLength(1);
    render(null, host);
    page.proposals.value = {};
    tells();
    expect([root?.childNodes.length, page.proposals.value]).toEqual([0, {}]);
  });
});
