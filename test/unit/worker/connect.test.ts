import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { NativeConnection, TransportError } from '@temporalio/worker';
import { expect, test, vi } from 'vitest';
import { connectWhenThere, isAway } from '../../../src/worker/connect.js';

const grpc = (code: number) => Object.assign(new Error('no'), { code, details: 'no', metadata: {} });

/** The texts are the SDK's, as it gave them. */
test.each<[string, unknown, boolean]>([
  [
    'nobody listens',
    new TransportError(
      'tonic::transport::Error(Transport, ConnectError(ConnectError("tcp connect error", 127.0.0.1:1, Os { code: 111, kind: ConnectionRefused, message: "Connection refused" })))',
    ),
    true,
  ],
  [
    'a name that is not known',
    new TransportError(
      'tonic::transport::Error(Transport, ConnectError(ConnectError("dns error", Custom { kind: Uncategorized, error: "failed to lookup address information: Name or service not known" })))',
    ),
    true,
  ],
  [
    'somebody who closes the connection',
    new TransportError(
      'Failed to call GetSystemInfo: code: \'Unknown error\', message: "transport error", source: tonic::transport::Error(Transport, hyper::Error(Io, Kind(ConnectionReset)))',
    ),
    true,
  ],
  [
    'somebody who says nothing',
    new TransportError(
      'Failed to call GetSystemInfo: code: \'The operation was cancelled\', message: "Timeout expired", source: tonic::transport::Error(Transport, TimeoutExpired(()))',
    ),
    true,
  ],
  ['a server without its database', grpc(14), true],
  ['a server that does not answer in time', grpc(4), true],
  [
    'a server without TLS, where TLS is wanted',
    new TransportError(
      'tonic::transport::Error(Transport, ConnectError(Custom { kind: InvalidData, error: InvalidMessage(InvalidContentType) }))',
    ),
    false,
  ],
  [
    'another kind of server',
    new TransportError(
      'Failed to call GetSystemInfo: code: \'Operation is not implemented or not supported\', message: "grpc-status header missing, mapped from HTTP status code 404"',
    ),
    false,
  ],
  ['a server that does not know the namespace', grpc(5), false],
  ['a server that refuses the key', grpc(16), false],
  ['a fault of ours', new TypeError('x is not a function'), false],
])('the way to Temporal: %s → a worker waits only for what is away', (_, error, away) => {
  expect(isAway(error)).toBe(away);
});

test('the way to Temporal: nobody is there for two minutes → said at once and each minute, and waited for', async () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  vi.spyOn(timers, 'setTimeout').mockImplementation(async (ms = 0) => {
    now += ms;
  });
  vi.spyOn(NativeConnection, 'connect').mockImplementation(async () => {
    throw new TransportError(now < 150_000 ? 'tcp connect error' : 'HTTP status code 404');
  });
  syncBuiltinESMExports();
  const lines: string[] = [];
  try {
    const waits = connectWhenThere({ connectionOptions: {} }, 'a:1', line => lines.push(line));
    await expect(waits).rejects.toThrow('HTTP status code 404');
  } finally {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  }
  expect(lines.map(line => line.split(': tcp')[0])).toEqual(
    ['', ' for 1 min', ' for 2 min'].map(since => `Temporal at a:1 cannot be reached${since}`),
  );
});
