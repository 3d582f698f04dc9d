import { getEventListeners } from 'node:events';
import { Client, Connection } from '@temporalio/client';
import { expect, onTestFinished, test } from 'vitest';
import { abortable } from '../../../../src/client/runs/abortable.js';
import { SteersmanClient } from '../../../../src/client/runs/client.js';
import type { ClientScope } from '../../../../src/client/runs/client-scope.js';

/** A client of the SDK whose server is not there. */
function awayClient() {
  const connection = Connection.lazy({ address: '127.0.0.1:1' });
  onTestFinished(() => connection.close());
  const closing = new AbortController();
  const client = new Client({ connection });
  const close = () => connection.close();
  const temporal = { client, address: 'none', namespace: 'default', local: null, close };
  const scope: ClientScope = { temporal, home: '/none', report: () => {}, closing: closing.signal };
  return { scope, client, steersman: new SteersmanClient(scope, () => closing.abort(new Error('closed'))) };
}

test('a wait with a signal: many requests while it lasts → none leaves a listener at the signal', async () => {
  const { scope, client } = awayClient();
  const { signal } = new AbortController();
  let most = 0;
  await abortable(scope, { signal }, async () => {
    for (let asked = 0; asked < 5; asked += 1) {
      const request = client.withDeadline(Date.now() + 1, () => client.workflow.getHandle('r').describe());
      await request.catch(() => undefined);
      most = Math.max(most, getEventListeners(signal, 'abort').length);
    }
  });
  expect(most).toBe(0);
});

test('a client: it is closed → waits end, and whatever it is asked after that fails in words', async () => {
  const { scope, steersman } = awayClient();
  const waiting = abortable(scope, {}, () => new Promise(() => {}));
  await steersman.close();
  const ended = { name: 'SteersmanError', code: 'aborted', message: expect.stringContaining('closed') };
  await expect(waiting).rejects.toMatchObject(ended);
  await expect(steersman.attach('r')).rejects.toMatchObject(ended);
  await expect(steersman.start('A goal', { workspace: '/' })).rejects.toMatchObject(ended);
  await expect(steersman.schedules.show('s')).rejects.toMatchObject(ended);
  await expect(steersman.leftOpen()).rejects.toMatchObject(ended);
  expect(() => steersman.list()).toThrow(expect.objectContaining(ended));
});
