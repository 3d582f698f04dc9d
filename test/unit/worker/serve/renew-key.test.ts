/** A worker's key that is revoked and renewed, at a server that knows one key at a time. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NativeConnection } from '@temporalio/worker';
import { expect, test, vi } from 'vitest';
import { temporalConfig } from '../../../../src/shared/temporal/connection-fault.js';
import { keyLook } from '../../../../src/worker/serve/renew-key.js';
import { quietTemporal } from '../../../support/quiet.js';

/** A reply of gRPC whose message has no fields. */
const EMPTY = Buffer.alloc(5);

test('a key is revoked → said once; the profile has a new one → taken, without a restart (OP6)', async () => {
  quietTemporal();
  let valid = 'old';
  const server = createServer().on('stream', (stream, headers) => {
    const status = headers.authorization === `Bearer ${valid}` ? '0' : '16';
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () =>
      stream.sendTrailers({ 'grpc-status': status, 'grpc-message': 'revoked' }),
    );
    stream.end(status === '0' ? EMPTY : undefined);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const profile = join(mkdtempSync(join(tmpdir(), 'steersman-key-')), 'temporal.toml');
  const write = (key: string) =>
    writeFileSync(
      profile,
      `[profile.default]\naddress = "${address}"\napi_key = "${key}"\n[profile.default.tls]\ndisabled = true\n`,
    );
  vi.stubEnv('TEMPORAL_CONFIG_FILE', profile);
  write('old');
  const connection = await NativeConnection.connect({ address, tls: false, apiKey: 'old' });
  try {
    const lines: string[] = [];
    const read = () => temporalConfig().connectionOptions.apiKey ?? undefined;
    const look = keyLook({ connection, namespace: 'default', read, report: line => lines.push(line) });
    await look();
    expect(lines).toEqual([]);
    valid = 'new';
    await look();
    await look();
    expect(lines).toEqual([expect.stringMatching(/refuses the API key.*revoked/)]);
    write('new');
    await look();
    expect(lines.slice(1)).toEqual(['Temporal takes the API key of this worker again.']);
  } finally {
    vi.unstubAllEnvs();
    await connection.close();
    server.close();
  }
});
