/** What PostgreSQL refuses, as people are told it: by code, and on a server. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkAddress, databaseError } from '../../packages/store/postgres/faults.js';
import { connectPostgres, postgresStore } from '../../packages/store/postgres/postgres.js';
import { SteersmanError } from '../../src/shared/process/errors.js';
import { hasPrograms, ownServer } from '../support/postgres-server.js';

const URL_OF = 'postgresql://me:s3cret-word@db.local:5432/runs';

function told(error: unknown): string {
  if (!(error instanceof SteersmanError)) throw error;
  return `${error.message} | ${error.remedy}`;
}

async function failure(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'it works',
    error => told(error),
  );
}

test.each<[string, string, RegExp]>([
  ['28P01', 'password authentication failed for user "me"', /refuses the user or the password.*percent form/],
  ['28000', 'no pg_hba.conf entry for host', /refuses the user.*no pg_hba/],
  ['3D000', 'database "runs" does not exist', /no database of that name.*"runs".*CREATE DATABASE/],
  ['42501', 'permission denied for database runs', /the right that is needed.*GRANT CREATE/],
  ['25006', 'cannot execute INSERT in a read-only transaction', /is read-only.*not its replica/],
  ['53300', 'sorry, too many clients already', /no connection left.*max_connections/],
  ['42P07', 'relation "session" already exists', /with other tables.*another database/],
  ['ENOTFOUND', 'getaddrinfo ENOTFOUND db.local', /no host of the name in its address/],
  ['ECONNREFUSED', '', /nothing listens.*Start it/],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate', /certificate.*sslrootcert/],
  ['', 'The server does not support SSL connections', /offers no TLS.*sslmode/],
  ['', 'timeout exceeded when trying to connect', /does not answer as it should: timeout/],
])('X8: PostgreSQL fails with %s %s → what to do, and no part of the address', (code, message, says) => {
  const error = databaseError(Object.assign(new Error(message), { code }), URL_OF);
  expect(error.code).toBe('host');
  expect(told(error)).toMatch(says);
  expect(told(error)).not.toMatch(/db\.local|s3cret/);
});

test('TR4: whatever the driver quotes of the address → it is left out', () => {
  const error = databaseError(new Error(`can not use ${URL_OF}, nor s3cret-word at db.local`), URL_OF);
  expect(told(error)).not.toMatch(/db\.local|s3cret/);
});

test.each([
  'postgresql://me:hunter@2secretTAIL/x@db.local:5432/runs',
  'postgresql://me:12?secretTAIL@db.local/runs',
  'postgresql://me:12#secretTAIL@db.local/runs',
  'postgresql://me:secretTAIL/x@db.local/runs',
  'mysql://me:secretTAIL@db.local/runs',
  'secretTAIL',
])('TR4: the address %s → refused before anybody is asked, with how a password is written', url => {
  const check = () => checkAddress(url);
  expect(check).toThrow(SteersmanError);
  try {
    check();
  } catch (error) {
    expect(told(error)).toMatch(/percent form: @ is %40/);
    expect(told(error)).not.toContain('secretTAIL');
  }
});

test.each([
  URL_OF,
  'postgres://db/runs',
  'postgresql://me:a%40b%2Fc@db/runs?sslmode=require',
  'postgresql:///runs',
])('the address %s → taken', url => expect(() => checkAddress(url)).not.toThrow());

describe.runIf(hasPrograms())('on a server', () => {
  let server: Awaited<ReturnType<typeof ownServer>> = null;
  beforeAll(async () => {
    server = await ownServer();
  }, 120_000);
  afterAll(async () => server?.remove());

  const at = (change: (url: URL) => void) => {
    const url = new URL(server?.url ?? '');
    change(url);
    return postgresStore(connectPostgres(url.href));
  };

  test('X8: no such database; a user without the right to make the schema → each said, not as a fault of the program', async () => {
    const none = at(url => {
      url.pathname = '/nowhere';
    });
    expect(await failure(none.sessions.list({ limit: 1 }))).toMatch(/no database of that name/);
    const admin = connectPostgres(server?.url ?? '');
    await admin.query('CREATE ROLE guest LOGIN');
    await admin.query('CREATE DATABASE empty');
    const guest = at(url => {
      Object.assign(url, { username: 'guest', pathname: '/empty' });
    });
    expect(await failure(guest.sessions.list({ limit: 1 }))).toMatch(/GRANT CREATE ON DATABASE/);
    await admin.close();
  });

  test('X8: a user who may only read, and a database that is read-only → the check fails, as a write would', async () => {
    const admin = connectPostgres(server?.url ?? '');
    expect(await failure(postgresStore(admin).check())).toBe('it works');
    await admin.query('CREATE ROLE reader LOGIN');
    await admin.query('GRANT USAGE ON SCHEMA steersman TO reader');
    await admin.query('GRANT SELECT ON ALL TABLES IN SCHEMA steersman TO reader');
    const reader = at(url => {
      url.username = 'reader';
    });
    expect(await failure(reader.check())).toMatch(/needed on .*session.*GRANT USAGE/);
    await admin.query('ALTER ROLE reader SET default_transaction_read_only = on');
    const frozen = at(url => {
      url.username = 'reader';
    });
    expect(await failure(frozen.check())).toMatch(/is read-only/);
    await Promise.all([admin, reader, frozen].map(each => each.close()));
  });
});
