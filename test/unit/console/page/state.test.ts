/** What the page shows as open, by the frames of the stream. */
import { expect, onTestFinished, test, vi } from 'vitest';
import type { UntoldRun, WaitingGate } from '../../../../packages/view/frames.js';

async function page() {
  vi.stubGlobal('location', { pathname: '/', hash: '' });
  vi.stubGlobal('addEventListener', () => undefined);
  vi.resetModules();
  onTestFinished(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });
  const { take, waiting } = await import('../../../../packages/console/page/state.js');
  const tell = (gates: WaitingGate[], untold: string[]) => {
    const runs = untold.map((run): UntoldRun => ({ run, goal: null }));
    take({ type: 'waiting', gates, untold: runs, more: false });
    return waiting.value?.map(({ run, gate }) => `${run} ${gate.id}`);
  };
  return tell;
}

const gate = (run: string, id: string, openedAt: number) =>
  ({ run, gate: { id, openedAt } }) as unknown as WaitingGate;

test('open gates: a console that was started again and has no answer of their run yet → they stay, until it has one', async () => {
  const tell = await page();
  const [one, other] = [gate('one', 'g1', 1), gate('other', 'g1', 2)];
  expect(tell([one, other], [])).toEqual(['one g1', 'other g1']);
  expect(tell([other], ['one'])).toEqual(['one g1', 'other g1']);
  expect(tell([], ['one'])).toEqual(['one g1']);
  expect(tell([gate('one', 'g2', 3)], ['one'])).toEqual(['one g2']);
  expect(tell([], [])).toEqual([]);
});
