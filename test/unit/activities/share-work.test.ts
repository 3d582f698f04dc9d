import { expect, test } from 'vitest';
import { shareWork } from '../../../src/activities/looks/share-work.js';

/** Work that a test lets end, one after the other. */
function held() {
  const begun: { key: string; end: (fault?: Error) => void }[] = [];
  const share = shareWork(
    (key: string) =>
      new Promise<string>((resolve, reject) => {
        const nth = begun.length + 1;
        begun.push({ key, end: fault => (fault ? reject(fault) : resolve(`${key} ${nth}`)) });
      }),
  );
  return { begun, share };
}

test('work that several ask for → who asks while it runs gets the next, which they share', async () => {
  const { begun, share } = held();
  const first = share('a');
  const later = [share('a'), share('a'), share('a')];
  expect(begun).toHaveLength(1);
  begun[0]?.end();
  expect(await first).toBe('a 1');
  expect(begun).toHaveLength(2);
  const last = share('a');
  begun[1]?.end();
  expect(await Promise.all(later)).toEqual(['a 2', 'a 2', 'a 2']);
  begun[2]?.end();
  expect(await last).toBe('a 3');
  expect(begun).toHaveLength(3);
});

test('work of other keys, and work after a pause → begins at once', async () => {
  const { begun, share } = held();
  const both = [share('a'), share('b')];
  expect(begun.map(({ key }) => key)).toEqual(['a', 'b']);
  for (const { end } of begun) end();
  await Promise.all(both);
  const again = share('a');
  begun[2]?.end();
  expect(await again).toBe('a 3');
});

test('work that fails → who waits for the next has that one', async () => {
  const { begun, share } = held();
  const first = share('a');
  const next = share('a');
  begun[0]?.end(new Error('EIO'));
  await expect(first).rejects.toThrow('EIO');
  begun[1]?.end();
  expect(await next).toBe('a 2');
});
