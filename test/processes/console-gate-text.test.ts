/** What gates say stands on the console's page as it was written, in Chromium. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { NO_COMPONENTS } from '../../packages/console/components.js';
import { serveConsole } from '../../packages/console/serve.js';
import type { Gate, SteersmanClient, Task } from '../../src/client/index.js';
import { browserPath, openBrowser } from '../support/browser.js';
import { task } from '../support/core-values.js';
import { approvalGate, HIDING, LONG, planGate, questionGate } from '../support/hostile-gates.js';

const bare = (text: string) => text.replace(/[\s│>]+/gu, '');

describe.skipIf(browserPath === null)('gates as text', () => {
  let browser: Browser;
  const closings: (() => unknown)[] = [];
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterEach(async () => {
    for (const close of closings.splice(0)) await close();
  });
  afterAll(() => browser.close());

  /** The first page of a console whose one run has these gates. */
  async function openOn(
    part: { gates: Gate[]; tasks?: Task[]; inputs?: object },
    look: { width?: number; height?: number; locale?: string } = {},
  ): Promise<Page> {
    const state = {
      ...{ id: 'run', goal: 'Go', workspace: '/srv/shop', inputs: {}, tasks: [] },
      ...{ answered: true, endedAt: null, lastEventSeq: 0, ...part },
    };
    const client = {
      ...{ address: 'a', namespace: 'n' },
      list: async function* () {
        yield { id: 'run', goal: 'Go' };
      },
      attach: async () => ({ id: 'run', show: async () => state, events: async function* () {} }),
    } as unknown as SteersmanClient;
    const home = mkdtempSync(join(tmpdir(), 'console-'));
    const options = { client, home, port: 0, components: NO_COMPONENTS, report: () => undefined };
    const served = await serveConsole(options);
    const { width = 1_280, height = 720, locale = 'en-GB' } = look;
    const context = await browser.newContext({ viewport: { width, height }, locale });
    closings.push(
      () => context.close(),
      served.close,
      () => rmSync(home, { recursive: true, force: true }),
    );
    const page = await context.newPage();
    await page.goto(served.link());
    return page;
  }

  test('WB7 WB10 hostile words in questions, options, concerns and a plan → shown as they are; a plan that was cut has all of its tasks', async () => {
    const questions = HIDING.map(([, text], at) => ({
      gate: questionGate(`${LONG}\n\n${text}\n\nSay so.`, [text, 'not', 'no'], `q${at}`),
      said: `${LONG}\n\n${text}\n\nSay so.`,
    }));
    const tasks = Array.from({ length: 12 }, (_, at) =>
      task(`t${at}`, { description: `${at === 11 ? 'DELETE ALL ' : 'do '}${'x '.repeat(1_400)}` }),
    );
    const lines = questionGate(`${LONG} shall I\nnot\ndelete it?`, ['not', 'no'], 'lines');
    const concern = { ...approvalGate(['Fine.\n\n```json\n{}\n```']), id: 'concern' };
    const long = { ...planGate(...tasks), id: 'long' };
    const gates = [...questions.map(({ gate }) => gate), lines, concern, long];
    const page = await openOn({ gates, tasks });
    const card = (id: string) => page.locator(`[data-gate="run ${id}"]`);
    await card('long').waitFor();
    for (const { gate, said } of questions) {
      const shown = await card(gate.id).locator('.gate-body').innerText();
      expect(bare(shown)).toBe(bare(said));
    }
    expect(await card('lines').locator('.gate-body').innerText()).toContain('shall I\nnot\ndelete it?');
    expect(await card('concern').locator('.gate-body pre').count()).toBe(1);
    expect(await page.locator('.gate-body a').count()).toBe(0);
    expect(await card('long').innerText()).not.toContain('DELETE ALL');
    await card('long').getByText('All of its tasks').click();
    await card('long').getByText('DELETE ALL').waitFor();
  });

  const edit = {
    path: 'src/shop.ts',
    edits: [{ oldText: 'a', newText: Array.from({ length: 400 }, (_, at) => `line ${at}`).join('\n') }],
  };

  test.each([
    ['1280×720', { width: 1_280, height: 720 }],
    ['390×800', { width: 390, height: 800 }],
    ['390×800, in Chinese', { width: 390, height: 800, locale: 'zh-CN' }],
  ])(
    'FC6 a long change at %s → it scrolls, stands there once, and all buttons are in view',
    async (_, look) => {
      const gate = { ...approvalGate(['High risk.'], edit), id: 'g1' };
      const page = await openOn({ gates: [gate], inputs: { g1: edit } }, look);
      const card = page.locator('[data-gate="run g1"]');
      await card.getByText('+line 399').waitFor({ state: 'attached' });
      for (const button of await card.locator('.answers button').all()) {
        const box = await button.boundingBox();
        expect(box && box.y >= 0 && box.y + box.height <= look.height).toBe(true);
      }
      expect((await card.innerText()).match(/line 200/g)).toHaveLength(1);
      const isZh = 'locale' in look;
      expect(await card.innerText()).toMatch(
        isZh ? /“始终允许”适用于 write 的每次调用/ : /“Always” allows every call of write/,
      );
      // The rest of what is not in the page's language is the model's.
      if (isZh) expect((await card.innerText()).match(/Approve|Always|Why|Edit|Deny/)).toBeNull();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(look.width);
    },
  );
});
