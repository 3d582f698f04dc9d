/** Content as the page draws it, in a document without a browser. What makes HTML safe there is played: see `safe`. */
import { parseHTML } from 'linkedom';
import { type ComponentType, h, render } from 'preact';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { eventually } from '../../support/wait.js';

// What is drawn is not compiled here.
const at = (path: string) => import(new URL(`../../../packages/${path}.js`, import.meta.url).pathname);
const window = parseHTML('<!doctype html><html><body></body></html>');
const host = window.document.createElement('div') as unknown as Element;

interface Rules {
  ALLOWED_TAGS: string[];
  ALLOWED_ATTR: string[];
  CUSTOM_ELEMENT_HANDLING?: { tagNameCheck(name: string): boolean };
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
      if (!rules.ALLOWED_TAGS.includes(name) && !own?.tagNameCheck(name)) element.remove();
      for (const attribute of [...element.attributes])
        if (!rules.ALLOWED_ATTR.includes(attribute.name)) element.removeAttribute(attribute.name);
    }
    const fragment = window.document.createDocumentFragment();
    fragment.append(...made.childNodes);
    return fragment;
  },
};

interface Proposed {
  action: string;
}
const proposed: Proposed[] = [];
const page = {} as {
  ContentText: ComponentType<{ text: string; live: boolean }>;
  Parts: ComponentType<{ parts: object[]; ofTool?: boolean }>;
  Here: { Provider: ComponentType<{ value: object; children: object }> };
  kit: {
    registry: {
      register(name: string, made: object): void;
      element(name: string, type: unknown, options?: object): void;
    };
    handlers: { register(name: string, handler: (data: unknown) => void): void };
    use(load: () => Promise<object>): Promise<void>;
  };
};

