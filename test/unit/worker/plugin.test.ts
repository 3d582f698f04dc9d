import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReplayWorkerOptions, Worker, WorkerOptions } from '@temporalio/worker';
import { expect, test, vi } from 'vitest';
import { createProvider } from '../../../src/worker/index.js';
import { SteersmanPlugin } from '../../../src/worker/plugin.js';

test('a worker: two plugins, each with tools and permissions of its own → refused, with what to do (TR7)', async () => {
  const plugins = [
    new SteersmanPlugin({ settings: { permissions: { deny: ['a'] } } }),
    new SteersmanPlugin(),
  ];
  for (const plugin of plugins)
    await expect(plugin.configureWorker({ taskQueue: 'q', plugins })).rejects.toMatchObject({
      name: 'SteersmanError',
      message: 'This worker has 2 SteersmanPlugins.',
      remedy: expect.stringContaining('one plugin'),
    });
});

const plugin = () =>
  new SteersmanPlugin({
    home: mkdtempSync(join(tmpdir(), 'steersman-plugin-')),
    providers: [createProvider({ name: 'acme', baseUrl: 'http://127.0.0.1:9/v1' })],
    settings: { models: { default: 'acme/large' } },
    takesOver: false,
    report: () => undefined,
  });

/** As a `SimplePlugin` hands options on, which names each, also those that nobody has set. */
const handedOn = { taskQueue: 'q', workflowBundle: undefined, workflowsPath: undefined, buildId: undefined };

test('a plugin before ours hands on options that nobody has set → the worker has our workflow all the same (OP1)', async () => {
  const { workflowBundle, buildId } = await plugin().configureWorker(handedOn as unknown as WorkerOptions);
  expect({ workflowBundle, buildId }).toEqual({
    workflowBundle: { code: expect.stringContaining('steersmanRun') },
    buildId: expect.stringMatching(/^[0-9a-f]{12}$/),
  });
  const replaying = await plugin().configureReplayWorker(handedOn as unknown as ReplayWorkerOptions);
  expect(replaying.workflowBundle).toEqual(workflowBundle);
});

test('an application names its build id → kept (OP1)', async () => {
  const given = { taskQueue: 'q', buildId: 'mine' };
  expect(await plugin().configureWorker(given)).toMatchObject({ buildId: 'mine' });
});

test.each([
  ['takes our workflow out', {}, /has no workflows/],
  [
    'puts a bundle of its own in its place',
    { workflowBundle: { code: 'theirs' } },
    /does not have the workflow/,
  ],
])('a plugin after ours %s → the worker does not start, and says why (OP1)', async (_, options, why) => {
  const started = vi.fn();
  const worker = { options: { taskQueue: 'q', ...options }, shutdown: () => undefined } as unknown as Worker;
  await expect(plugin().runWorker(worker, started)).rejects.toMatchObject({
    name: 'SteersmanError',
    message: expect.stringMatching(why),
  });
  expect(started).not.toHaveBeenCalled();
});
