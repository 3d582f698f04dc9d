import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { SEARCH_ATTRIBUTES } from '../../src/core/steering/search-attributes.js';
import { setVariables } from '../../src/shared/env.js';
import { projectRoot } from '../../src/shared/package.js';
import { stackPaths } from '../../src/stack/home.js';
import { keepLease } from '../../src/stack/lease.js';
import { leftOpenRuns } from '../../src/stack/open-runs.js';
import { isHealthy, localConnection, withConnection } from '../../src/stack/probe.js';
import { identify, isAlive } from '../../src/stack/process-id.js';
import { folderOfQueue, readServerRecord, readStack } from '../../src/stack/records.js';
import { ensureServer, type LocalServer } from '../../src/stack/server.js';
import { stackUse, stopStack } from '../../src/stack/stop.js';
import { superviseWorker } from '../../src/stack/supervise.js';
import { temporalBinary } from '../../src/stack/temporal-fetch.js';
import { ensureWorker, resumeQueue, type WorkerSettings } from '../../src/stack/workers.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 400_000 });

/** Where scripts of this test stand: they find packages from there, and the build below `src`. */
const scripts = join(projectRoot, 'node_modules', '.cache', 'steersman-stack-test');
const lines: string[] = [];
const report = (line: string) => void lines.push(line);
const clients: Client[] = [];
const children: ChildProcess[] = [];
let home: string;

beforeAll(async () => {
  rmSync(scripts, { recursive: true, force: true });
  mkdirSync(scripts, { recursive: true });
  symlinkSync(join(projectRoot, 'dist'), join(scripts, 'src'));
  await temporalBinary(tmpdir(), line => console.error(line));
});

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'steersman-stack-'));
  lines.length = 0;
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map(client => client.connection.close()));
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await stopStack(home);
  rmSync(home, { recursive: true, force: true });
});

function start(idleMs = 60_000): Promise<LocalServer> {
  return ensureServer(home, { report, idleMs });
}

function clientOf(server: LocalServer): Client {
  const client = new Client({ connection: localConnection(server.address) });
  clients.push(client);
  return client;
}

function startRun(client: Client, workflowId: string, taskQueue: string) {
  return client.workflow.start('steersmanRun', { workflowId, taskQueue, args: [] });
}

async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 30_000,
): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await delay(50);
  }
}

/** Empty for a file that is gone meanwhile: a database has some for a moment. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

function serverRecord() {
  const record = readServerRecord(home);
  if (record === undefined) throw new Error('no stack.json');
  return record;
}

/** A server at this port; none while another has it. */
function listening(port: number): Promise<Server[]> {
  const server = createServer();
  return new Promise(resolve => {
    server.once('error', () => resolve([])).listen(port, '127.0.0.1', () => resolve([server]));
  });
}

/** Runs a module in a process of its own, in its own process group; it says when it has come to `console.log`. */
async function otherProcess(body: string): Promise<ChildProcess> {
  const path = join(scripts, `other-${children.length}-${Date.now()}.mjs`);
  writeFileSync(path, body);
  const child = spawn(process.execPath, [path], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout, 'data');
  return child;
}

/** Status of a request as a browser would send it: `fetch` lets neither Host nor Sec-Fetch-Site be set. */
function statusOf(url: string, headers: IncomingHttpHeaders, body?: string): Promise<number | undefined> {
  const method = body === undefined ? 'GET' : 'POST';
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers }, response => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.on('error', reject).end(body);
  });
}

/** Ports of 127.0.0.1 that a process listens on. */
function portsOf(pid: number): number[] {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).map(fd => /socket:\[(\d+)\]/.exec(linkOf(`/proc/${pid}/fd/${fd}`))?.[1]),
  );
  const listening = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .slice(1)
    .map(line => line.trim().split(/\s+/));
  return listening.flatMap(([, local = '', , state, , , , , , inode]) =>
    state === '0A' && local.startsWith('0100007F:') && sockets.has(inode)
      ? [Number.parseInt(local.slice(9), 16)]
      : [],
  );
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

