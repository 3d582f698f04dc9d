/** A run that Temporal has forgotten: what is read of it comes from the store (O2, V7). */
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { connect } from '../../src/client/index.js';
import { killWorkers } from '../support/processes.js';
import { startTemporal } from '../support/rig.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { settingsYaml } from '../support/steering.js';

const rig = rigOfFile({
  config: { 'steersman.yaml': settingsYaml('steering: note') },
  workspace: { 'a.txt': 'The pool is 7 m long.' },
});
afterAll(killWorkers);

const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
};

test('its server is another → transcript, trace, events and state as before; what needs Temporal says that it is gone (O2, V7)', async () => {
  rig.play([
    { toolCalls: [{ name: 'read_text_file', arguments: { path: 'a.txt' } }] },
    { text: 'The pool is 7 m long.' },
  ]);
  const { handle } = await rig.run('How long is the pool?', { mode: 'react' });
  const client = await connect({ temporal: { client: rig.env.client }, home: join(rig.project.dir, 'home') });
  const before = await client.attach(handle.workflowId);
  const known = {
    transcript: await before.transcript(),
    steps: (await before.trace()).steps,
    events: (await all(before.events({ live: false }))).map(({ type }) => type),
  };
  await client.close();
  // Another server, which never heard of it.
  const env = await startTemporal();
  const later = await connect({ temporal: { client: env.client }, home: join(rig.project.dir, 'home') });
  const run = await later.attach(handle.workflowId);
  expect(await run.transcript()).toEqual(known.transcript);
  expect((await run.trace()).steps).toEqual(known.steps);
  expect((await all(run.events())).map(({ type }) => type)).toEqual(known.events);
  expect(await run.show()).toMatchObject({
    ...{ status: 'forgotten', phase: 'ended', outcome: 'answered', answer: 'The pool is 7 m long.' },
    ...{ goal: 'How long is the pool?', mode: 'react', answered: false },
  });
  await expect(run.steer('Faster!')).rejects.toMatchObject({ code: 'not_found' });
  await expect(later.attach('nobody')).rejects.toMatchObject({ code: 'not_found' });
  await later.close();
  await env.teardown();
});
