/** When the page sends its token with a request. */
import { expect, onTestFinished, test, vi } from 'vitest';

async function page() {
  const sent: string[] = [];
  const answers: Response[] = [];
  vi.stubGlobal('fetch', async (_path: string, { headers }: RequestInit) => {
    sent.push((headers as Record<string, string>).authorization ?? '');
    return answers.shift() ?? Response.json({});
  });
  onTestFinished(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });
  vi.resetModules();
  const { useToken: setToken, ...ask } = await import('../../../../packages/console/page/ask.js');
  setToken('good');
  return { ...ask, sent, answers };
}

test('WB18 requests of a page: before its stream is live → they wait; while it is away → they fail at once, without the token', async () => {
  const { get, noteState, sent } = await page();
  const first = get('runs');
  noteState('connecting');
  await Promise.resolve();
  expect(sent).toEqual([]);
  noteState('live');
  await first;
  expect(sent).toEqual(['Bearer good']);
  noteState('away');
  await expect(get('runs')).rejects.toMatchObject({ code: 'away' });
  expect(sent).toHaveLength(1);
  noteState('live');
  await get('runs');
  expect(sent).toHaveLength(2);
});

test('WB18 requests of a page that wait for its stream → they end when it is away', async () => {
  const { get, noteState, sent } = await page();
  noteState('connecting');
  const waiting = get('runs');
  noteState('away');
  await expect(waiting).rejects.toMatchObject({ code: 'away' });
  expect(sent).toEqual([]);
});

test.each([
  ['a start', { option: 'mode' }, 'mode'],
  ['another', {}, null],
])(
  'requests of a page: %s is refused → its code, what may be done, and the option that is wrong',
  async (_, more, option) => {
    const { get, noteState, answers } = await page();
    noteState('live');
    const fault = { code: 'bad_input', message: 'No such mode.', remedy: 'Name another.' };
    answers.push(Response.json({ error: { ...fault, ...more } }, { status: 400 }));
    await expect(get('runs')).rejects.toMatchObject({ ...fault, option });
  },
);
