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
  const { asked, canNotify } = await import('../../../../packages/console/page/waiting/notify.js');
  const heard: string[] = [];
  asked.subscribe(text => void heard.push(text));
  return { waiting, take, heard, canNotify };
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

test('a gate that was spoken is closed → the page no longer says that it waits; another that opens is spoken', async () => {
  const { waiting, heard } = await page();
  waiting.value = [];
  waiting.value = [gate('g1')];
  waiting.value = [];
  expect(heard.at(-1)).toBe('');
  waiting.value = [gate('g2')];
  expect(heard.at(-1)).toBe('Waits for your answer: Run a command?');
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

/** The browser's `Notification` with this permission; `isPhone`: no page may make one. */
function browserOf(permission: string, { isPhone = false } = {}) {
  const made: { title: string; body?: string | undefined }[] = [];
  class Made {
    static permission = permission;
    constructor(title: string, { body }: { body?: string } = {}) {
      if (isPhone) throw new TypeError('Illegal constructor.');
      made.push({ title, body });
    }
  }
  vi.stubGlobal('Notification', Made);
  return made;
}

test.each([
  ['a phone, whose pages make none', 'default', { isPhone: true }, false],
  ['another, not asked yet', 'default', {}, true],
  ['another, asked already', 'granted', {}, false],
])(
  'notifications of the desktop, in the browser of %s → offered: %s %j %s',
  async (_, permission, kind, is) => {
    const made = browserOf(permission, kind);
    const { canNotify } = await page();
    expect(canNotify.value).toBe(is);
    // One that is made with the permission would be shown.
    if (permission === 'granted') expect(made).toEqual([]);
  },
);

test('a goal with characters that nobody sees → the notification shows them by their code', async () => {
  const made = browserOf('granted');
  const { waiting } = await page(true);
  waiting.value = [];
  waiting.value = [{ ...gate('g1'), goal: 'Pay \u202e001' }];
  expect(made).toEqual([{ title: 'Run a command?', body: 'Pay ‹U+202E›001' }]);
});
