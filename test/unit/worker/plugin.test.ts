import { expect, test } from 'vitest';
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