describe('what a web page can do at the server', () => {
  const EVIL = 'https://evil.example';
  const NAMESPACES = '/api/v1/namespaces';
  const SIGNAL = '/api/v1/namespaces/default/workflows/w/signal/answer';

  test('page: it posts to any port of the server, or makes a name of its own point there → nothing is done or told (TR13)', async () => {
    await start();
    const simple = { 'content-type': 'text/plain', origin: EVIL, 'sec-fetch-site': 'cross-site' };
    const ports = portsOf(serverRecord().pid);
    const said = await Promise.all(
      ports.map(async port => {
        const at = `http://127.0.0.1:${port}`;
        const asked = [
          statusOf(`${at}${SIGNAL}`, simple, '{"input":[]}'),
          statusOf(`${at}${NAMESPACES}`, { host: 'evil.example' }),
        ];
        return Promise.all(asked.map(status => status.catch(() => 'no HTTP')));
      }),
    );
    // gRPC, its services among themselves, metrics, and the HTTP API, which has no switch.
    expect(said.filter(statuses => statuses.some(status => status !== 'no HTTP' && status !== 404))).toEqual([
      [403, 403],
    ]);
  });

  test('page: it makes a name of its own point to the Web UI, or asks it from elsewhere → refused; the UI works for its user (TR13)', async () => {
    const { webUi } = await start();
    const { host, port } = new URL(webUi);
    const all = (headers: IncomingHttpHeaders, body?: string) =>
      Promise.all(['/', NAMESPACES, '//'].map(path => statusOf(`${webUi}${path}`, headers, body)));
    expect(await all({ host: `evil.example:${port}` })).toEqual([403, 403, 403]);
    expect(await all({ host, origin: EVIL }, '{}')).toEqual([403, 403, 403]);
    expect(await all({ host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).toEqual([
      403, 403, 403,
    ]);
    expect(await all({ host, origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-site' })).toEqual([
      403, 403, 403,
    ]);
    // A link to it on another page, and what its own page asks.
    expect(
      await statusOf(webUi, { host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }),
    ).toBe(200);
    expect(await statusOf(`${webUi}${NAMESPACES}`, { host, 'sec-fetch-site': 'same-origin' })).toBe(200);
    expect(await statusOf(`${webUi}${NAMESPACES}`, { host: `localhost:${port}` })).toBe(200);
  });
});

describe('the server', () => {
  test('server: two callers at once → one server, started once, with the search attributes and a Web UI', async () => {
    const [first, second] = await Promise.all([start(), start()]);
    expect(first.address).toBe(second.address);
    expect([first.startedHere, second.startedHere].sort()).toEqual([false, true]);
    const attributes = await withConnection(first.address, 5_000, connection =>
      connection.operatorService.listSearchAttributes({ namespace: 'default' }),
    );
    expect(Object.keys(attributes.customAttributes ?? {})).toEqual(
      expect.arrayContaining([...SEARCH_ATTRIBUTES]),
    );
    expect((await fetch(first.webUi)).status).toBe(200);
    expect(serverRecord()).toMatchObject({
      address: first.address,
      webUi: first.webUi,
      version: first.version,
    });
  });

  test('server: killed with SIGKILL → started again on the same port and database', async () => {
    const server = await start();
    await startRun(clientOf(server), 'before-the-crash', 'some-queue');
    const { pid } = serverRecord();
    process.kill(pid, 'SIGKILL');
    await until(
      'another server process',
      () => readStack(home).server !== undefined && serverRecord().pid !== pid,
    );
    const again = await start();
    expect(again.address).toBe(server.address);
    const { status } = await clientOf(again).workflow.getHandle('before-the-crash').describe();
    expect(status.name).toBe('RUNNING');
  });

  test('server: server and keeper killed → the next start takes over the database', async () => {
    const server = await start();
    await startRun(clientOf(server), 'before-the-crash', 'some-queue');
    const { pid, keeper } = serverRecord();
    process.kill(keeper.pid, 'SIGKILL');
    process.kill(pid, 'SIGKILL');
    await until('both dead', () => identify(pid) === undefined && identify(keeper.pid) === undefined);
    const again = await start();
    expect(again.startedHere).toBe(true);
    const { status } = await clientOf(again).workflow.getHandle('before-the-crash').describe();
    expect(status.name).toBe('RUNNING');
  });

  test('server: only the keeper killed → the next start keeps the server and watches it again', async () => {
    const server = await start();
    const { pid, keeper } = serverRecord();
    process.kill(keeper.pid, 'SIGKILL');
    await until('keeper dead', () => !isAlive(keeper));
    const again = await start();
    expect(serverRecord().pid).toBe(pid);
    expect(isAlive(serverRecord().keeper)).toBe(true);
    expect(again.webUi).toBe(server.webUi);
    expect((await fetch(again.webUi)).status).toBe(200);
  });

  test('server: stack.json names a process number that somebody else has now → it is left alone', async () => {
    const stranger = await otherProcess(`console.log('up'); setInterval(() => {}, 1000);`);
    const id = { pid: stranger.pid ?? 0, started: 'at another time' };
    const stale = {
      ...id,
      address: '127.0.0.1:1',
      webUi: 'http://127.0.0.1:2',
      version: '1',
      startedAt: '',
      keeper: id,
    };
    writeFileSync(stackPaths(home).stackFile, JSON.stringify(stale));
    writeFileSync(stackPaths(home).serverProcess, JSON.stringify(id));
    expect((await start()).startedHere).toBe(true);
    await stopStack(home);
    expect(identify(id.pid)).toBeDefined();
  });

  test('server: stack.json is lost under a living keeper → no second keeper, the same server (TE8)', async () => {
    await start();
    const before = serverRecord();
    rmSync(stackPaths(home).stackFile);
    await start();
    const after = serverRecord();
    expect([after.pid, after.keeper.pid]).toEqual([before.pid, before.keeper.pid]);
  });

  test('server: the default port is taken → another one, and both answer', async () => {
    // Where somebody has it already, it is taken as well.
    const blocker = createServer().listen(7233, '127.0.0.1');
    await new Promise<void>(resolve => {
      blocker.once('listening', resolve).once('error', () => resolve());
    });
    const server = await start();
    expect(server.address).not.toBe('127.0.0.1:7233');
    expect(await isHealthy(server.address)).toBe(true);
    blocker.close();
  });

  test('server: its database is older than the search attributes → they are added', async () => {
    const binary = await temporalBinary(home, report);
    const args = [
      'server',
      'start-dev',
      '--ip',
      '127.0.0.1',
      '--port',
      '17391',
      '--headless',
      '--db-filename',
    ];
    const old = spawn(binary.path, [...args, stackPaths(home).database], { stdio: 'ignore' });
    await until('old server', () => isHealthy('127.0.0.1:17391'));
    old.kill();
    await once(old, 'exit');
    const server = await start();
    const client = clientOf(server);
    const list = () => client.connection.operatorService.listSearchAttributes({ namespace: 'default' });
    expect(Object.keys((await list()).customAttributes ?? {})).toEqual(
      expect.arrayContaining(['AgentOutcome']),
    );
  });

  test('server: its database is damaged → an error with the end of the log and what to do', async () => {
    writeFileSync(
      stackPaths(home).database,
      'this is not a database at all, but long enough to be read as one',
    );
    await expect(start()).rejects.toThrow(/ended while starting.*server\.log:\n.*(file is not a database)/s);
    expect(readStack(home).server).toBeUndefined();
  });

  test('server: Ctrl-C in the terminal that started it → it stays', async () => {
    const starter = await otherProcess(
      `import { ensureServer } from './src/stack/server.js';
       const options = { report() {}, idleMs: 60000 };
       await ensureServer(${JSON.stringify(home)}, options);
       console.log('up'); setInterval(() => {}, 1000);`,
    );
    process.kill(-(starter.pid ?? 0), 'SIGINT');
    await once(starter, 'exit');
    const { server } = readStack(home);
    expect(await isHealthy(server?.address ?? '')).toBe(true);
  });

  test('server: nobody uses it for the idle time → it ends, and the next start finds earlier runs', async () => {
    const server = await start(400);
    await startRun(clientOf(server), 'earlier', 'some-queue');
    const { pid, keeper } = serverRecord();
    const release = keepLease(home);
    server.release();
    // A lease holds it for several idle times.
    await delay(1_500);
    expect(identify(pid)).toBeDefined();
    release();
    await until('server and keeper ended', () => identify(pid) === undefined && !isAlive(keeper));
    expect(readServerRecord(home)).toBeUndefined();
    const { status } = await clientOf(await start())
      .workflow.getHandle('earlier')
      .describe();
    expect(status.name).toBe('RUNNING');
  });

  test('server: its last client is killed with SIGKILL → it ends as well', async () => {
    const server = await start(400);
    const client = await otherProcess(
      `import { keepLease } from './src/stack/lease.js';
       keepLease(${JSON.stringify(home)}); console.log('up'); setInterval(() => {}, 1000);`,
    );
    server.release();
    const { pid } = serverRecord();
    await delay(1_000);
    expect(identify(pid)).toBeDefined();
    client.kill('SIGKILL');
    await until('server ended', () => identify(pid) === undefined);
  });
});

describe('background workers', () => {
  const IDLE_MS = 600;
  const secret = 'sk-a-very-secret-key';

  function settings(name: string, body = 'await live();'): WorkerSettings {
    const script = join(scripts, `worker-${name}.mjs`);
    writeFileSync(
      script,
      `import { Client } from '@temporalio/client';
       import { env } from './src/shared/env.js';
       import { SteersmanError } from './src/shared/errors.js';
       import { localConnection } from './src/stack/probe.js';
       import { announceWorker, reportWorkerFailure, watchIdle } from './src/stack/worker-side.js';
       const own = { home: env.home(), taskQueue: env.taskQueue() };
       async function live() {
         const client = new Client({ connection: localConnection(env.temporalAddress()) });
         announceWorker(own);
         await watchIdle({ ...own, client, idleMs: ${IDLE_MS} });
         await client.connection.close();
       }
       ${body}`,
    );
    const fingerprint = Buffer.from(name.padEnd(8, '_')).toString('hex');
    return { fingerprint, script, env: { OPENAI_API_KEY: secret } };
  }

  test('worker: same settings → shared; other settings → another worker and queue', async () => {
    const server = await start();
    const a = settings('a');
    const [first, second] = await Promise.all([
      ensureWorker(server, a, { report }),
      ensureWorker(server, a, { report }),
    ]);
    const other = await ensureWorker(server, settings('b'), { report });
    expect(first.taskQueue).toMatch(/^steersman-[0-9a-f]{8}-1$/);
    expect(second.taskQueue).toBe(first.taskQueue);
    expect([first.startedHere, second.startedHere].sort()).toEqual([false, true]);
    expect(other.taskQueue).not.toBe(first.taskQueue);
    expect(readStack(home).workers).toHaveLength(2);
  });

  test('worker: the environment names another Temporal → the worker gets the local one and none of its keys', async () => {
    vi.stubEnv('TEMPORAL_ADDRESS', 'cloud.example:7233');
    vi.stubEnv('TEMPORAL_NAMESPACE', 'production');
    vi.stubEnv('TEMPORAL_API_KEY', 'cloud-key');
    const server = await start();
    const names = ['ADDRESS', 'NAMESPACE', 'API_KEY'].map(name => `TEMPORAL_${name}`);
    const body = `console.log(${JSON.stringify(names)}.map(name => process.env[name] ?? 'unset').join(' ')); await live();`;
    const { logFile } = await ensureWorker(server, settings('env', body), { report });
    vi.unstubAllEnvs();
    expect(readFileSync(logFile, 'utf8')).toBe(`${server.address} default unset\n`);
  });

  test('worker: of another folder than this process works with → it gets no variable that this folder has set', async () => {
    setVariables({ STEERSMAN_TEST_OF_FOLDER: 'a' });
    const server = await start();
    const body = `console.log(process.env.STEERSMAN_TEST_OF_FOLDER ?? 'unset'); await live();`;
    const [own, other] = [settings('own', body), { ...settings('other', body), ofOther: true }];
    const { logFile } = await ensureWorker(server, own, { report });
    const { logFile: otherLog } = await ensureWorker(server, other, { report });
    expect([logFile, otherLog].map(file => readFileSync(file, 'utf8').trim())).toEqual(['a', 'unset']);
  });

  test('worker: it refuses to start → its own message and remedy, and nothing is left on record', async () => {
    const server = await start();
    const refusing = settings(
      'refuse',
      `reportWorkerFailure(own, new SteersmanError('No usable model.', 'Set OPENAI_API_KEY.')); process.exit(2);`,
    );
    const error = await ensureWorker(server, refusing, { report }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ message: 'No usable model.', remedy: 'Set OPENAI_API_KEY.' });
    const crashing = settings('crash', `console.error('out of luck'); process.exit(1);`);
    await expect(ensureWorker(server, crashing, { report })).rejects.toThrow(
      /worker ended while.*out of luck/s,
    );
    const unbuilt = { ...crashing, script: join(scripts, 'no-such-worker.js') };
    const missing = await ensureWorker(server, unbuilt, { report }).catch((caught: unknown) => caught);
    expect(missing).toMatchObject({
      message: expect.stringMatching(/^A part of the build is missing: .*no-such-worker\.js$/),
      remedy: 'Run "npm run build".',
    });
    expect(readStack(home).workers).toEqual([]);
  });

  test('worker: no client and no open run → it ends, then the server; an open run holds both', async () => {
    const server = await start(400);
    const client = clientOf(server);
    const worker = await ensureWorker(server, settings('idle'), { report });
    const run = await startRun(client, 'open', worker.taskQueue);
    worker.release();
    server.release();
    await delay(IDLE_MS * 4);
    expect(readStack(home).workers).toHaveLength(1);
    expect(await stackUse(home)).toEqual({ clients: 0, runs: 1 });
    await run.terminate();
    const { pid } = serverRecord();
    await until('worker ended', () => readStack(home).workers.length === 0);
    await until('server ended', () => identify(pid) === undefined);
  });

  test('worker: killed under an open run → the run is listed, waits, and goes on only by resumeQueue', async () => {
    const server = await start();
    const client = clientOf(server);
    const folder = { folder: '/of/another', named: true };
    const same = { ...settings('left'), folder };
    const worker = await ensureWorker(server, same, { report });
    await startRun(client, 'left-open', worker.taskQueue);
    await until(
      'run listed',
      async () => (await client.workflow.count("ExecutionStatus = 'Running'")).count === 1,
    );
    expect(await leftOpenRuns(client, home)).toEqual([]);
    const [record] = readStack(home).workers;
    process.kill(record?.pid ?? 0, 'SIGKILL');
    await until('worker dead', () => readStack(home).workers.length === 0);

    const next = await ensureWorker(server, same, { report });
    expect(next.taskQueue).not.toBe(worker.taskQueue);
    expect(await leftOpenRuns(client, home)).toMatchObject([
      { workflowId: 'left-open', taskQueue: worker.taskQueue },
    ]);
    expect(folderOfQueue(home, worker.taskQueue)).toEqual(folder);
    await resumeQueue(server, worker.taskQueue, same, { report });
    expect(await leftOpenRuns(client, home)).toEqual([]);
  });

  test('worker: killed under a terminal that supervises it → replaced on its queue, and said; one that dies at once is given up with the remedy (TE2)', async () => {
    const server = await start();
    const same = settings('supervised');
    const { taskQueue } = await ensureWorker(server, same, { report });
    const told: string[] = [];
    const tell = (line: string) => void told.push(line);
    const leave = superviseWorker({ server, taskQueue, settings: same, report: tell });
    const pidOf = () => readStack(home).workers.find(worker => worker.taskQueue === taskQueue)?.pid;
    const first = pidOf();
    process.kill(first ?? 0, 'SIGKILL');
    await until('another worker', () => pidOf() !== undefined && pidOf() !== first);
    expect(told).toEqual(['The worker of this run has died. Another is started and goes on where it was.']);
    settings('supervised', 'process.exit(1);');
    process.kill(pidOf() ?? 0, 'SIGKILL');
    await until('given up', () => told.some(line => line.startsWith('No other worker could be started')));
    expect(told.at(-1)).toContain('npm start -- --resume-open');
    leave();
  });

  test('worker: server and keeper killed and the port taken → it ends instead of polling there, and its runs can be gone on with (TE2)', async () => {
    const server = await start();
    const same = settings('stranded');
    const { taskQueue } = await ensureWorker(server, same, { report });
    await startRun(clientOf(server), 'stranded', taskQueue);
    const { pid, keeper } = serverRecord();
    process.kill(keeper.pid, 'SIGKILL');
    process.kill(pid, 'SIGKILL');
    await until('server ended', () => identify(pid) === undefined);
    const port = Number(server.address.split(':')[1]);
    // A killed server's last threads hold its port a moment longer than its process number lives.
    const squatters: Server[] = [];
    await until('the port is free', async () => {
      squatters.push(...(await listening(port)));
      return squatters.length > 0;
    });
    const moved = await start();
    expect(moved.address).not.toBe(server.address);
    await until('the old worker ended', () => readStack(home).workers.length === 0);
    const client = clientOf(moved);
    await until('the run is listed', async () => (await leftOpenRuns(client, home)).length === 1);
    await resumeQueue(moved, taskQueue, same, { report });
    expect(await leftOpenRuns(client, home)).toEqual([]);
    for (const squatter of squatters) squatter.close();
  });

  test('stop: server, keeper and workers end at once, and no file holds a key', async () => {
    const server = await start();
    await ensureWorker(server, settings('stop'), { report });
    const { workers } = readStack(home);
    const { pid, keeper } = serverRecord();
    const files = readdirSync(home, { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => textOf(join(entry.parentPath, entry.name)));
    expect(files.filter(text => text.includes(secret))).toEqual([]);

    expect(await stopStack(home, report)).toBe(true);
    for (const process of [...workers, keeper]) expect(isAlive(process)).toBe(false);
    expect(identify(pid)).toBeUndefined();
    expect(lines).toEqual(expect.arrayContaining(['Ending 1 worker …']));
    expect(await stopStack(home)).toBe(false);
  });
});
