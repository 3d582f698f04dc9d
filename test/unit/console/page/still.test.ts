/** When buttons of something that came or moved count again. */
import { expect, onTestFinished, test, vi } from 'vitest';

/** An element at a place of its page, which is scrolled so far. */
async function placed() {
  vi.stubGlobal('setInterval', () => 0);
  let now = 1_000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });
  const { Place } = await import('../../../../packages/console/page/parts/still.js');
  const at = { top: 500, scrolled: 0 };
  const element = {
    get offsetTop() {
      return at.top;
    },
    offsetParent: null,
    getBoundingClientRect: () => ({ top: at.top - at.scrolled }),
  } as unknown as HTMLElement;
  const place = new Place(() => element);
  place.look();
  const after = (ms: number, change: Partial<typeof at> = {}) => {
    now += ms;
    Object.assign(at, change);
    return place.isStill();
  };
  return { after };
}

test('it came → dead for half a second', async () => {
  const { after } = await placed();
  expect([after(499), after(1)]).toEqual([false, true]);
});

test('what stands above it grows → dead for half a second', async () => {
  const { after } = await placed();
  after(500);
  expect([after(10, { top: 520 }), after(499), after(1)]).toEqual([false, false, true]);
});

test('somebody scrolls → as it was', async () => {
  const { after } = await placed();
  after(500);
  expect(after(10, { scrolled: 300 })).toBe(true);
});

test('what stands above it grows, and the page goes with it → it stands under the pointer, and counts', async () => {
  const { after } = await placed();
  after(500);
  expect(after(10, { top: 520, scrolled: 20 })).toBe(true);
});
