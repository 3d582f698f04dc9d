import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { serveStdio } from '../../../packages/mcp-server/server.js';
import { fakeRuns, lookOf } from '../../support/fake-runs.js';
import { clientOf } from './connected.js';

const HELLO = [
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
];

const call = (id: number, name: string, args: object) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

/** What comes back for the lines, when the input ends with them. */
async function answers(messages: readonly unknown[], runs = fakeRuns()): Promise<Record<string, unknown>[]> {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  let written = '';
  stdout.on('data', chunk => {
    written += String(chunk);
  });
  const served = serveStdio({ client: clientOf(runs), workspaces: ['/work'] }, { stdin, stdout });
  stdin.end(
    messages.map(message => `${typeof message === 'string' ? message : JSON.stringify(message)}\n`).join(''),
  );
  await served;
  return written
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));
}

describe('the server on stdin and stdout', () => {
  test('stdio: the input ends with calls in flight → each has its answer, then the server ends', async () => {
    let release = () => {};
    const look = new Promise<void>(resolve => {
      release = resolve;
    });
    const runs = fakeRuns({
      show: async () => {
        await look;
        return lookOf({ answer: '42' });
      },
    });
    let over = false;
    const all = answers(
      [...HELLO, call(2, 'get_result', { id: 'run-1' }), call(3, 'stop_run', { id: 'x' })],
      runs,
    ).finally(() => {
      over = true;
    });
    // Time enough for a server that does not wait.
    for (let turns = 0; turns < 50; turns += 1) await turn();
    expect(over).toBe(false);
    release();
    expect((await all).map(({ id }) => id).sort()).toEqual([1, 2, 3]);
  });

  test('stdio: the input ends while a run is watched → what there is, without waiting', async () => {
    const [, watched] = await answers([...HELLO, call(2, 'watch_run', { id: 'run-1', waitSeconds: 3_600 })]);
    expect(watched).toMatchObject({ id: 2, result: { structuredContent: { id: 'run-1', ended: false } } });
  });

  test('stdio: a line that is no message → left out, the next is answered', async () => {
    const [, pong] = await answers([...HELLO, 'no json', { jsonrpc: '2.0', id: 2, method: 'ping' }]);
    expect(pong).toMatchObject({ id: 2, result: {} });
  });
});
