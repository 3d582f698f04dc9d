/** Components of a project's own module, in Chromium: drawn as they are written, faults in their place, what they propose. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { browserPath, consoleOfFile } from '../support/browser.js';
import { consoleProcess } from '../support/console-process.js';
import type { ScriptedReply } from '../support/endpoint/model.js';
import { projectRoot } from '../support/project.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf } from '../support/run-views.js';
import { calls, latch, settingsYaml } from '../support/steering.js';
import { until } from '../support/wait.js';

const MODULE = `import { words } from './words.js';
export default ({ registry, handlers, h, react, use }) => {
  for (const name of ['elements', 'broken', 'missing']) use(() => import('./' + name + '.js'));
  registry.register('order-card', {
    props: { type: 'object', properties: { orderId: { type: 'string' }, onOpen: { type: 'string' } }, required: ['orderId'] },
    defaults: { state: words.unknown },
    render: ({ orderId, state, onOpen }, ctx) => h('div', null,
      h('b', null, 'Order ' + orderId), ' ', h('i', null, state),
      h('button', { type: 'button', onClick: () => ctx.propose('Cancel ' + orderId, { orderId }) }, 'Cancel it'),
      onOpen && h('button', { type: 'button', onClick: () => onOpen({ orderId }) }, 'Open it')),
  });
  handlers.register('openOrder', (data, ctx) => ctx.propose('Open the order', data));
  registry.register('react-card', ({ name }) => {
    const [count, setCount] = react.useState(0);
    return react.createElement('button', { onClick: () => setCount(count + 1) }, name + ' ' + count);
  });
  registry.register('broken-card', { render: () => { throw new Error('out of cards'); } });
  class StarCard extends HTMLElement {
    static observedAttributes = ['stars'];
    connectedCallback() {
      this.addEventListener('click', () => this.dispatchEvent(new CustomEvent('component-action', {
        bubbles: true, composed: true, detail: { action: 'rate', data: { stars: this.getAttribute('stars') } },
      })));
    }
  }
  registry.element('star-card', StarCard);
};
`;
/** Elements of others, as a bundler makes them for the module's folder: with Lit, with React, and with the DOM alone. */
const ELEMENTS = `
import { css, html, LitElement } from 'lit';
import { createElement, useState } from 'react';
import { createRoot } from 'react-dom/client';
class LitCard extends LitElement {
  static properties = { stars: {} };
  static styles = css\`b { color: rgb(1, 2, 3); }\`;
  render() {
    if (this.stars === 'none') throw new Error('no stars');
    return html\`<b @click=\${() => this.dispatchEvent(new CustomEvent('rated', { detail: { stars: this.stars } }))}>Lit \${this.stars}</b><slot name="below"></slot>\`;
  }
}
class HtmlCard extends HTMLElement {
  connectedCallback() {
    this.innerHTML = '<button class="own">' + this.dataset.title + '</button><input value="typed">';
  }
}
class DeadCard extends HTMLElement {
  connectedCallback() { throw new Error('dead at once'); }
}
class StyledCard extends HTMLElement {
  connectedCallback() { this.innerHTML = '<style>i { color: red }</style><i>styled</i>'; }
}
function Card({ name }) {
  const [count, setCount] = useState(0);
  return createElement('button', { onClick: () => setCount(count + 1) }, name + ' ' + count);
}
export default ({ registry }) => {
  registry.element('lit-card', LitCard, {
    events: { rated: (detail, { propose, element }) => propose('Rated ' + detail.stars + ' of ' + element.localName, detail) },
  });
  registry.element('html-card', HtmlCard);
  registry.element('dead-card', DeadCard);
  registry.element('styled-card', StyledCard);
  registry.register('bundled-card', {
    mount(element, props, ctx) {
      const root = createRoot(element, { onUncaughtError: ctx.fail });
      const update = next => root.render(createElement(Card, next));
      update(props);
      return { update, remove: () => queueMicrotask(() => root.unmount()) };
    },
  });
};
`;
// biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of .mcp.json
const filesystem = { command: 'mcp-server-filesystem', args: ['${workspace}'] };

const card = (component: string, props: object) => ({ type: 'component', component, props });
const content = (...parts: object[]) => JSON.stringify({ content: parts });
const BUILT_IN = {
  'resource-info': { name: 'Chart', pages: 3 },
  'task-info': { description: 'Sound the depth', status: 'pending' },
  'resource-list': { resources: [{ name: 'Harbour' }] },
  'planner-response': { summary: 'The plan.', todos: [{ id: 'a', description: 'Cast off' }] },
  'executor-response': { summary: 'It was done.' },
  'verifier-response': { overallFeedback: 'All is well.', tasks: [{ id: 't9', completed: true }] },
  'todo-list': { todos: [{ description: 'Furl the sail', status: 'completed' }] },
  'summary-response': { summary: 'In short.' },
};
const SAYS = [
  'pages',
  'Sound the depth',
  'Harbour',
  'Cast off',
  'It was done.',
  'All is well.',
  'Furl the sail',
  'In short.',
];

