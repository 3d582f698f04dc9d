/** Components that are loaded when they are first drawn. */
import { expect, onTestFinished, test, vi } from 'vitest';

test('lazily: the server was away as it was to be loaded → it is loaded later, though nothing draws it meanwhile', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  // What is drawn is not compiled here.
  const drawn = '../../../packages/components/text/lazy.js';
  const { lazily } = await import(drawn);
  const load = vi.fn(async () => () => null);
  load.mockRejectedValueOnce(new TypeError('Failed to fetch'));
  const draw = lazily(load);
  draw({});
  await vi.advanceTimersByTimeAsync(10_000);
  expect(load).toHaveBeenCalledTimes(2);
});
