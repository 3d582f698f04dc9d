/** Explains why a connection to Temporal fails, for workers and clients: the cause, and the remedy. */
import { isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ConnectionOptions } from '@temporalio/client';
import {
  type ClientConnectConfig,
  type LoadClientProfileOptions,
  loadClientConnectConfig,
} from '@temporalio/envconfig';
import { errorText, errorTextWithCause } from '../../base/text/error-text.js';
import { SteersmanError } from '../process/errors.js';

/** Reads the connection settings. @throws SteersmanError if a variable, the profile or a file that they name is wrong. */
export function temporalConfig(options?: LoadClientProfileOptions): ClientConnectConfig {
  try {
    return loadClientConnectConfig(options);
  } catch (error) {
    throw new SteersmanError(
      `The Temporal configuration cannot be read: ${errorText(error)}`,
      'Check TEMPORAL_CONFIG_FILE, TEMPORAL_PROFILE, TEMPORAL_TLS_CLIENT_CERT_PATH, TEMPORAL_TLS_CLIENT_KEY_PATH and TEMPORAL_TLS_SERVER_CA_CERT_PATH, and the files they name.',
      'configuration',
    );
  }
}

type Access = Pick<ConnectionOptions, 'tls' | 'apiKey'>;

/** Identifies a fault by an SDK's or TLS's words. `hasCert` and `hasTls`, if present, must equal the connection's setting. */
interface KnownFault {
  says: RegExp;
  hasCert?: boolean;
  hasTls?: boolean;
  what: string;
  remedy: string;
}

const CERTIFICATE = 'TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH';

const FAULTS: readonly KnownFault[] = [
  {
    says: /UNAUTHENTICATED|PERMISSION_DENIED|valid authentication credentials|does not have permission/,
    what: 'refuses the API key of this process, or asks for one',
    remedy: 'Set TEMPORAL_API_KEY to a key that is valid for this namespace, or mend it in the profile.',
  },
  {
    says: /PrivateKeyParse|CertificateParse|PEM routines|ERR_OSSL/,
    what: 'was not asked, because the client certificate or its key is not a PEM file',
    remedy: `Check ${CERTIFICATE}.`,
  },
  {
    says: /CertificateRequired|ALERT_CERTIFICATE_REQUIRED|ALERT_HANDSHAKE_FAILURE|ALERT_BAD_CERTIFICATE/,
    hasCert: false,
    what: 'asks for a client certificate, and this process has none',
    remedy: `Set ${CERTIFICATE}.`,
  },
  {
    says: /ALERT|ECONNRESET|closed/,
    hasCert: true,
    what: 'refuses the client certificate of this process',
    remedy: `Set ${CERTIFICATE} to a certificate that has not expired and that the server, or the namespace, accepts.`,
  },
  {
    says: /WRONG_VERSION_NUMBER|InvalidContentType|EPROTO/,
    hasTls: true,
    what: 'speaks no TLS',
    remedy: 'Set TEMPORAL_TLS=false, or TEMPORAL_ADDRESS to a port with TLS.',
  },
  {
    says: /\bok\b|CERT|ISSUER|ALERT/,
    hasTls: false,
    what: 'speaks TLS alone',
    remedy: 'Set TEMPORAL_TLS=true.',
  },
  {
    says: /CERT|ISSUER|SIGNATURE|ALTNAME/,
    hasTls: true,
    what: 'has a certificate that is not trusted here',
    remedy:
      'Set TEMPORAL_TLS_SERVER_CA_CERT_PATH to the certificate of its authority, and TEMPORAL_TLS_SERVER_NAME where its name differs.',
  },
];

const NOBODY_IS_THERE = /tcp connect error|dns error|ECONNREFUSED|ENOTFOUND/;

/**
 * Returns the cause of a failed connection if something answers at the address; null if nothing does, or if the cause
 * is unknown. The SDKs report little about TLS, so a separate handshake is tried.
 */
export async function connectionFault(
  address: string,
  access: Access,
  error: unknown,
): Promise<SteersmanError | null> {
  const message = errorTextWithCause(error);
  if (NOBODY_IS_THERE.test(message)) return null;
  const refusal = knownFault(message, access);
  if (refusal) return faultAt(address, refusal, message);
  const shaken = await handshake(address, access);
  const fault = knownFault(shaken, access);
  return fault ? faultAt(address, fault, shaken === 'ok' ? message : shaken) : null;
}

function knownFault(message: string, { tls, apiKey }: Access): KnownFault | undefined {
  const hasCert = typeof tls === 'object' && tls?.clientCertPair !== undefined;
  const hasTls = tls === undefined || tls === null ? apiKey !== undefined : tls !== false;
  return FAULTS.find(
    fault =>
      fault.says.test(message) &&
      (fault.hasCert ?? hasCert) === hasCert &&
      (fault.hasTls ?? hasTls) === hasTls,
  );
}

function faultAt(address: string, { what, remedy }: KnownFault, message: string): SteersmanError {
  return new SteersmanError(`Temporal at ${address} ${what}: ${message}`, remedy, 'unreachable');
}

const HANDSHAKE_TIMEOUT_MS = 3_000;
/** With TLS 1.3 a server refuses a client's certificate only after the handshake. */
const REFUSAL_COMES_WITHIN_MS = 1_000;

/** Tries a TLS handshake. Returns `ok`, or the error text. */
function handshake(address: string, { tls }: Access): Promise<string> {
  const { hostname, port } = new URL(`tls://${address}`);
  const host = hostname.replace(/^\[|\]$/g, '');
  const given = typeof tls === 'object' && tls !== null ? tls : {};
  const { serverNameOverride, serverRootCACertificate, clientCertPair } = given;
  return new Promise(resolve => {
    const socket = connectTls({
      host,
      port: Number(port || 7233),
      // Node prints its own warning for an address in place of a name.
      servername: serverNameOverride ?? (isIP(host) ? '' : host),
      ALPNProtocols: ['h2'],
      ...(serverRootCACertificate && { ca: Buffer.from(serverRootCACertificate) }),
      ...(clientCertPair && { cert: Buffer.from(clientCertPair.crt), key: Buffer.from(clientCertPair.key) }),
    });
    const ends = (says: string) => {
      resolve(says);
      socket.destroy();
    };
    socket.once('error', (error: NodeJS.ErrnoException) => ends(`${error.code} ${error.message}`));
    socket.once('close', () => ends('closed'));
    socket.setTimeout(HANDSHAKE_TIMEOUT_MS, () => ends('no answer'));
    socket.once('secureConnect', () => setTimeout(() => ends('ok'), REFUSAL_COMES_WITHIN_MS));
  });
}