beforeAll(async () => {
  vi.resetModules();
  vi.doMock('dompurify', () => ({ default: () => safe }));
  const { document: inert } = parseHTML('<html><body></body></html>');
  Object.assign(inert, { adoptNode: (node: unknown) => node });
  const { document, HTMLElement, Element, CustomEvent, Event, customElements } = window;
  Object.assign(document, {
    implementation: { createHTMLDocument: () => inert },
  });
  const heard = { addEventListener: () => undefined, removeEventListener: () => undefined };
  const globals = { window, document, HTMLElement, Element, CustomEvent, Event, customElements, ...heard };
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  const { createKit } = await at('components/kit');
  const { Here } = await at('components/view/here');
  Object.assign(page, await at('components/view/content-view'), {
    Here,
    kit: createKit({ invalid: (fault: string) => `said: ${fault}` }),
  });
  const order = { type: 'object', properties: { orderId: { type: 'string' } } };
  page.kit.registry.register('order-card', { props: order, render: () => 'An order' });
  const broken = () => {
    throw new Error('out of cards');
  };
  page.kit.registry.register('broken-card', { render: broken });
  const mount = (_element: object, _props: object, ctx: { fail(error: Error): void }) =>
    ctx.fail(new Error('out of reach'));
  page.kit.registry.register('lost-card', { mount });
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

const fail = () => {
  throw new Error('not to be told');
};

const card = (component: string, props: object) => ({ type: 'component', component, props });
const content = (...parts: object[]) => JSON.stringify({ content: parts });

const here = {
  get kit() {
    return page.kit;
  },
  propose: (action: Proposed) => {
    proposed.push(action);
    return null;
  },
};

function show(content: object): void {
  render(h(page.Here.Provider, { value: here, children: content }), host);
}

function drawn(text: string): string {
  show(h(page.ContentText, { text, live: false }));
  return host.textContent ?? '';
}

describe('components', () => {
  test.each<[string, object, string]>([
    ['resource-info', { name: 'Chart', pages: 3 }, 'pages3'],
    ['task-info', { description: 'Sound the depth' }, 'Sound the depth'],
    ['task-info', { description: 'Sound the depth', feedback: 'Nine fathoms' }, 'Nine fathoms'],
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
    [
      'given what its schema has not',
      card('order-card', { orderId: 7 }),
      'said: orderId: expected string, got number 7',
    ],
    ['of the page, given something else', card('todo-list', { todos: 'none' }), 'expected a list of objects'],
    [
      'that fails',
      card('broken-card', { a: 'its data' }),
      'The component broken-card failed. Error: out of cards',
    ],
    [
      'that fails later',
      card('lost-card', { a: 'its data' }),
      'The component lost-card failed. Error: out of reach',
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

  test.each<[string, () => unknown]>([
    ['an object that is no text', () => Object.create(null)],
    ['an error that cannot be told', () => Object.defineProperty(new Error('x'), 'message', { get: fail })],
    ['nothing', () => undefined],
  ])(
    'R5 a component that throws %s → a hint in its place, and the next one is drawn',
    async (what, thrown) => {
      const name = `throws-${what.split(' ').at(-1)}`;
      page.kit.registry.register(name, {
        render: () => {
          throw thrown();
        },
      });
      const text = content(card(name, {}), card('summary-response', { summary: 'The next' }));
      await eventually(() =>
        expect(drawn(text)).toMatch(/The component throws-\w+ failed\.|It cannot be drawn/),
      );
      expect(host.textContent).toContain('The next');
    },
  );

  test('R5 properties of a page that are no JSON, given to a component that is missing or fails → a hint each, and the rest', async () => {
    const own: Record<string, unknown> = { name: 'Ours' };
    own.self = own;
    show(
      h(page.Parts, {
        parts: [
          card('no-such-card', own),
          card('broken-card', own),
          { type: 'json', value: own },
          card('summary-response', { summary: 'The rest' }),
        ],
      }),
    );
    await eventually(() => expect(host.textContent).toContain('The rest'));
    expect(host.textContent).toContain('There is no component no-such-card here.');
    expect(host.textContent).toContain('The component broken-card failed.');
  });

  test('R9 values of a page in properties, also such that name each other → given as they are', () => {
    const given: unknown[] = [];
    page.kit.registry.register('own-card', { render: (props: object) => void given.push(props) });
    const [when, names] = [new Date(0), new Map([['a', 1]])];
    const [one, two]: Record<string, unknown>[] = [{ key: 'left out' }, {}];
    Object.assign(one as object, { a: two, b: two });
    Object.assign(two as object, { a: one, b: one });
    show(h(page.Parts, { parts: [card('own-card', { when, names, one, size: 1n })] }));
    const [props] = given as Record<string, Record<string, Record<string, unknown>>>[];
    expect(props).toMatchObject({ when, names, size: 1n, one: expect.anything() });
    expect(props?.one?.a?.a).toBe(props?.one);
    expect(props?.one).not.toHaveProperty('key');
  });

  test('R5 properties whose names begin as those of events do → given, but for what could be code', () => {
    const given: unknown[] = [];
    page.kit.registry.register('own-card', { render: (props: object) => void given.push(props) });
    const harmless = { online: true, once: 3, ongoing: { a: 1 } };
    drawn(
      content(
        card('own-card', { ...harmless, onclick: 'x()', onload: ['x()'], ONERROR: 'x()', onClick: true }),
      ),
    );
    expect(given).toEqual([harmless]);
  });

  test.each([
    ['20,000 levels', 20_000],
    ['41 levels', 41],
  ])('R5 properties of %s → not given', (_what, levels) => {
    const given: unknown[] = [];
    page.kit.registry.register('own-card', { render: (props: object) => void given.push(props) });
    let deep: object = {};
    for (let level = 0; level < levels; level += 1) deep = { deep };
    show(h(page.Parts, { parts: [card('own-card', deep)] }));
    expect(given.at(-1)).toEqual({});
  });

  test('R5 properties with characters that are not seen, or that turn a line → seen in each built-in component', () => {
    const odd = 'a\u202eb';
    const fields = { name: odd, description: odd, completionCriteria: odd, status: odd };
    const text = content(
      card('resource-info', { [odd]: odd }),
      card('task-info', fields),
      card('resource-list', { resources: [fields], onClick: 'none' }),
      card('verifier-response', { summary: odd, improvements: [odd], tasks: [fields] }),
    );
    drawn(text);
    expect(host.textContent).not.toContain('\u202e');
  });

  test('R5 content with a part that is none → text', () => {
    const text = content({ type: 'text', value: 'Words' }, { type: 'odd' });
    drawn(text);
    expect(host.querySelector('.parts, .component-hint')).toBeNull();
  });
});

describe('modules', () => {
  test('R9 R11 a module that fails beside one that works → its components are hints that say why, the others are drawn', async () => {
    await page.kit.use(async () => ({
      default: ({ use, registry }: { use: typeof page.kit.use; registry: typeof page.kit.registry }) => {
        void use(async () => {
          throw new Error('no such file');
        });
        registry.register('late-card', { render: () => 'Late, but there' });
      },
    }));
    const text = content(card('gone-card', {}), card('late-card', {}));
    await eventually(() =>
      expect(drawn(text)).toContain('There is no component gone-card here. Error: no such file'),
    );
    expect(host.textContent).toContain('Late, but there');
  });

  test('R9 a component of another library → mounted once, told of new properties, removed with its place', () => {
    const said: string[] = [];
    page.kit.registry.register('mounted-card', {
      mount: (element: Element, { name }: { name: string }) => {
        said.push(`mount ${name}`);
        element.textContent = name;
        return {
          update: (props: { name: string }) => said.push(`update ${props.name}`),
          remove: () => said.push('remove'),
        };
      },
    });
    expect(drawn(content(card('mounted-card', { name: 'a' })))).toContain('a');
    drawn(content(card('mounted-card', { name: 'b' })));
    render(null, host);
    expect(said).toEqual(['mount a', 'update b', 'remove']);
  });

  test('R9 a component of another library whose update returns a function → nobody calls that, only a click does', () => {
    const clicked: string[] = [];
    page.kit.registry.register('clicked-card', {
      mount: (element: HTMLElement, first: { name: string }) => {
        const update = ({ name }: { name: string }) => (element.onclick = () => void clicked.push(name));
        update(first);
        return { update };
      },
    });
    for (const name of ['a', 'b', 'c']) drawn(content(card('clicked-card', { name })));
    render(null, host);
    expect(clicked).toEqual([]);
  });

  test('R9 todo-list with the name of a handler → a click gives it the task', async () => {
    const chosen: unknown[] = [];
    page.kit.handlers.register('openTask', task => void chosen.push(task));
    const todo = { description: 'Furl the sail', status: 'pending' };
    drawn(content(card('todo-list', { todos: [todo], onClick: 'openTask' })));
    host.querySelector('.todos button')?.dispatchEvent(new window.Event('click') as never);
    expect(chosen).toEqual([todo]);
  });
});

test.each<[string, string, string[]]>([
  ['a difference', ' a\n-b\n+c\n\\ No newline', ['line', 'line gone', 'line come', 'line']],
  ['options of a command', '-b takes\nno value', []],
  ['lines that stay', ' a\n b', []],
  ['a difference of 2,001 lines', '+a\n'.repeat(2_001), []],
])(
  'Markdown: %s in a block of code → the lines that come and go have a colour, or none has',
  async (_what, code, wanted) => {
    const text = `**Code**\n\n\`\`\`\n${code}\n\`\`\``;
    await eventually(() => {
      expect(drawn(text)).toContain(code);
      expect(host.querySelector('pre')).not.toBeNull();
    });
    expect([...host.querySelectorAll('code span')].map(line => line.className)).toEqual(wanted);
  },
);

describe('HTML', () => {
  const drawParts = (parts: object[]) => show(h(page.Parts, { parts }));
  const html = (value: string) => [{ type: 'webcomponent', value }];
  const shadow = () => host.querySelector('.made')?.shadowRoot ?? null;

  test('C30 HTML → what stands in the page was made safe last of all, by a list of elements', async () => {
    drawParts(
      html(
        '<p style="x" onclick="y()">Hi</p><img src="http://a/b" alt="a picture"><script>z()</script><form><input></form>',
      ),
    );
    await eventually(() => expect(shadow()?.innerHTML).toBe('<p>Hi</p><a href="http://a/b">a picture</a>'));
    const { ALLOWED_TAGS: tags = [], ALLOWED_ATTR: attributes = [] } = passes.at(-1) ?? {};
    expect(
      tags.filter(tag =>
        /script|style|frame|form|input|button|img|svg|math|link|meta|object|embed/.test(tag),
      ),
    ).toEqual([]);
    expect(attributes.filter(name => /^on|style|src|^id$|class|part/.test(name))).toEqual([]);
  });

  test.each([
    ['20,001 elements', '<p>'.repeat(20_001)],
    ['half a megabyte', `<p>${'x'.repeat(500_000)}</p>`],
  ])('WB2 HTML of %s → a hint, and the next is drawn', async (_what, large) => {
    drawParts([
      ...html(large),
      { type: 'component', component: 'todo-list', props: { todos: ['The next'] } },
    ]);
    await eventually(() => expect(host.textContent).toContain('It cannot be drawn: see it as data.'));
    expect(passes).toEqual([]);
    expect(host.textContent).toContain('The next');
    drawParts(html('<p>Small</p>'));
    await eventually(() => expect(shadow()?.innerHTML).toBe('<p>Small</p>'));
    expect(host.querySelector('.component-hint')).toBeNull();
  });

  test('R6 HTML → in a shadow of its own, with elements that are registered and no others; gone, nobody hears it', () => {
    page.kit.registry.element('star-card', class extends window.HTMLElement {});
    drawParts(html('<star-card>Five</star-card><other-card>Six</other-card>'));
    const root = shadow();
    expect([root?.innerHTML, host.textContent]).toEqual(['<star-card>Five</star-card>', '']);
    const tells = () =>
      root?.dispatchEvent(
        new window.CustomEvent('component-action', { detail: { action: 'rate' } }) as never,
      );
    tells();
    expect(proposed.splice(0)).toHaveLength(1);
    render(null, host);
    tells();
    expect([root?.childNodes.length, proposed]).toEqual([0, []]);
  });

  test('R11 an element with an event of its own → its listener hears that, and no more when it goes', () => {
    const heard: unknown[] = [];
    const events = { 'data-update': (detail: unknown) => heard.push(detail) };
    const chartElement = class extends window.HTMLElement {};
    page.kit.registry.element('my-chart', chartElement, { events });
    page.kit.registry.element('my-chart', class extends window.HTMLElement {}, { events });
    expect(window.customElements.get('my-chart')).toBe(chartElement);
    drawParts(html('<my-chart slot="main">Chart</my-chart>'));
    const chart = shadow()?.querySelector('my-chart');
    expect(chart?.getAttribute('slot')).toBe('main');
    const tells = (detail: number) =>
      chart?.dispatchEvent(new window.CustomEvent('data-update', { detail, bubbles: true }) as never);
    tells(1);
    render(null, host);
    tells(2);
    expect(heard).toEqual([1]);
  });
});
