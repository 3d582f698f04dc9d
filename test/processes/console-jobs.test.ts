/** What a person meets on the way through the console: typed starts, forms, lists and calls, in Chromium. */
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { execution, plan, verdict } from '../../packages/test-kit/role-outputs.js';
import { browserPath, consoleOfFile } from '../support/browser.js';
import type { ScriptedReply } from '../support/endpoint/model.js';
import { fakeMcp } from '../support/fake-mcp-server.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf } from '../support/run-views.js';
import { byRole, calls, latch, settingsYaml } from '../support/steering.js';
import { until } from '../support/wait.js';

const fake = fakeMcp();
const LONG = Array.from({ length: 80 }, (_, at) => `Line ${at}.`).join('\n\n');

describe.skipIf(browserPath === null)('console', () => {
  afterAll(() => fake.remove());
  const rig = rigOfFile({
    config: {
      'steersman.yaml': settingsYaml('steering: note'),
      '.mcp.json': JSON.stringify({ mcpServers: { fake: fake.stdioEntry() } }),
    },
  });
  const shown = consoleOfFile(rig);
  const attended = { mode: 'react' as const, attended: true, autoApprove: true };
  const at = (id: string, view = '') => `${shown.url}runs/${encodeURIComponent(id)}${view}`;
  const inView = (page: Page, selector: string) =>
    page.locator(selector).evaluate<boolean, void, HTMLElement>(element => {
      const { x, y, width, height } = element.getBoundingClientRect();
      const top = document.elementFromPoint(x + Math.min(width, 20) / 2, y + height / 2);
      return top !== null && (element === top || element.contains(top));
    });

  test('FC7 a start that is typed → a reload keeps it: goal, check, limit, model and approvals', async () => {
    const page = await shown.open();
    await page.getByRole('textbox', { name: 'Goal' }).fill('Fix the greeting.');
    await page.getByLabel('Approvals').selectOption('all');
    await page
      .getByLabel(/^Model/)
      .first()
      .selectOption({ label: 'another …' });
    await page.getByPlaceholder('openai/gpt-5-mini').fill('lab/large');
    await page.getByText('Checks, limits, files').click();
    await page.getByLabel('Checks').fill('npm test');
    await page.getByLabel('Cost in US dollars').fill('0.25');
    await page.reload();
    await page.getByLabel('Checks').waitFor();
    expect(await page.getByRole('textbox', { name: 'Goal', exact: true }).inputValue()).toBe(
      'Fix the greeting.',
    );
    const values = ['Approvals', 'Checks', 'Cost in US dollars'].map(name =>
      page.getByLabel(name).inputValue(),
    );
    expect(await Promise.all(values)).toEqual(['all', 'npm test', '0.25']);
    expect(
      await page
        .getByLabel(/^Model/)
        .first()
        .inputValue(),
    ).toBe('lab/large');
    await page.context().close();
  });

  test('a page that is left scrolled down → the next one begins at its top', async () => {
    rig.play(() => ({ text: LONG }));
    const run = await rig.start('Say much.', { ...attended, keepOpenSeconds: 600 });
    const page = await shown.open();
    await page.setViewportSize({ width: 900, height: 160 });
    // What is drawn at once keeps the place; a page that is loaded first would not.
    await page.locator(`a[href$="${encodeURIComponent(run.workflowId)}"]`).click();
    await page.getByText('Line 79.').first().waitFor();
    await until('it is scrolled down', () => page.evaluate<boolean>('scrollY > 200'));
    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByText('answered, open').first().waitFor();
    expect(await page.evaluate<number[]>('[scrollY, Number(document.body.scrollHeight > 300)]')).toEqual([
      0, 1,
    ]);
    await run.cancel();
    await page.context().close();
  });

  test('a run of two goals → its usage says what is of this goal and what of the whole run', async () => {
    rig.play(() => ({ text: 'Said.', usage: { inputTokens: 100, outputTokens: 10 } }));
    const run = await rig.start('Say a little.', { ...attended, keepOpenSeconds: 600 });
    await run.signal('followUp', { text: 'Say more.' });
    const page = await shown.open(run.workflowId);
    const usage = page.getByRole('region', { name: 'Usage' });
    await usage.getByText('220 tokens').waitFor();
    await usage.getByText('This goal').waitFor();
    await until('the replies are of the second goal', async () =>
      /Model replies\s*1\s*\//.test(await usage.innerText()),
    );
    await until('both replies are of the whole run', async () =>
      /react\s+2\s+220/.test(await usage.getByRole('table', { name: 'The whole run:' }).innerText()),
    );
    await run.cancel();
    await page.context().close();
  });

  test('a form of many fields, and a value that does not fit → the refusal is in view, and so is the last field', async () => {
    rig.play((_request, index) =>
      index === 0 ? calls({ name: 'order', arguments: { notes: 9 } }) : { text: 'Ordered.' },
    );
    const run = await rig.start('Order much.', attended);
    const page = await shown.open(run.workflowId);
    await page.setViewportSize({ width: 1000, height: 620 });
    const card = page.locator('.card.gate');
    await card.getByLabel('Size').fill('four');
    await until('it is refused', async () => {
      await card
        .getByRole('button', { name: 'Submit' })
        .click({ timeout: 1_000 })
        .catch(() => undefined);
      return (await card.locator('.fault').count()) > 0;
    });
    expect(await inView(page, '.card.gate .fault')).toBe(true);
    // Of what it asks nothing is cut off: it scrolls with its fields.
    const cut = await card
      .locator('.gate-body')
      .evaluate<number, void, HTMLElement>(body => body.scrollHeight - body.clientHeight);
    expect(cut).toBeLessThanOrEqual(1);
    await card.getByLabel('Note 9').scrollIntoViewIfNeeded();
    expect(await inView(page, '.card.gate label:last-of-type > input')).toBe(true);
    await card.getByLabel('Size').fill('4');
    await card.getByRole('button', { name: 'Submit' }).click();
    await run.result();
    await page.context().close();
  });

  test('FC7 a filter is taken off → no row is a stored conversation that then becomes a run', async () => {
    const page = await shown.open();
    const started = { startedAt: new Date().toISOString(), endedAt: null, outcome: null, phase: 'idle' };
    const listed = {
      id: 'kept-1',
      runId: 'r',
      goal: 'Kept.',
      mode: 'react',
      waiting: null,
      stuck: null,
      ...started,
    };
    const line = { id: 'kept-1', title: 'Kept.', workspace: '/w', startedAt: 0, changedAt: Date.now() };
    const held = latch();
    let looks = 0;
    await page.route('**/api/sessions?**', route => route.fulfill({ json: [line] }));
    await page.route('**/api/runs?**', async route => {
      looks += 1;
      if (route.request().url().includes('outcome=')) return route.fulfill({ json: [] });
      if (looks > 1) await held.until;
      return route.fulfill({ json: [listed] });
    });
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    const row = page.locator('ul.rows a');
    await row.first().waitFor();
    await page.getByLabel('State').selectOption('unverified');
    await row.first().waitFor({ state: 'detached' });
    await page.getByLabel('State').selectOption('');
    await until('the list is asked for', async () => looks > 2);
    expect(await row.count()).toBe(0);
    held.open();
    await row.first().waitFor();
    expect(await row.first().getAttribute('href')).toBe('/runs/kept-1');
    await page.context().close();
  });

  test('a call is opened while the console does not answer → that is said, and not that it can not be rebuilt', async () => {
    rig.play(() => ({ text: 'Said.' }));
    const run = await rig.start('Say it.', attended);
    await run.result();
    const page = await shown.open(run.workflowId);
    await page.goto(at(run.workflowId, '#modelCalls'));
    await page.locator('details.artifact > summary').first().waitFor();
    await page.route('**/api/runs/**', route => route.abort());
    await page.locator('details.artifact > summary').first().click();
    await page.locator('.call').getByText('The console does not answer').waitFor();
    expect(await page.getByText('cannot be rebuilt').count()).toBe(0);
    await page.context().close();
  });

  test('a call whose request is no longer kept → its messages, and the page names what is missing; without them that nothing can be rebuilt', async () => {
    rig.play(() => ({ text: 'Said once.' }));
    const run = await rig.start('Say it once.', attended);
    await run.result();
    const page = await shown.open(run.workflowId);
    const gone = { status: 404, json: { error: { code: 'not_found', message: 'Gone.', remedy: '' } } };
    await page.route('**/request?**', route => route.fulfill(gone));
    await page.goto(at(run.workflowId, '#modelCalls'));
    const call = page.locator('details.artifact > summary').first();
    await call.click();
    await page.getByText('its system text and tools are missing here').waitFor();
    await page.locator('.call summary', { hasText: 'message(s)' }).click();
    await page.locator('.sent-messages li', { hasText: 'goal' }).first().waitFor();
    await page.route('**/transcript', route => route.fulfill(gone));
    await page.reload();
    await call.click();
    await page.getByText('What was sent cannot be rebuilt').waitFor();
    await page.context().close();
  });

  test('FC7 Temporal has forgotten all runs, the store has not → the first page leads to them, and says that there is no run only where there is none', async () => {
    const page = await shown.open();
    const kept = { id: 'kept-1', title: 'Kept.', workspace: '/w', startedAt: 0, changedAt: 0 };
    let lines = [kept];
    await page.route('**/api/runs?**', route => route.fulfill({ json: [] }));
    await page.route('**/api/sessions?**', route => route.fulfill({ json: lines }));
    const home = async () => {
      await page.getByRole('link', { name: 'Runs', exact: true }).click();
      await page.getByRole('link', { name: 'Home', exact: true }).click();
    };
    await home();
    const all = page.getByRole('link', { name: 'All runs and conversations' });
    await all.waitFor();
    expect(await page.getByText('No run yet.').count()).toBe(0);
    lines = [];
    await home();
    await page.getByText('No run yet.').waitFor();
    expect(await all.count()).toBe(0);
    await page.context().close();
  });

  test('FC7 files and pictures that are attached → the request of the start has them; what it refuses of an option stands at its field', async () => {
    const page = await shown.open();
    const asked: Record<string, unknown>[] = [];
    const message = 'The workspace /nope does not exist.';
    const remedy = 'Create the folder, or name another with --workspace.';
    await page.route('**/api/runs', route => {
      asked.push(route.request().postDataJSON());
      const error = { code: 'configuration', message, remedy, option: 'workspace' };
      return route.fulfill({ status: 500, json: { error } });
    });
    await page.getByRole('textbox', { name: 'Goal', exact: true }).fill('Look at these.');
    await page.getByText('Checks, limits, files').click();
    await page.locator('input[type=file]').setInputFiles([
      { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Two boats.') },
      { name: 'pier.png', mimeType: 'image/png', buffer: Buffer.from('png') },
    ]);
    await page.getByText('pier.png').waitFor();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.locator('label.folder', { hasText: message }).waitFor();
    await page.getByText('The run was not started: see the marked fields.').waitFor();
    expect(await page.getByText('--workspace').count()).toBe(0);
    expect(asked).toMatchObject([
      {
        files: [{ name: 'notes.txt', text: 'Two boats.' }],
        pictures: [{ name: 'pier.png', mimeType: 'image/png', base64: 'cG5n' }],
      },
    ]);
    await page.context().close();
  });

  test('FC7 words that a sub-agent said → found by a search, whose hit leads to the message', async () => {
    const page = await shown.open();
    const message = (id: string, text: string) => ({
      ...{ id, at: 1, kind: 'user', purpose: 'notes' },
      content: [{ type: 'text', text }],
    });
    const stored = (workflowId: string, parent: object, ...threads: object[]) => ({
      run: {
        ...{ workflowId, chain: workflowId, session: 'pool', goal: 'Is the pool long?', startedAt: 1 },
        ...{ ended: true, outcome: 'answered', workspace: '/w', ...parent },
        usage: { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, costUsd: null },
      },
      transcript: threads,
    });
    const main = { thread: 'main', messages: [message('m1', 'In front.')] };
    const depth = { thread: 'private', messages: [message('m2', 'The depth is three.')] };
    const hit = { session: 'pool', chain: 'c', workflowId: 'pool/search/1', message: 'm2', at: 1, text: '' };
    await page.route('**/api/runs?**', route => route.fulfill({ json: [] }));
    await page.route('**/api/sessions?**', route => route.fulfill({ json: [] }));
    await page.route('**/api/search?**', route =>
      route.fulfill({ json: [{ ...hit, text: 'depth is three' }] }),
    );
    await page.route('**/api/sessions/pool', route =>
      route.fulfill({
        json: [stored('pool', {}, main), stored('pool/search/1', { parent: 'pool' }, main, depth)],
      }),
    );
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByRole('searchbox').fill('depth');
    await page.getByRole('list', { name: 'Found in messages' }).getByRole('link').click();
    const named = page.locator('.event.named');
    await named.getByText('The depth is three.').waitFor();
    await until('it has the focus', () =>
      page.evaluate<boolean>(`document.activeElement.matches('.event.named')`),
    );
    await page.reload();
    await named.getByText('The depth is three.').waitFor();
    await page.context().close();
  });

  test('FC7 what runs cost → a plot and its table, by model or by outcome', async () => {
    const page = await shown.open();
    const spent = (outcome: string, model: string, costUsd: number) => {
      const usage = { inputTokens: 100, outputTokens: 10, cachedInputTokens: 0, costUsd };
      const usageBy = [{ role: 'react', model, calls: 1, ...usage }];
      return { id: outcome, startedAt: Date.now(), outcome, usage, usageBy };
    };
    const startedAt = new Date().toISOString();
    const run = { id: 'r', runId: 'r', goal: 'Go.', mode: 'react', startedAt, endedAt: startedAt };
    const ended = { ...run, phase: 'ended', outcome: 'completed', waiting: null, stuck: null };
    await page.route('**/api/runs?**', route => route.fulfill({ json: [ended] }));
    await page.route('**/api/spent?**', route =>
      route.fulfill({ json: [spent('completed', 'lab/large', 1.5), spent('failed', 'lab/small', 0.25)] }),
    );
    // Before that the link is not yet exchanged for a token.
    await page.locator('.liveness.live').waitFor();
    await page.reload();
    await page.getByText('What it cost').click();
    await page.locator('.plot canvas').waitFor();
    const rows = () => page.locator('.legend-table tbody tr').allInnerTexts();
    const table = async () => (await rows()).map(row => row.replace(/\s+/g, ' '));
    expect(await table()).toEqual(['lab/large $1.50', 'lab/small $0.2500']);
    await page.getByLabel('Grouped by').selectOption('outcome');
    await until('it is by outcome', async () => (await rows())[0]?.includes('completed'));
    expect(await table()).toEqual(['completed $1.50', 'failed $0.2500']);
    await page.context().close();
  });

  test('keys → views, pages, entries with their addresses, the composer and this list, without a pointer', async () => {
    rig.play(() => ({ text: 'Aye aye.' }));
    const run = await rig.start('Say aye twice.', { ...attended, keepOpenSeconds: 600 });
    const page = await shown.open(run.workflowId);
    await page.setViewportSize({ width: 1_280, height: 800 });
    await page.locator('.entry.answer').waitFor();
    const { keyboard } = page;
    const focused = (what: string) => page.evaluate<boolean>(`document.activeElement.matches('${what}')`);
    for (const [key, tab] of [
      [']', 'Timeline'],
      ['[', 'Conversation'],
    ] as const) {
      await keyboard.press(key);
      await page.locator('nav.tabs [aria-current]', { hasText: tab }).waitFor();
    }
    await page.locator('.entry.answer').waitFor();
    await keyboard.press('k');
    for (let tabs = 0; tabs < 10 && !(await focused('.anchor')); tabs += 1) await keyboard.press('Tab');
    await keyboard.press('Enter');
    await page.locator('.event.named').waitFor();
    expect(new URL(page.url()).hash).toMatch(/^#event-\d+$/);
    await keyboard.press('c');
    expect(await focused('[data-composer]')).toBe(true);
    await page.evaluate('document.activeElement.blur()');
    await keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    for (const [key, path] of [
      ['2', '/runs'],
      ['1', '/'],
    ] as const) {
      await keyboard.press(key);
      expect(new URL(page.url()).pathname).toBe(path);
    }
    await run.cancel();
    await page.context().close();
  });

  test('a verdict that has the answer among other texts → the answer stands in its own card too', async () => {
    rig.play(
      byRole({
        planner: [{ text: plan({ todos: ['Count'] }) }],
        executor: [{ text: execution({ summary: 'Counted.', taskCompleted: true }) }],
        verifier: [{ text: verdict({ summary: 'There are three.' }) }],
      }) as (request: unknown, index: number) => ScriptedReply,
    );
    const run = await rig.start('Count them.', { ...attended, mode: 'team' });
    await run.result();
    const page = await shown.open(run.workflowId);
    await page.locator('.entry.answer').getByText('There are three.').waitFor();
    await page.context().close();
  });

  test('FC7 a run is to be started again → what it was started with stands in the form, and the model can be another', async () => {
    rig.play(() => ({ text: 'Said again.' }));
    const limits = { turns: 12 };
    const run = await rig.start('Say it again.', {
      ...{ ...attended, limits, autoApprove: true, checks: [{ run: 'true' }], model: 'openai/gpt-5-mini' },
    });
    await run.result();
    const page = await shown.open(run.workflowId);
    await page.getByRole('button', { name: 'Start again' }).click();
    await page.getByLabel('Checks').waitFor();
    expect(await page.getByRole('textbox', { name: 'Goal', exact: true }).inputValue()).toBe('Say it again.');
    expect(await page.getByLabel('Checks').inputValue()).toBe('true');
    expect(await page.getByLabel('Approvals').inputValue()).toBe('all');
    expect(await page.getByLabel('Model').first().inputValue()).toBe('openai/gpt-5-mini');
    expect(await page.getByLabel('Model replies').inputValue()).toBe('12');
    await page.context().close();
  });

  test('a run that is answered and open → its row says how it was answered, and by which model; its page says it once', async () => {
    rig.play(() => ({ text: 'Aye.' }));
    const run = await rig.start('Say aye.', { ...attended, keepOpenSeconds: 600 });
    const page = await shown.open();
    const row = page.locator(`a[href$="${encodeURIComponent(run.workflowId)}"]`);
    await row.getByText('answered, open until Finish').waitFor();
    await row.getByText('openai/gpt-5-mini').waitFor();
    expect(await row.locator('.chip').innerText()).toBe('answered');
    await row.click();
    await page.locator('.run-head .chip').getByText('answered, open').waitFor();
    expect(await page.locator('.run-head .chip').count()).toBe(1);
    await run.cancel();
    await page.context().close();
  });

  test('a form that is taken back and asked again → what was typed stands in it; a later one, after an answer, is empty', async () => {
    rig.play((_request, index) => {
      if (index === 0) return calls({ name: 'order', arguments: { times: 2, patienceMs: 6_000 } });
      return index === 1 ? calls({ name: 'order', arguments: {} }) : { text: 'Ordered.' };
    });
    const run = await rig.start('Order twice.', attended);
    const page = await shown.open(run.workflowId);
    const card = page.locator('.card.gate');
    await card.getByLabel('Size').fill('7');
    const gate = (nth: number) =>
      until('it is asked', async () => {
        const [opened] = (await eventsOf(run, 'gate_opened')).slice(nth);
        return opened && page.locator(`[data-gate$=" ${opened.gateId}"]`);
      });
    const again = await gate(1);
    expect(await again.getByLabel('Size').inputValue()).toBe('7');
    await until('it is answered', async () => {
      await again
        .getByRole('button', { name: 'Submit' })
        .click({ timeout: 1_000 })
        .catch(() => undefined);
      return (await again.count()) === 0;
    });
    const later = await gate(2);
    expect(await later.getByLabel('Size').inputValue()).toBe('');
    await run.cancel();
    await page.context().close();
  });
});
