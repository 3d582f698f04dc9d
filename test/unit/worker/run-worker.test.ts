import { expect, test, vi } from 'vitest';
import { runWorker } from '../../../src/worker/run-worker.js';

test('a worker: its metrics have an address that is none → refused in words, with what to set', async () => {
  vi.stubEnv('STEERSMAN_METRICS', 'nowhere');
  const served = runWorker({ configDir: '/', taskQueue: 'q', isTrusted: () => false });
  await expect(served).rejects.toMatchObject({
    name: 'SteersmanError',
    remedy: expect.stringContaining('STEERSMAN_METRICS'),
  });
});
