/** What a screen reader hears of gates that open. */
import { expect, onTestFinished, test, vi } from 'vitest';
import type { WaitingGate } from '../../../../packages/view/index.js';

async function page(hidden = false) {
  vi.stubGlobal('sessionStorage', {
    getItem: () => null,
    setItem: () => undefined,
    removeItem: () => undefined,
  });
  vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => undefined });
  vi.stubGlobal('location', { pathname: '/', hash: '' });
  vi.stubGlobal('document', { documentElement: {}, hidden });
  vi.stubGlobal('addEventListener', () => undefined);
  onTestFinished(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });
  vi.resetModules();
  const { speak } = await import('../../../../packages/console/page/words/words.js');
  await speak('en');
  const { waiting, take } = await import('../../../../packages/console/page/state.js');
  const { asked } = await import('../../../../packages/console/page/waiting/notify.js');
  const heard: string[] = [];
  asked.subscribe(text => void heard.push(text));
  return { waiting, take, heard };
}

const gate = (id: string) =>
  ({
    run: 'r',
    input: { command: id },
    gate: { id, kind: 'approval', subject: { tool: 'run', workspaceTool: 'run' } },
  }) as unknown as WaitingGate;

test('gates of the same title that open one after the other → each is spoken', async () => {
  const { waiting, heard } = await page();
  waiting.value = [];
  waiting.value = [gate('g1')];
  waiting.value = [gate('g2')];
  expect(heard.map(text => text.trim())).toEqual([
    '',
    ...Array(2).fill('Waits for your answer: Run a command?'),
  ]);
});

test('gates from before the page was opened → not spoken', async () => {
  const { waiting, heard } = await page();
  waiting.value = [gate('g1')];
  expect(heard).toEqual(['']);
});

test('a browser that allows notifications and makes none in a page, as those of phones → the gate is spoken, and what else the frame says is taken', async () => {
  class Refused {
    static permission = 'granted';
    constructor() {
      throw new TypeError('Illegal constructor.');
    }
  }
  vi.stubGlobal('Notification', Refused);
  const { waiting, heard, take } = await page(true);
  waiting.value = [];
  take({ type: 'waiting', gates: [gate('g1')], untold: [], more: true });
  const { moreWait } = await import('../../../../packages/console/page/state.js');
  expect([heard.length, moreWait.value]).toEqual([2, true]);
});
