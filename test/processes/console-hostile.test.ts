/** Replies and results that would harm who looks at them, in Chromium: nothing of them runs, asks or answers. */

import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { browserPath, consoleOfFile } from '../support/browser.js';
import { HOSTILE, LOOK, NEVER, type Seen } from '../support/hostile-content.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf } from '../support/run-views.js';
import { calls, latch, settingsYaml } from '../support/steering.js';
import { until } from '../support/wait.js';

const MODULE = `export default ({ registry, handlers, h }) => {
  class MyCard extends HTMLElement { static observedAttributes = ['title', 'onclick', 'style', 'id']; }
  registry.element('my-card', MyCard);
  // As careless as it gets.
  registry.register('spread-card', { render: props => h('div', props, 'spread') });
  handlers.register('open', (data, ctx) => ctx.propose('Open', data));
};
`;
const CONTENT = JSON.stringify({ content: Object.values(HOSTILE) });
// biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of .mcp.json
const filesystem = { command: 'mcp-server-filesystem', args: ['${workspace}'] };

describe.skipIf(browserPath === null)('hostile content', () => {
  const rig = rigOfFile({
    workspace: { 'content.json': CONTENT },
    config: {
      'steersman.yaml': settingsYaml('steering: note'),
      '.mcp.json': JSON.stringify({ mcpServers: { filesystem } }),
      'components.js': MODULE,
    },
  });
  const shown = consoleOfFile(rig, {
    components: () => ({ module: join(rig.project.configDir, 'components.js'), unsafeHtml: [] }),
  });

  const framed = consoleOfFile(rig, {
    components: () => ({ module: null, unsafeHtml: ['filesystem'] }),
  });

  async function watched(bypassCSP: boolean, url = shown.url) {
    const page = await (await shown.browser.newContext({ bypassCSP })).newPage();
    const asked: string[] = [];
    page.on('request', request => void asked.push(request.url()));
    await page.exposeFunction('pwned', (what: unknown) => void asked.push(`pwned ${what}`));
    return { page, asked: () => asked.filter(each => !each.startsWith(url) && !each.startsWith('data:')) };
  }

  async function look(page: Page): Promise<Seen[]> {
    await page.locator('.parts [data-component="todo-list"]').first().waitFor();
    await page.locator('.parts [data-component="spread-card"]').first().waitFor();
    return page.evaluate<Seen[]>(LOOK);
  }

  test.each([
    ['the reply of a role', false, { text: CONTENT }],
    ['the reply of a role, in a browser without the policy', true, { text: CONTENT }],
    ['the result of a tool', false, null],
    ['the result of a tool, in a browser without the policy', true, null],
  ])(
    'K1 C30 hostile content: %s → no script, no request outside, no gate answered',
    async (_what, bypassCSP, said) => {
      const write = calls({ name: 'write_file', arguments: { path: 'x.txt', content: 'x' } });
      const read = calls({ name: 'read_text_file', arguments: { path: 'content.json' } });
      rig.play((_request, index) => (said ? { ...write, ...said } : index === 0 ? read : write));
      const run = await rig.start('Look.', { mode: 'react', attended: true });
      const { page, asked } = await watched(bypassCSP);
      await page.goto(shown.served.link(run.workflowId));
      const seen = await look(page);
      expect(await page.locator('.parts').first().locator('> *').count()).toBe(Object.keys(HOSTILE).length);
      expect(seen.length).toBeGreaterThan(100);
      expect(seen.filter(({ tag }) => NEVER.test(tag))).toEqual([]);
      const attributes = new Set(seen.flatMap(each => each.attributes));
      expect([...attributes].filter(name => /^(on|src|style|id$|name$|is$|form)/.test(name))).toEqual([]);
      expect(seen.filter(({ href }) => href !== null && !/^(https?|mailto):/.test(href))).toEqual([]);
      expect(await page.locator('.gate, .gate-card, form').count()).toBeGreaterThan(0);
      expect(asked()).toEqual([]);
      expect(await eventsOf(run, 'gate_closed')).toEqual([]);
      expect(await eventsOf(run, 'receipt')).toEqual([]);
      await page.context().close();
      await run.cancel();
    },
  );

  test('C30 hostile content: of a server whose HTML is shown as it is → in its frames no script either, and no request outside', async () => {
    const held = latch();
    const read = calls({ name: 'read_text_file', arguments: { path: 'content.json' } });
    rig.play((_request, index) => (index === 0 ? read : { text: 'Done.', hold: { until: held.until } }));
    const run = await rig.start('Look.', { mode: 'react', attended: true });
    const { page, asked } = await watched(false, framed.url);
    // Chromium tells of what its rules have stopped, too: that has not left the browser.
    const stopped: string[] = [];
    page.on('requestfailed', request => {
      if (/^(csp|origin)$/.test(request.failure()?.errorText ?? '')) stopped.push(request.url());
    });
    await page.goto(framed.served.link(run.workflowId));
    await page.frameLocator('iframe.framed >> nth=-1').locator('div').first().waitFor({ state: 'attached' });
    const count = Object.values(HOSTILE).filter(part =>
      JSON.stringify(part).includes('"webcomponent"'),
    ).length;
    expect(await page.locator('iframe.framed').count()).toBe(count);
    await until(
      'the policy has stopped all of it',
      async () => stopped.length > 0 && stopped.length >= asked().length,
    );
    expect(asked().sort()).toEqual(stopped.sort());
    held.open();
    await run.result();
  });

  test('WB7 a goal that turns words around → by its code at the head of its run and at its gate', async () => {
    rig.play(() => calls({ name: 'write_file', arguments: { path: 'x.txt', content: 'x' } }));
    const run = await rig.start('Pay \u202e001 now.', { mode: 'react', attended: true });
    const page = await shown.browser.newPage();
    await page.goto(shown.served.link(run.workflowId));
    const coded = { hasText: 'Pay ‹U+202E›001 now.' };
    await page.locator('h1', coded).waitFor();
    await page.goto(shown.url);
    await page.locator('.gate-card, .gate', coded).first().waitFor();
    await page.context().close();
    await run.cancel();
  });
});
