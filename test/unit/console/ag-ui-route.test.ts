/** The stream of AG-UI, whatever ends it. */
import { Hono } from 'hono';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const RUN_STREAM = '../../../packages/console/ag-ui/run-stream.js';

beforeEach(() => vi.resetModules());

afterEach(() => {
  vi.doUnmock(RUN_STREAM);
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.resetModules();
});

test('AG-UI: a stream of a run that fails → no more comments are written to its stream', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  vi.doMock(RUN_STREAM, () => ({
    streamRun: () => {
      throw new Error('a fault');
    },
  }));
  const { agUiAnswer } = await import('../../../packages/console/ag-ui/route.js');
  const app = new Hono().post('/', c => agUiAnswer(c, {} as Parameters<typeof agUiAnswer>[1]));
  const body = JSON.stringify({ threadId: 'run-1', runId: 'r', messages: [] });
  await (await app.request('/', { method: 'POST', body })).text();
  expect(printed).toHaveBeenCalledWith(new Error('a fault'));
  expect(vi.getTimerCount()).toBe(0);
});
