/** Translates PostgreSQL's errors into messages that say what to do. The address is a secret: no error shows a part of it. */

import { decoded, errorText, ownValue } from 'steersman/base';
import { SteersmanError } from 'steersman/shared';
import type { Database } from './migrations.js';

const ENCODE = 'Characters such as @ : / ? # in a password are written in percent form: @ is %40, / is %2F.';

/** @throws SteersmanError if it is not a URL of PostgreSQL, or a part of the password would be read as the host. */
export function checkAddress(url: string): void {
  const isUrl = /^postgres(ql)?:\/\//.test(url) && URL.canParse(url);
  // The host ends at the first / ? or #. An @ after it means that the password contains that character.
  if (isUrl && !/^[^/]*\/\/[^/?#]*[/?#].*@/.test(url)) return;
  throw new SteersmanError(
    isUrl
      ? 'The address of the store has an @ after its host: its password is not encoded as URLs need it.'
      : 'The address of the store is no URL of PostgreSQL.',
    `It has the form postgresql://user:password@host:5432/database. ${ENCODE}`,
    'configuration',
  );
}

const ADDRESS = 'the variable with its address: store in steersman.yaml, else DATABASE_URL';

type FaultText = readonly [says: string, remedy: string];

const REFUSED: FaultText = ['refuses the user or the password.', `Correct ${ADDRESS}. ${ENCODE}`];
const FOREIGN: FaultText = [
  'has a schema `steersman` with other tables than this version makes.',
  'Name another database, or give that schema another name.',
];
const NO_HOST: FaultText = [
  'is not found: there is no host of the name in its address.',
  `Correct ${ADDRESS}.`,
];
const CERTIFICATE: FaultText = [
  'has a certificate that is not trusted here.',
  'Add ?sslmode=verify-full&sslrootcert=FILE with the certificate of its authority to the address.',
];

/** Messages by the error code of PostgreSQL, the operating system, TLS, or Node. */
const BY_CODE: Readonly<Record<string, FaultText>> = {
  '28P01': REFUSED,
  '28000': REFUSED,
  '3D000': ['has no database of that name.', `Make it (CREATE DATABASE), or correct ${ADDRESS}.`],
  '42501': [
    'does not give this user the right that is needed.',
    'Once, GRANT CREATE ON DATABASE lets it make the schema `steersman`; where another user made it, GRANT USAGE ON SCHEMA steersman and SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA steersman.',
  ],
  '25006': [
    'is read-only.',
    'Name the server that takes writes, not its replica, and a user without default_transaction_read_only.',
  ],
  '53300': [
    'has no connection left.',
    'Raise its max_connections, or put a pooler such as PgBouncer before it: each worker and each command takes up to five.',
  ],
  '3F000': FOREIGN,
  '42P01': FOREIGN,
  '42P07': FOREIGN,
  '42703': FOREIGN,
  '42710': FOREIGN,
  ENOTFOUND: NO_HOST,
  EAI_AGAIN: NO_HOST,
  ECONNREFUSED: [
    'is not there: nothing listens at host and port of its address.',
    `Start it, or correct ${ADDRESS}.`,
  ],
  // The package `steersman-client` is installed without it.
  ERR_MODULE_NOT_FOUND: ['needs the package pg, which is not installed here.', 'Install it: npm install pg.'],
  SELF_SIGNED_CERT_IN_CHAIN: CERTIFICATE,
  DEPTH_ZERO_SELF_SIGNED_CERT: CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: CERTIFICATE,
  ERR_TLS_CERT_ALTNAME_INVALID: CERTIFICATE,
  CERT_HAS_EXPIRED: CERTIFICATE,
};

const NO_TLS: FaultText = [
  'offers no TLS, which the address asks for.',
  'Switch TLS on there, or leave sslmode out of the address.',
];

/** Converts an error of the driver into a message for people. Parts of the secret `url` are removed. */
export function databaseError(error: unknown, url: string): SteersmanError {
  if (error instanceof SteersmanError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const message = withoutAddress(errorText(error), url);
  const known = /does not support SSL/.test(message) ? NO_TLS : ownValue(BY_CODE, code);
  if (!known)
    return new SteersmanError(
      `The store on PostgreSQL does not answer as it should: ${message}`,
      `Check that it runs, and ${ADDRESS}.`,
      'host',
    );
  // The database's own message names roles, databases and tables; a system error would name the host.
  const quoted = /^[0-9A-Z]{5}$/.test(code) ? ` It says: ${message}` : '';
  return new SteersmanError(`The store on PostgreSQL ${known[0]}${quoted}`, known[1], 'host');
}

/** Shorter parts also occur in ordinary words. */
const MIN_CHARS = 4;

function withoutAddress(text: string, url: string): string {
  if (!URL.canParse(url)) return text;
  const { password, hostname, searchParams } = new URL(url);
  const query = [...searchParams].flatMap(([name, value]) => (/passw/i.test(name) ? [value] : []));
  return [url, password, decoded(password), ...query, hostname]
    .filter(part => part.length >= MIN_CHARS)
    .reduce((said, part) => said.replaceAll(part, '…'), text);
}

const RIGHTS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

/** Checks that the store answers and has the rights it needs. @throws SteersmanError that says what does not work. */
export async function checkRights({ query }: Pick<Database, 'query'>): Promise<void> {
  const refuse = (code: string, message: string) =>
    databaseError(Object.assign(new Error(message), { code }), '');
  const [mode] = await query("SELECT current_setting('transaction_read_only') AS read_only");
  if (mode?.read_only === 'on') throw refuse('25006', 'transactions are read-only');
  const lacking = RIGHTS.map(right => `NOT has_table_privilege(oid, '${right}')`).join(' OR ');
  const tables = await query(
    `SELECT relname FROM pg_class WHERE relnamespace = 'steersman'::regnamespace AND relkind = 'r' AND (${lacking}) ORDER BY 1`,
  );
  if (tables.length === 0) return;
  const names = tables.map(({ relname }) => String(relname)).join(', ');
  throw refuse('42501', `${RIGHTS.join(', ')} are needed on ${names}`);
}
