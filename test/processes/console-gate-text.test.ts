/** What gates say stands on the console's page as it was written, in Chromium. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { NO_COMPONENTS } from '../../packages/console/components.js';
import { serveConsole } from '../../packages/console/serve.js';
import type { SteersmanClient } from '../../src/client/index.js';
import { browserPath, openBrowser } from '../support/browser.js';
import { task } from '../support/core-values.js';
import { approvalGate, HIDING, LONG, planGate, questionGate } from '../support/hostile-gates.js';

const bare = (text: string) => text.replace(/[\s│>]+/gu, '');

describe.skipIf(browserPath === null)('gates as text', () => {
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
    const state = {
      id: 'run',
      goal: 'Go',
      gates,
      inputs: {},
      tasks,
      answered: true,
      endedAt: null,
      lastEventSeq: 0,
    };
    const client = {
      ...{ address: 'a', namespace: 'n' },
      list: async function* () {
        yield { id: 'run', goal: 'Go' };
      },
      attach: async () => ({ id: 'run', show: async () => state, events: async function* () {} }),
    } as unknown as SteersmanClient;
    const home = mkdtempSync(join(tmpdir(), 'console-'));
    const served = await serveConsole({
      client,
      home,
      port: 0,
      components: NO_COMPONENTS,
      report: () => undefined,
    });
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      await page.goto(served.link());
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
    } finally {
      await browser.close();
      await served.close();
      rmSync(home, { recursive: true, force: true });
    }
  });
});
