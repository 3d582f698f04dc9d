import { expect, test } from 'vitest';
import { SharedClient } from '../../../packages/mcp-server/tools/shared-client.js';
import { SteersmanError } from '../../../src/shared/process/errors.js';
import { fakeRuns } from '../../support/fake-runs.js';

const away = () => new SteersmanError('Temporal does not answer.', '', 'unreachable');

function kept(fails = 0) {
  let opened = 0;
  const open = async () => {
    opened += 1;
    if (opened <= fails) throw away();
    return fakeRuns();
  };
  return { client: new SharedClient(open), opened: () => opened };
}

test('connection: several calls at once → one, opened by the first', async () => {
  const { client, opened } = kept();
  expect(opened()).toBe(0);
  const [one, other] = await Promise.all([client.get(), client.get()]);
  expect(one).toBe(other);
  expect(opened()).toBe(1);
});

test('connection: it could not be opened → the call fails, the next one tries again', async () => {
  const { client, opened } = kept(1);
  await expect(client.get()).rejects.toThrow(/does not answer/);
  await client.get();
  expect(opened()).toBe(2);
});

test('connection: the server went away → the next call connects anew; another error → it stays', async () => {
  const { client, opened } = kept();
  await client.get();
  client.lostBy(new SteersmanError('There is no run x.', '', 'not_found'));
  await client.get();
  expect(opened()).toBe(1);
  client.lostBy(away());
  await client.get();
  expect(opened()).toBe(2);
});
