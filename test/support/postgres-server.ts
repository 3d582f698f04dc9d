/** Servers of PostgreSQL for tests and benchmarks: of its own where one is installed, or one that is named. */
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { connectPostgres } from '../../packages/store/postgres/postgres.js';
import { freePort } from './processes.js';
import { until } from './wait.js';

/** Whether one can be had here: else its tests are not there, and the message of the test run says so. */
export function hasServer(): boolean {
  return process.env.TEST_DATABASE_URL !== undefined || postgresPrograms() !== null;
}

/** A database of its own on the server that TEST_DATABASE_URL names, else a server of its own; null where none can be had. */
export async function testServer(): Promise<Pick<TestServer, 'url' | 'remove'> | null> {
  const named = process.env.TEST_DATABASE_URL;
  const programs = postgresPrograms();
  if (named === undefined) return programs === null ? null : startPostgres(programs);
  const name = `steersman_test_${randomBytes(6).toString('hex')}`;
  const there = connectPostgres(named);
  await there.query(`CREATE DATABASE ${name}`);
  const url = new URL(named);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    async remove() {
      await there.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await there.close();
    },
  };
}

/** A server of its own, which can be killed and started; null where none is installed. */
export async function ownServer(): Promise<TestServer | null> {
  const programs = postgresPrograms();
  return programs === null ? null : startPostgres(programs);
}

/** Whether one is installed here. */
export function hasPrograms(): boolean {
  return postgresPrograms() !== null;
}

export interface TestServer {
  url: string;
  /** As a power cut does. */
  kill(): Promise<void>;
  /** Again, with what it had. */
  start(): Promise<void>;
  /** All of its processes stand still: it answers nobody, and nobody is told. */
  pause(): void;
  /** After `pause`. */
  resume(): void;
  /** Ends it, and removes what it had. */
  remove(): Promise<void>;
}

/** Where the programs of a server are; null where none is installed. */
function postgresPrograms(): string | null {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).map(name => join(debian, name, 'bin')) : [];
  const places = [...(process.env.PATH ?? '').split(delimiter), ...versions.reverse()];
  return places.find(place => ['initdb', 'postgres'].every(name => existsSync(join(place, name)))) ?? null;
}

/** PostgreSQL refuses to run as root: then it is nobody's. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

async function startPostgres(programs: string): Promise<TestServer> {
  const dir = mkdtempSync(join(tmpdir(), 'postgres-'));
  if (NOBODY.uid !== undefined) chownSync(dir, NOBODY.uid, NOBODY.gid);
  const data = join(dir, 'data');
  execFileSync(
    join(programs, 'initdb'),
    [
      '--pgdata',
      data,
      '--username=steersman',
      '--auth=trust',
      '--encoding=unicode',
      '--locale=C',
      '--no-sync',
    ],
    { ...NOBODY, cwd: dir, stdio: 'ignore' },
  );
  const port = await freePort();
  const url = `postgresql://steersman@127.0.0.1:${port}/postgres`;
  let server: ReturnType<typeof spawn> | null = null;
  const start = async () => {
    const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${dir}`];
    server = spawn(join(programs, 'postgres'), ['-D', data, ...settings.flatMap(each => ['-c', each])], {
      ...NOBODY,
      cwd: dir,
      stdio: 'ignore',
    });
    const probe = connectPostgres(url);
    await until('PostgreSQL answers', () =>
      probe.query('SELECT 1').then(
        () => true,
        () => false,
      ),
    );
    await probe.close();
  };
  const end = async (signal: NodeJS.Signals) => {
    const ended = server;
    server = null;
    if (ended === null || ended.exitCode !== null) return;
    const gone = new Promise(resolve => ended.once('exit', resolve));
    ended.kill(signal);
    await gone;
  };
  const signalAll = (signal: NodeJS.Signals) => {
    const pid = server?.pid;
    if (pid === undefined) throw new Error('the server does not run');
    // Linux only.
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    for (const each of [pid, ...children.map(Number)]) process.kill(each, signal);
  };
  await start();
  return {
    url,
    start,
    kill: () => end('SIGQUIT'),
    pause: () => signalAll('SIGSTOP'),
    resume: () => signalAll('SIGCONT'),
    async remove() {
      await end('SIGQUIT');
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
