import { getEventListeners, once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { Client, Connection } from '@temporalio/client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { SteersmanClient } from '../../../src/client/client.js';
import { abortable } from '../../../src/client/connection/abortable.js';
import type { ClientScope } from '../../../src/client/connection/client-scope.js';
import { connect } from '../../../src/client/here/connect.js';
import { WORKFLOW_TYPE } from '../../../src/run/agents/run-config.js';

/** A client of the SDK whose server is not there. */
function awayClient() {
  const connection = Connection.lazy({ address: '127.0.0.1:1' });
  onTestFinished(() => connection.close());
  const closing = new AbortController();
  const client = new Client({ connection });
  const close = () => connection.close();
  const temporal = { client, address: 'none', namespace: 'default', local: null, close };
  const scope: ClientScope = {
    temporal,
    kept: null,
    project: null,
    report: () => {},
    closing: closing.signal,
  };
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

/** A client whose server has the run and the schedule that are asked for, and notes what is sent to them. */
function noting(asked: () => void) {
  const { client, steersman } = awayClient();
  const sent = vi.fn();
  const described = async () => {
    asked();
    const action = { workflowType: WORKFLOW_TYPE };
    return { workflowId: 'r', runId: 'r', type: WORKFLOW_TYPE, status: { name: 'RUNNING' }, action };
  };
  const handle = { describe: described, signal: sent, cancel: sent, executeUpdate: sent };
  const scheduled = { describe: described, pause: sent, delete: sent };
  vi.spyOn(client.workflow, 'getHandle').mockReturnValue(handle as never);
  vi.spyOn(client.workflow, 'start').mockImplementation(sent);
  vi.spyOn(client.schedule, 'getHandle').mockReturnValue(scheduled as never);
  vi.spyOn(client.schedule, 'create').mockImplementation(sent);
  return { steersman, sent };
}

type Effect = (client: SteersmanClient, signal: AbortSignal) => Promise<unknown>;

const EFFECTS: [string, Effect][] = [
  ['start', (client, signal) => client.start('x', { workspace: '/', model: 'a/b', taskQueue: 'q', signal })],
  ['stop', async (client, signal) => (await client.attach('r')).stop('', { signal })],
  ['followUp', async (client, signal) => (await client.attach('r')).followUp('x', { signal })],
  [
    'componentAction',
    async (client, signal) =>
      (await client.attach('r')).componentAction({ action: 'a', label: 'A', data: {} }, { signal }),
  ],
  [
    'answerGate',
    async (client, signal) =>
      (await client.attach('r')).answerGate('g1', { decision: 'approve' }, { signal }),
  ],
  [
    'schedules.create',
    (client, signal) =>
      client.schedules.create('s', 'x', { cron: '0 0 1 1 *', workspace: '/', taskQueue: 'q', signal }),
  ],
  ['schedules.delete', (client, signal) => client.schedules.delete('s', { signal })],
];

test.each(EFFECTS)(
  '%s: its signal is aborted already → nothing is sent, and the error says so',
  async (_, work) => {
    const { steersman, sent } = noting(() => {});
    const message = 'Nothing was done: too late.';
    await expect(work(steersman, AbortSignal.abort('too late'))).rejects.toMatchObject({
      code: 'aborted',
      message,
    });
    expect(sent).not.toHaveBeenCalled();
  },
);

test.each(EFFECTS.filter(([name]) => ['stop', 'followUp', 'schedules.delete'].includes(name)))(
  '%s: its signal is aborted while what it is for is looked at → it is not sent',
  async (name, work) => {
    const leaving = new AbortController();
    let looks = 0;
    const { steersman, sent } = noting(() => {
      looks += 1;
      if (name === 'schedules.delete' || looks === 2) leaving.abort('left');
    });
    await expect(work(steersman, leaving.signal)).rejects.toMatchObject({ code: 'aborted' });
    await new Promise(resolve => setImmediate(resolve));
    expect(sent).not.toHaveBeenCalled();
  },
);

test('connect: its signal is aborted while Temporal does not answer → aborted, not unreachable', async () => {
  const sockets: Socket[] = [];
  const silent = createServer(socket => sockets.push(socket.on('error', () => {}))).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as { port: number };
  vi.stubEnv('TEMPORAL_ADDRESS', `127.0.0.1:${port}`);
  try {
    const end = new AbortController();
    const connecting = connect({ signal: end.signal });
    connecting.catch(() => {});
    await once(silent, 'connection');
    end.abort(new Error('no time'));
    await expect(connecting).rejects.toMatchObject({
      code: 'aborted',
      message: expect.stringContaining('no time'),
    });
  } finally {
    vi.unstubAllEnvs();
    for (const socket of sockets) socket.destroy();
    silent.close();
  }
});

test('connect: its signal is aborted already → nothing is asked', async () => {
  const signal = AbortSignal.abort(new Error('no time'));
  await expect(connect({ signal })).rejects.toMatchObject({ code: 'aborted' });
});
