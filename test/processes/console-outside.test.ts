/** What a click in the console does outside its page, in Chromium: a branch, a downloaded file, notifications of the desktop. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Sessions } from '../../src/client/here/sessions.js';
import type { Message } from '../../src/run/messages/message.js';
import { browserPath, consoleOfFile } from '../support/browser.js';
import { shippedServers } from '../support/project.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { transcriptOf } from '../support/run-views.js';
import { calls, settingsYaml } from '../support/steering.js';

const WRITER = `---
description: Writes.
output: text
tools: ['*_artifact']
---
{{businessContext}}
`;
/** A byte order mark, lines of Windows, letters outside of ASCII, and no end of line. */
const REPORT = '\ufeff# Der Steg\r\n\r\nEr ist 7 m lang – für Boote.\r\n\t海 🚤';

describe.skipIf(browserPath === null)('outside the page', () => {
  const rig = rigOfFile({
    workspace: { 'a.txt': 'The blue one floats.\n' },
    config: {
      ...shippedServers(),
      'prompts/core/writer.md': WRITER,
      'steersman.yaml': settingsYaml('steering: note'),
    },
  });
  const home = () => join(rig.project.dir, 'home');
  const shown = consoleOfFile(rig, { homeOf: home });
  const attended = { mode: 'react' as const, attended: true };

  /** Leads to a conversation by what was said in it, as a person does. */
  const openFound = async (session: string, words: string) => {
    const page = await shown.open();
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByRole('searchbox').fill(words);
    const hits = page.getByRole('list', { name: 'Found in messages' });
    await hits.getByRole('link', { name: session }).first().click();
    return page;
  };
  /** Goals, replies and results; a run numbers the calls of its conversation itself. */
  const linesOf = (messages: readonly Message[]) =>
    messages
      .filter(message => message.kind !== 'user' || message.purpose === 'goal')
      .map(({ content }) => content.map(lineOf).join(' '));
  const lineOf = (block: Message['content'][number]) => {
    if (block.type === 'tool_use') return `calls ${block.name}`;
    return block.type === 'tool_result' ? `result of ${block.toolName}` : block.text;
  };

  test.each([
    {
      from: 'an answer',
      entry: 'The blue one.',
      begins: ['I look. calls read', 'result of read', 'The blue one.'],
    },
    { from: 'a message before the result of its call', entry: 'I look.', begins: ['I look.'] },
  ])(
    'a branch from $from, and a goal there → a run that has what was said up to it and nothing of later; the conversation stays as it was',
    async ({ entry, begins }) => {
      vi.stubEnv('STEERSMAN_TASK_QUEUE', rig.taskQueue);
      onTestFinished(() => void vi.unstubAllEnvs());
      const session = `boats-${entry.length}`;
      const options = { mode: 'react', workspace: rig.project.workspace, taskQueue: rig.taskQueue, session };
      const look = calls({ name: 'read', arguments: { path: 'a.txt' } });
      rig.play([{ ...look, text: 'I look.' }, { text: 'The blue one.' }, { text: 'A red mast.' }]);
      const first = await shown.client.start('Which boat floats?', options);
      await first.result();
      await (await shown.client.start('Which mast?', options)).result();
      const sessions = new Sessions(home());
      const before = await sessions.show(session);

      const page = await openFound(session, 'blue one');
      const message = page.locator('article.entry', { has: page.getByText(entry, { exact: true }) });
      await page.getByText('A red mast.').waitFor();
      await message.getByRole('button', { name: 'Branch from here' }).click();
      await page.getByText('A red mast.').waitFor({ state: 'detached' });
      await message.waitFor();
      const branch = decodeURIComponent(new URL(page.url()).pathname.replace('/sessions/', ''));
      expect(branch).toMatch(new RegExp(`^${session}-m\\d+-`));

      const script = rig.play([{ text: 'Another colour.' }]);
      await page.getByRole('textbox', { name: 'Goal' }).fill('And the sail?');
      await page.getByLabel(/^Mode(?!l)/).selectOption('react');
      await page.getByRole('checkbox', { name: /^stays open/ }).uncheck();
      await page.getByRole('button', { name: 'Start', exact: true }).click();
      await page.waitForURL('**/runs/**');
      await page.getByText('Another colour.').first().waitFor();

      await page.getByRole('link', { name: 'Whole conversation' }).click();
      await page.waitForURL(`**/sessions/${branch}`);
      await message.waitFor();

      const [shared, own] = await sessions.show(branch);
      expect(own?.run).toMatchObject({ session: branch, goal: 'And the sail?' });
      const said = before[0]?.transcript[0]?.messages ?? [];
      const kept = shared?.transcript[0]?.messages ?? [];
      expect(kept).toEqual(said.slice(0, kept.length));
      const run = rig.env.client.workflow.getHandle(own?.run.workflowId ?? '');
      const lines = ['Which boat floats?', ...begins, 'And the sail?', 'Another colour.'];
      expect(linesOf(await transcriptOf(run))).toEqual(lines);
      const sent = JSON.stringify(script.requests[0]?.body.messages);
      expect(sent).toContain(entry);
      expect(sent).not.toContain('A red mast.');
      expect(await sessions.show(session)).toEqual(before);
      await page.context().close();
    },
  );

  test('A5 an artifact of two versions → each is downloaded with its very bytes, under a name of its own', async () => {
    const change = { id: 'report', oldText: '7 m', newText: '9 m', expectedVersion: 1 };
    rig.play([
      calls({ name: 'create_artifact', arguments: { id: 'report', type: 'markdown', content: REPORT } }),
      calls({ name: 'update_artifact', arguments: change }),
      { text: 'It is written.' },
    ]);
    const run = await rig.start('Write a report.', { mode: 'react', role: 'writer' });
    await run.result();
    const page = await shown.open(run.workflowId);
    await page.getByRole('button', { name: /^Artifacts/ }).click();
    const panel = page.getByRole('region', { name: 'Artifacts' });
    const saved = async () => {
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        panel.getByRole('button', { name: 'Download', exact: true }).click(),
      ]);
      return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
    };
    await panel.getByText('9 m lang').waitFor();
    expect(await saved()).toEqual({ name: 'report-v2.md', bytes: Buffer.from(REPORT.replace('7 m', '9 m')) });
    await panel.getByLabel('Version').selectOption('1');
    await panel.getByText('7 m lang').waitFor();
    expect(await saved()).toEqual({ name: 'report-v1.md', bytes: Buffer.from(REPORT) });
    await page.context().close();
  });

  describe('notifications', () => {
    interface Told {
      title: string;
      body: string;
      tag: string;
    }

    /**
     * A page that notes what it does with the browser's own `Notification`. `person` answers its question. A page that
     * Playwright drives counts as visible, so the test says when it is hidden.
     */
    const openNoting = async (person: 'yes' | 'no') => {
      const context = await shown.browser.newContext();
      const page = await context.newPage();
      const noted = { asked: 0 };
      await page.exposeFunction('askPerson', async () => {
        noted.asked++;
        if (person === 'yes') await context.grantPermissions(['notifications']);
      });
      await page.addInitScript(`
        window.told = [];
        window.isAway = false;
        Object.defineProperty(Document.prototype, 'hidden', { get: () => window.isAway });
        const Real = Notification;
        window.Notification = class extends Real {
          static async requestPermission() {
            await window.askPerson();
            return Real.requestPermission();
          }
          constructor(title, options) {
            super(title, options);
            // One without a title is only tried: whether pages of this browser may make them.
            if (title === '') return;
            window.told.push({ title, body: options.body, tag: options.tag });
            window.lastTold = this;
          }
        };
      `);
      await page.goto(shown.served.link());
      await page.getByText('Nothing waits for you.').waitFor();
      return { page, noted };
    };
    const told = (page: Page) => page.evaluate<Told[]>('window.told');
    const hide = (page: Page, isAway: boolean) => page.evaluate(`window.isAway = ${isAway}`);
    /** Starts a run that asks for an approval, and waits until the page says so to a screen reader. */
    const startAsking = async (page: Page, name: string) => {
      const write = calls({ name: 'write', arguments: { path: name, content: 'x\n' } });
      rig.play((_request, index) => (index === 0 ? write : { text: 'Done.' }));
      const run = await rig.start(`Make ${name}.`, attended);
      onTestFinished(async () => {
        await run.cancel();
        await run.result().catch(() => undefined);
      });
      await page.locator(`[data-gate^="${run.workflowId} "]`).waitFor();
      await page.getByRole('status').getByText(`Waits for your answer: Write ${name}?`).waitFor();
      return run;
    };
    const notifyMe = (page: Page) => page.getByRole('button', { name: 'Notify me on the desktop' });

    test('a person who allows them by a click → a gate that opens while the page is hidden is told once, with its words; a click on that leads to what waits', async () => {
      const { page, noted } = await openNoting('yes');
      await hide(page, true);
      await startAsking(page, 'unasked.txt');
      expect([noted.asked, await told(page)]).toEqual([0, []]);

      await notifyMe(page).click();
      await notifyMe(page).waitFor({ state: 'detached' });
      expect([noted.asked, await told(page)]).toEqual([1, []]);

      const run = await startAsking(page, 'boat.txt');
      const [one, ...more] = await told(page);
      expect(more).toEqual([]);
      expect(one).toMatchObject({ title: 'Write boat.txt?', body: 'Make boat.txt.' });
      expect(one?.tag).toContain(run.workflowId);

      await page.getByRole('link', { name: 'Runs', exact: true }).click();
      await page.evaluate('window.lastTold.onclick()');
      await page.locator(`[data-gate^="${run.workflowId} "]`).waitFor();
      expect(new URL(page.url()).pathname).toBe('/');

      await hide(page, false);
      await startAsking(page, 'in-sight.txt');
      expect([noted.asked, (await told(page)).length]).toEqual([1, 1]);
      await page.context().close();
    });

    test('a person who says no → no gate is told, and the page does not ask again', async () => {
      const { page, noted } = await openNoting('no');
      await notifyMe(page).click();
      await notifyMe(page).waitFor({ state: 'detached' });
      await hide(page, true);
      const run = await startAsking(page, 'silent.txt');
      expect([noted.asked, await told(page)]).toEqual([1, []]);
      await page.reload();
      await page.locator(`[data-gate^="${run.workflowId} "]`).waitFor();
      expect(await notifyMe(page).count()).toBe(0);
      expect(noted.asked).toBe(1);
      await page.context().close();
    });
  });
});
