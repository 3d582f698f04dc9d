/** A connection to Temporal that somebody refuses: each refusal is told as what it is. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createSecureServer, createServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection, type ConnectionOptions } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { connectionFault, temporalConfig } from '../../../src/shared/temporal/connection-fault.js';

const dir = mkdtempSync(join(tmpdir(), 'steersman-tls-'));
const read = (name: string) => readFileSync(join(dir, name));
const pair = (name: string) => ({ crt: read(`${name}.pem`), key: read(`${name}.key`) });
const servers: Server[] = [];
let [secure, plain] = ['', ''];

const KEY_OF = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** An authority, certificates by it for server and client, and one of nobody. */
function makeCertificates(): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: dir, stdio: 'ignore' });
  const own = ['-x509', ...KEY_OF, '-days', '9'];
  for (const name of ['ca', 'other'])
    openssl('req', ...own, '-keyout', `${name}.key`, '-out', `${name}.pem`, '-subj', `/CN=${name}`);
  writeFileSync(join(dir, 'names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1');
  for (const name of ['server', 'client']) {
    const made = [...KEY_OF, '-keyout', `${name}.key`, '-out', `${name}.csr`];
    openssl('req', ...made, '-subj', '/CN=localhost');
    const signed = [
      '-CA',
      'ca.pem',
      '-CAkey',
      'ca.key',
      '-CAcreateserial',
      '-days',
      '9',
      '-extfile',
      'names',
    ];
    openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.pem`, ...signed);
  }
}

/** Answers every call as a server of Temporal that knows no key. */
function refuses(stream: ServerHttp2Stream): void {
  const status = { 'grpc-status': '16', 'grpc-message': 'Request unauthorized.' };
  stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...status }, { endStream: true });
}

async function listening(server: Server): Promise<string> {
  servers.push(server);
  server.on('tlsClientError', () => undefined).on('sessionError', () => undefined);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return `localhost:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  makeCertificates();
  const mutual = {
    ...{ key: read('server.key'), cert: read('server.pem'), ca: read('ca.pem') },
    requestCert: true,
  };
  secure = await listening(createSecureServer(mutual).on('stream', refuses));
  plain = await listening(createServer().on('stream', refuses));
});
afterAll(() => {
  for (const server of servers) server.close();
});

test('an address in place of a name → Node prints no warning of its own beside the fault (TE8)', async () => {
  const warned: string[] = [];
  const note = ({ message }: Error) => void warned.push(message);
  process.on('warning', note);
  await connectionFault(plain.replace('localhost', '127.0.0.1'), {}, new Error('no answer'));
  await new Promise(resolve => setImmediate(resolve));
  process.off('warning', note);
  expect(warned).toEqual([]);
});

const trusted = () => ({ serverRootCACertificate: read('ca.pem') });

test.concurrent.each<[string, () => ConnectionOptions, RegExp, RegExp]>([
  [
    'no client certificate',
    () => ({ address: secure, tls: trusted() }),
    /asks for a client certificate/,
    /TEMPORAL_TLS_CLIENT_CERT_PATH/,
  ],
  [
    'a client certificate of nobody',
    () => ({ address: secure, tls: { ...trusted(), clientCertPair: pair('other') } }),
    /refuses the client certificate/,
    /TEMPORAL_TLS_CLIENT_CERT_PATH/,
  ],
  [
    'a client certificate that is no PEM',
    () => ({
      address: secure,
      tls: { ...trusted(), clientCertPair: { crt: Buffer.from('x'), key: Buffer.from('y') } },
    }),
    /is not a PEM file/,
    /TEMPORAL_TLS_CLIENT_CERT_PATH/,
  ],
  [
    'an authority that is not known',
    () => ({ address: secure, tls: true }),
    /certificate that is not trusted/,
    /TEMPORAL_TLS_SERVER_CA_CERT_PATH/,
  ],
  ['no TLS at a server with it', () => ({ address: secure }), /speaks TLS alone/, /TEMPORAL_TLS=true/],
  [
    'TLS at a server without it',
    () => ({ address: plain, tls: true }),
    /speaks no TLS/,
    /TEMPORAL_TLS=false/,
  ],
  [
    'a key that is refused',
    () => ({ address: plain, apiKey: 'old', tls: false }),
    /refuses the API key/,
    /TEMPORAL_API_KEY/,
  ],
  [
    'a key that is refused, over TLS',
    () => ({ address: secure, apiKey: 'old', tls: { ...trusted(), clientCertPair: pair('client') } }),
    /refuses the API key/,
    /TEMPORAL_API_KEY/,
  ],
])(
  'the way to Temporal, with %s → a worker and a client are told so, and what to set (OP5)',
  async (_, of, says, remedy) => {
    const { address = '', ...options } = of();
    const attempts = [
      () =>
        NativeConnection.connect({ address, ...options } as Parameters<typeof NativeConnection.connect>[0]),
      () => Connection.connect({ address, ...options, connectTimeout: 2_000 }),
    ];
    for (const attempt of attempts) {
      const error = await attempt().then(
        () => null,
        (reason: unknown) => reason,
      );
      expect(await connectionFault(address, options, error)).toMatchObject({
        message: expect.stringMatching(says),
        remedy: expect.stringMatching(remedy),
        code: 'unreachable',
      });
    }
  },
);

test('the way to Temporal: nobody listens → no fault but that', async () => {
  const address = '127.0.0.1:9';
  const error = await NativeConnection.connect({ address }).catch((reason: unknown) => reason);
  expect(await connectionFault(address, {}, error)).toBeNull();
});

test('the way to Temporal: the file of a certificate is missing → told as configuration, with its name (OP5)', () => {
  vi.stubEnv('TEMPORAL_TLS_CLIENT_CERT_PATH', '/no/such/cert.pem');
  vi.stubEnv('TEMPORAL_TLS_CLIENT_KEY_PATH', '/no/such/key.pem');
  try {
    expect(() => temporalConfig({ disableFile: true })).toThrow(
      expect.objectContaining({ code: 'configuration', message: expect.stringContaining('/no/such/') }),
    );
  } finally {
    vi.unstubAllEnvs();
  }
});
