/** A person's way through the console, in Chromium: start, approve, say something, read the answer. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page, Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { browserPath, consoleOfFile } from '../support/browser.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf } from '../support/run-views.js';
import { calls, latch, settingsYaml } from '../support/steering.js';
import { until } from '../support/wait.js';

// biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of .mcp.json
const filesystem = { command: 'mcp-server-filesystem', args: ['${workspace}'] };

const LONG = `${Array.from({ length: 30 }, (_, at) => `line ${at}`).join('\n')}\nthe last line\n`;

describe.skipIf(browserPath === null)('console', () => {
  const rig = rigOfFile({
    workspace: { 'a.txt': 'alpha\n', 'long.txt': LONG },
    config: {
      'steersman.yaml': settingsYaml('steering: note'),
      '.mcp.json': JSON.stringify({ mcpServers: { filesystem } }),
    },
  });
  const shown = consoleOfFile(rig);
  const attended = { mode: 'react' as const, attended: true };
  const write = (path: string) => calls({ name: 'write_file', arguments: { path, content: 'written\n' } });
  const button = (page: Page, name: RegExp) => page.getByRole('button', { name }).first();
  /** The bytes that a page has loaded besides data, gzipped. */
  const weighed = (page: Page) => {
    const loads: Promise<number>[] = [];
    page.on('response', response => {
      if (response.url().includes('/api/')) return;
      // What is still loading when the page is closed was not asked for.
      const bytes = response.body().then(body => gzipSync(body).length);
      loads.push(bytes.catch(() => 0));
    });
    return async () => (await Promise.all(loads)).reduce((sum, each) => sum + each, 0);
  };

  test('a run is followed, its call approved by a click, its answer read → the file is there', async () => {
    const held = latch();
    rig.play(async (_request, index) => {
      if (index === 0) return write('by-page.txt');
      await held.until;
      return { text: 'It **stands** in the file.' };
    });
    const run = await rig.start('Write a file.', attended);
    const page = await shown.open();
    await page.getByText('Write a file.').first().waitFor();
    await page.getByText('write_file').first().waitFor();
    // A button is dead for the first half second: nobody approves what they have not seen.
    await until('the gate is closed', async () => {
      await button(page, /^Approve/)
        .click({ timeout: 1_000 })
        .catch(() => undefined);
      return (await eventsOf(run, 'gate_closed')).some(({ by }) => by === 'person');
    });
    await page.goto(`${shown.url}runs/${encodeURIComponent(run.workflowId)}`);
    held.open();
    await page.locator('strong', { hasText: 'stands' }).first().waitFor();
    expect(readFileSync(join(rig.project.workspace, 'by-page.txt'), 'utf8')).toBe('written\n');
    await run.result();
  });

  test('two tabs at one gate → the first wins, the other is told', async () => {
    rig.play((_request, index) => (index === 0 ? write('two-tabs.txt') : { text: 'Done.' }));
    const run = await rig.start('Write it once.', attended);
    const one = await shown.open(run.workflowId);
    const other = await one.context().newPage();
    await other.goto(`${shown.url}runs/${encodeURIComponent(run.workflowId)}`);
    await button(other, /^Approve/).waitFor();
    // A browser draws no tab that is behind another, and what is not drawn can't be clicked.
    await one.bringToFront();
    await until('the gate is closed', async () => {
      await button(one, /^Approve/)
        .click({ timeout: 1_000 })
        .catch(() => undefined);
      return (await eventsOf(run, 'gate_closed')).length > 0;
    });
    await run.result();
    await other.bringToFront();
    await button(other, /^Approve/).waitFor({ state: 'detached' });
    expect(await eventsOf(run, 'gate_closed')).toHaveLength(1);
  });

  test('the result of a call, which its event tells the beginning of → opened, it is there whole, line by line', async () => {
    const read = calls({ name: 'read_text_file', arguments: { path: 'long.txt' } });
    rig.play((_request, index) => (index === 0 ? read : { text: 'Done.' }));
    const run = await rig.start('Read it.', attended);
    await run.result();
    const page = await shown.open(run.workflowId);
    await page.locator('details.tool > summary').click();
    await page.getByText('the last line').waitFor();
    expect(await page.locator('.tool-body').innerText()).toContain(LONG.trim());
    await page.context().close();
  });

  test('what a person types → reaches the model, with its receipt under it', async () => {
    const held = latch();
    const script = rig.play(async (_request, index) => {
      if (index === 0) {
        await held.until;
        return calls({ name: 'read_text_file', arguments: { path: 'a.txt' } });
      }
      return { text: 'Noted.' };
    });
    const run = await rig.start('Look around.', attended);
    await script.arrived(0);
    const page = await shown.open(run.workflowId);
    await page.getByRole('textbox', { name: 'Message' }).fill('Mind the lighthouse');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('accepted').first().waitFor();
    held.open();
    await run.result();
    expect(JSON.stringify(script.requests.at(-1))).toContain('Mind the lighthouse');
  });

  test('the page of a run → at most 60 KB, and no reader of Markdown before a text has some, which stands as it is until then', async () => {
    const held = latch();
    const text = 'It **stands** here. <img src="x" onerror="document.title=\'no\'">';
    rig.play(async () => {
      await held.until;
      return { text };
    });
    const run = await rig.start('Say it.', attended);
    const page = await (await shown.browser.newContext()).newPage();
    const weight = weighed(page);
    const reader = latch();
    const hold = async (route: Route) => {
      const response = await route.fetch();
      const body = await response.text();
      if (body.includes('DOMPurify')) await reader.until;
      await route.fulfill({ response, body });
    };
    // At its end the test closes a page that still loads what an ended run needs.
    await page.route('**/*.js', route => hold(route).catch(() => undefined));
    await page.goto(shown.served.link(run.workflowId));
    await page.locator('.entry.goal', { hasText: 'Say it.' }).waitFor();
    await page.locator('.entry.live').waitFor();
    expect(await weight()).toBeLessThan(60 * 1_024);
    held.open();
    await page.locator('.entry.answer').waitFor();
    await page.getByText(text).first().waitFor();
    expect(await page.locator('.chat strong', { hasText: 'stands' }).count()).toBe(0);
    expect(await page.locator('.chat img').count()).toBe(0);
    reader.open();
    await page.locator('.chat strong', { hasText: 'stands' }).first().waitFor();
    expect([await page.locator('.chat img').count(), await page.title()]).toEqual([0, 'Steersman']);
    await run.result();
    await page.context().close();
  });

  test('FC7 the page of an ended run → at most 60 KB with a goal to type, and the rest of the form once it is typed', async () => {
    rig.play(() => ({ text: 'It stands here.' }));
    const run = await rig.start('Say it.', attended);
    await run.result();
    const page = await (await shown.browser.newContext()).newPage();
    const weight = weighed(page);
    await page.goto(shown.served.link(run.workflowId));
    await page.locator('.entry.answer').waitFor();
    const goal = page.getByRole('textbox', { name: 'Goal', exact: true });
    await goal.waitFor();
    expect(await weight()).toBeLessThan(60 * 1_024);
    expect(await page.getByText('Checks, limits, files').count()).toBe(0);
    await goal.fill('And now?');
    await page.getByText('Checks, limits, files').waitFor();
    await page.getByRole('button', { name: 'Start', exact: true }).waitFor();
    expect(await page.evaluate<string>('document.activeElement.value')).toBe('And now?');
    await page.context().close();
  });

  test('WB16 SU7 a page of 390 pixels, with options of 200 letters, or of a run that nobody knows → nothing leads it sideways, and a finger hits its links', async () => {
    const long = 'w'.repeat(200);
    const question = calls({
      name: 'ask_person',
      arguments: { question: `${long}?`, options: [long, `no ${long}`] },
    });
    rig.play((_request, index) => (index === 0 ? question : { text: 'Done.' }));
    const run = await rig.start('Ask.', attended);
    const page = await shown.open(run.workflowId);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: `no ${long}` }).waitFor();
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await page.context().close();
    const context = await shown.browser.newContext({
      locale: 'zh-CN',
      viewport: { width: 390, height: 844 },
    });
    const lost = await context.newPage();
    await lost.goto(shown.served.link('nobody-knows'));
    const links = lost.locator('.ended a');
    await links.first().waitFor();
    for (const link of await links.all()) {
      const { width = 0, height = 0 } = (await link.boundingBox()) ?? {};
      expect(Math.min(width, height)).toBeGreaterThanOrEqual(24);
    }
    await context.close();
    await run.cancel();
  });

  test('views of a run that has ended → its files, what a call was sent, and an event by its address', async () => {
    rig.play((_request, index) => (index === 0 ? write('viewed.txt') : { text: 'Done.' }));
    const run = await rig.start('Write one to look at.', { ...attended, autoApprove: true });
    await run.result();
    const page = await shown.open(run.workflowId);
    const at = `${shown.url}runs/${encodeURIComponent(run.workflowId)}`;
    await page.goto(`${at}#files`);
    await page.locator('.panel strong', { hasText: 'viewed.txt' }).waitFor();
    // The tool is another server's: the text that it got, and no effect.
    await page.locator('.file-call pre', { hasText: /^written$/m }).waitFor();
    await page.getByText('What it did with it is not known here').waitFor();
    expect(await page.getByText('A new file').count()).toBe(0);
    await page.goto(`${at}#modelCalls`);
    await page.locator('details.artifact > summary').first().click();
    await page.getByText(/^System text, /).waitFor();
    await page.getByText(/^\d+ tool\(s\)/).click();
    await page.getByText('write_file', { exact: true }).first().waitFor();
    const [started] = await eventsOf(run, 'tool_call_started');
    await page.goto(`${at}#event-${started?.seq}`);
    await page.locator('.event.named', { hasText: 'write_file' }).waitFor();
    await page.context().close();
  });

  test('FC7 the first page → at most 60 KB, with a goal to type; its cost is loaded when it is opened', async () => {
    const page = await (await shown.browser.newContext()).newPage();
    const weight = weighed(page);
    await page.goto(shown.served.link());
    await page.getByRole('textbox', { name: 'Goal' }).fill('Count the files.');
    await page.getByText('What it cost').waitFor();
    expect(await weight()).toBeLessThan(60 * 1_024);
    await page.getByText('Checks, limits, files').click();
    await page.getByLabel('Tokens').fill('2,5');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByText('The run was not started').waitFor();
    await page.getByText('What it cost').click();
    await page.locator('.plot canvas, .spent .empty').first().waitFor();
    await page.context().close();
  });

  test('a page of 360 pixels → nothing leads it sideways, all views of a run are in sight, and words of a table are whole', async () => {
    const row = '| Condition of the hull | Home harbour | Last survey | Built in | Owner |';
    rig.play(() => ({ text: `${row}\n|---|---|---|---|---|\n${row}\n\n\`${'a'.repeat(300)}\`` }));
    const run = await rig.start(`A table. ${'b'.repeat(200)}`, { ...attended, keepOpenSeconds: 600 });
    const page = await shown.open(run.workflowId);
    await page.setViewportSize({ width: 360, height: 740 });
    await page.locator('.chat th').first().waitFor();
    const seen = await page.evaluate<{ wide: number; right: number; lines: number }>(`(() => {
      const root = document.documentElement;
      const word = document.createRange();
      word.setStart(document.querySelector('.chat th').firstChild, 0);
      word.setEnd(word.startContainer, 'Condition'.length);
      const tabs = [...document.querySelectorAll('nav.tabs button')];
      return {
        wide: root.scrollWidth,
        right: Math.max(...tabs.map(tab => tab.getBoundingClientRect().right)),
        lines: word.getClientRects().length,
      };
    })()`);
    expect(seen.wide).toBeLessThanOrEqual(360);
    expect(seen.right).toBeLessThanOrEqual(360);
    expect(seen.lines).toBe(1);
    // It has its answer: what is said next is its next goal.
    await page.getByRole('textbox', { name: 'Message' }).fill('And now the mast.');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await until('the next goal begins', async () =>
      (await eventsOf(run, 'goal_started')).some(({ text }) => text === 'And now the mast.'),
    );
    await run.cancel();
    await page.context().close();
  });
});