interface LooksOf {
  getComputedStyle(element: unknown): { color: string };
}

describe.skipIf(browserPath === null)('components', () => {
  const rig = rigOfFile({
    workspace: {
      'card.json': content(card('order-card', { orderId: 'T-7' })),
      'looks.json': content({
        type: 'webcomponent',
        value: '<p style="color: rgb(1, 2, 3)">Styled</p><script>parent.document.title="no"</script>',
      }),
    },
    config: {
      'steersman.yaml': settingsYaml('steering: note'),
      '.mcp.json': JSON.stringify({ mcpServers: { filesystem } }),
      'components.js': MODULE,
      'words.js': 'export const words = { unknown: "state unknown" };',
      'broken.js': 'throw new Error("broken when it is loaded");',
      'secrets.json': '{}',
    },
  });
  const shown = consoleOfFile(rig, {
    components: () => ({
      module: join(rig.project.configDir, 'components.js'),
      unsafeHtml: ['filesystem'],
    }),
  });
  beforeAll(async () => {
    await build({
      stdin: { contents: ELEMENTS, resolveDir: projectRoot },
      ...{ bundle: true, format: 'esm', outfile: join(rig.project.configDir, 'elements.js') },
      define: { 'process.env.NODE_ENV': '"production"' },
      logLevel: 'error',
    });
  });
  const attended = { mode: 'react' as const, attended: true };
  const read = (path: string) => calls({ name: 'read_text_file', arguments: { path } });

  /** A run whose first reply is shown while its second waits. */
  async function runThatSays(first: ScriptedReply) {
    const held = latch();
    const script = rig.play((_request, index) => {
      if (index === 0) return { ...read('card.json'), ...first };
      return index === 1 ? { ...read('card.json'), hold: { until: held.until } } : { text: 'Done.' };
    });
    const run = await rig.start('Show me.', attended);
    const page = await shown.open(run.workflowId);
    return {
      run,
      page,
      script,
      end: () => {
        held.open();
        return run.result();
      },
    };
  }

  test('R3 R5 all built-in components, and what is missing, wrong or broken → each drawn, or a hint in its place', async () => {
    const { page, end } = await runThatSays({
      text: content(
        ...Object.entries(BUILT_IN).map(([name, props]) => card(name, props)),
        card('no-such-card', { a: 1 }),
        card('order-card', { orderId: 7 }),
        card('todo-list', { todos: 'none' }),
        card('broken-card', {}),
        card('order-card', { orderId: 'A-1' }),
      ),
    });
    for (const words of SAYS) await page.locator('.parts').first().getByText(words).first().waitFor();
    await page.getByText('There is no component no-such-card here.').waitFor();
    await page.getByText('The component order-card got properties that it does not accept.').waitFor();
    await page.getByText('todos: expected a list of objects or texts').waitFor();
    await page.getByText('The component broken-card failed. Error: out of cards').waitFor();
    await page.getByText('Order A-1').waitFor();
    await page.getByText('state unknown').first().waitFor();
    await end();
  });

  test('R1 R7 R8 a component, its handler by name, a result of a tool and an element → proposals, which a person sends as data', async () => {
    const { run, page, script, end } = await runThatSays({
      text: content(
        card('order-card', { orderId: 'A-1', onOpen: 'openOrder' }),
        card('react-card', { name: 'Counted' }),
        { type: 'webcomponent', value: '<star-card stars="5">Five stars</star-card>' },
      ),
    });
    await page.getByText('Order T-7').first().waitFor();
    await page.getByRole('button', { name: 'Counted 0' }).click();
    await page.getByRole('button', { name: 'Counted 1' }).waitFor();
    await page.getByRole('button', { name: 'Cancel it' }).first().click();
    await page.locator('.proposal', { hasText: 'Cancel A-1' }).waitFor();
    await page.getByRole('button', { name: 'Open it' }).click();
    const chip = page.locator('.proposal', { hasText: 'rate' });
    await page.getByText('Five stars', { exact: true }).click();
    await chip.waitFor();
    expect(await page.locator('.proposal').count()).toBe(3);
    expect(await eventsOf(run, 'receipt')).toEqual([]);
    const opens = page.locator('.proposal', { hasText: 'Open the order' });
    // A button is dead for the first half second.
    await until('the action is sent', async () => {
      await opens
        .getByRole('button', { name: 'Send' })
        .click({ timeout: 1_000 })
        .catch(() => undefined);
      return (await eventsOf(run, 'receipt')).length > 0;
    });
    await chip.getByRole('button', { name: 'Dismiss' }).click({ timeout: 5_000 });
    await page.evaluate(
      `dispatchEvent(new CustomEvent('component-action', { detail: { action: 'by-window', data: null } }))`,
    );
    await page.locator('.proposal', { hasText: 'by-window' }).waitFor();
    await end();
    const said = JSON.stringify(script.requests.at(-1)?.sent);
    expect(said).toContain('component_action action=');
    expect(said).toContain('Open the order');
    expect(said).not.toContain('Cancel A-1');
    expect(await eventsOf(run, 'gate_closed')).toEqual([]);
  });

  const html = (value: string) => ({ type: 'webcomponent', value });

  test('R11 elements of Lit, of React and of the DOM, and some that fail → drawn and heard, or a hint in their place', async () => {
    const { page, end } = await runThatSays({
      text: content(
        html('<lit-card stars="5"><i slot="below">slotted</i></lit-card>'),
        html(
          `<html-card data-title="<img src=x onerror=&quot;document.title='no'&quot;>Own markup"></html-card>`,
        ),
        card('bundled-card', { name: 'Bundled' }),
        html('<dead-card>dead</dead-card>'),
        html('<styled-card>styled</styled-card>'),
        html('<lit-card stars="none"></lit-card>'),
        card('gone-card', {}),
        card('order-card', { orderId: 'A-1' }),
      ),
    });
    await page.getByText('Lit 5').first().click();
    await page.locator('.proposal', { hasText: 'Rated 5 of lit-card' }).waitFor();
    const look = (code: string) =>
      page.evaluate(
        `(() => { const made = [...document.querySelectorAll('.made')].map(host => host.shadowRoot); return ${code}; })()`,
      );
    expect(
      await look(`getComputedStyle(made[0].querySelector('lit-card').shadowRoot.querySelector('b')).color`),
    ).toBe('rgb(1, 2, 3)');
    expect(await look(`made[0].querySelector('i').assignedSlot.name`)).toBe('below');
    await page.getByRole('button', { name: 'Own markup' }).first().waitFor();
    expect(
      await look(
        `[made[1].querySelector('.own').outerHTML.includes('onerror'), made[1].querySelector('input').value, document.title.includes('no')]`,
      ),
    ).toEqual([false, 'typed', false]);
    await page.getByRole('button', { name: 'Bundled 0' }).first().click();
    await page.getByRole('button', { name: 'Bundled 1' }).first().waitFor();
    for (const fault of ['dead at once', 'no stars']) await page.getByText(fault).first().waitFor();
    await page.getByText('The page’s policy blocks style-src-elem of an element').first().waitFor();
    await page.getByText('There is no component gone-card here.').first().waitFor();
    await page.getByText('broken when it is loaded').first().waitFor();
    await page.getByText('Order A-1').first().waitFor();
    await end();
  });

  test('R12 a component of a run that has ended → it says that nothing can be sent', async () => {
    rig.play(() => ({ text: content(card('order-card', { orderId: 'E-1' })) }));
    const run = await rig.start('Show it.', attended);
    await run.result();
    const page = await shown.open(run.workflowId);
    await page.getByRole('button', { name: 'Cancel it' }).first().click();
    await page.getByText('This run has ended: a component can send it nothing.').waitFor();
    expect(await page.locator('.proposal').count()).toBe(0);
  });

  test('R7 a built-in component that was drawn before the module was there → it calls the handler all the same', async () => {
    const { page, end } = await runThatSays({
      text: content(card('resource-list', { resources: [{ name: 'Harbour' }], onClick: 'openOrder' })),
    });
    await page.getByRole('button', { name: 'Harbour' }).first().click();
    await page.locator('.proposal', { hasText: 'Open the order' }).waitFor();
    await end();
  });

  test('a folder that nobody has trusted → the page says why its components are not there', async () => {
    const home = mkdtempSync(join(tmpdir(), 'untrusted-'));
    writeFileSync(join(home, 'steersman.yaml'), 'console: { components: ./components.js }\n');
    writeFileSync(join(home, 'components.js'), MODULE);
    const untrusted = await consoleProcess(home, { address: rig.env.address, names: [] });
    await untrusted.start();
    onTestFinished(async () => {
      await untrusted.kill();
      rmSync(home, { recursive: true, force: true });
    });
    const { run, page, end } = await runThatSays({ text: content(card('order-card', { orderId: 'A-1' })) });
    await page.getByText('Order A-1').waitFor();
    const other = await (await shown.browser.newContext()).newPage();
    await other.goto(untrusted.link(run.workflowId));
    await other.getByText('There is no component order-card here.').first().waitFor();
    await other.getByText('the folder is not trusted').first().waitFor();
    await other.context().close();
    await end();
  });

  test('R4 V9 a component that is being written → drawn with a cursor, and decided on when it is whole', async () => {
    const held = latch();
    const text = JSON.stringify({
      ...{ type: 'component', component: 'planner-response', summary: 'Half of a plan' },
      todos: [{ id: 'a', description: 'The rest of it' }],
    });
    rig.play(() => ({
      text: content(card('order-card', { orderId: 'A-1', note: text.repeat(4) })),
      chunkChars: 40,
      hold: { until: held.until, atChunk: 6 },
    }));
    const run = await rig.start('Plan.', attended);
    const page = await shown.open(run.workflowId);
    await page.locator('.live .component .cursor').waitFor();
    await page.locator('.live').getByText('Order A-1').waitFor();
    expect(await eventsOf(run, 'goal_ended')).toEqual([]);
    held.open();
    expect((await run.result()).outcome).toBe('answered');
    await page.locator('.entry:not(.live) .component').first().waitFor();
    expect(await page.locator('.cursor').count()).toBe(0);
  });

  test('R6 HTML that goes away → its shadow is empty, and an event in it is heard by nobody', async () => {
    const { page, end } = await runThatSays({
      text: content({ type: 'webcomponent', value: '<star-card stars="1">One star</star-card>' }),
    });
    await page.getByText('One star', { exact: true }).waitFor();
    const before = await page.evaluateHandle(`document.querySelector('.component.made')`);
    await page.getByRole('button', { name: 'Timeline' }).click();
    await page.getByText('One star', { exact: true }).waitFor({ state: 'detached' });
    const left = await page.evaluate(host => {
      const root = (
        host as unknown as { shadowRoot: { childNodes: ArrayLike<unknown>; dispatchEvent(e: Event): void } }
      ).shadowRoot;
      const detail = { action: 'rate', data: null };
      root.dispatchEvent(new CustomEvent('component-action', { detail }));
      return root.childNodes.length;
    }, before);
    await page.getByRole('button', { name: 'Conversation' }).click();
    expect([left, await page.locator('.proposal').count()]).toEqual([0, 0]);
    await end();
  });

  test('C30 HTML of a server that is named under unsafeHtml → in a frame of its own, with its looks and without scripts', async () => {
    const held = latch();
    rig.play((_request, index) =>
      index === 0 ? read('looks.json') : { text: 'Done.', hold: { until: held.until } },
    );
    const run = await rig.start('Show looks.', attended);
    const page = await shown.open(run.workflowId);
    const styled = page.frameLocator('iframe.framed').getByText('Styled');
    await styled.waitFor();
    const colour = await styled.evaluate(
      (element: unknown) => (globalThis as unknown as LooksOf).getComputedStyle(element).color,
    );
    expect(colour).toBe('rgb(1, 2, 3)');
    expect(await page.locator('iframe.framed').getAttribute('sandbox')).toBe('allow-scripts');
    expect(await page.title()).not.toBe('no');
    held.open();
    await run.result();
  });

  test('C30 the folder of components → scripts beside the module for who knows the place, and nothing else', async () => {
    const page = await shown.open();
    await page.getByText('Nothing waits for you.').waitFor();
    const statuses = await page.evaluate(`(async () => {
      const token = sessionStorage.getItem('steersman-token');
      const answer = await fetch('/api/components', { headers: { authorization: 'Bearer ' + token } });
      const { module } = await answer.json();
      const place = module.slice(0, module.lastIndexOf('/') + 1);
      const names = ['components.js', 'words.js', 'secrets.json', 'steersman.yaml', '../package.js', '%2e%2e%2fx.js', '.mcp.json', 'no.js'];
      const all = await Promise.all([...names.map(name => place + name), '/components/components.js'].map(path => fetch(path)));
      return all.map(({ status, headers }) => String(status) + (headers.get('content-type') ?? '').includes('javascript'));
    })()`);
    expect(statuses).toEqual([
      ...['200true', '200true', '404false', '404false'],
      ...['404false', '404false', '404false', '404false', '404false'],
    ]);
    await page.context().close();
  });
});
