import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { temporalBinary } from '../../packages/stack/download/temporal-fetch.js';
import { ensureServer, type LocalStack, stackState, stopStack } from '../../packages/stack/local-stack.js';
import { SEARCH_ATTRIBUTES } from '../../src/rules/steering/search-attributes.js';
import { stackPaths } from '../../src/shared/local/home.js';
import { leftOpenRuns, servedRuns } from '../../src/shared/local/open-runs.js';
import { dial } from '../../src/shared/local/owner-socket.js';
import { isHealthy, localConnection, withConnection } from '../../src/shared/local/probe.js';
import type { WorkerSettings } from '../../src/shared/local/protocol.js';
import { folderOfQueue } from '../../src/shared/local/queues.js';
import { setVariables } from '../../src/shared/process/env.js';
import { projectRoot } from '../../src/shared/process/package.js';
import { lookAt } from '../../src/worker/identity.js';

vi.setConfig({ hookTimeout: 400_000 });

/** Where scripts of this test stand: they find packages from there, and the build below `src`. */
const scripts = join(projectRoot, 'node_modules', '.cache', 'steersman-stack-test');
const lines: string[] = [];
const report = (line: string) => void lines.push(line);
const clients: Client[] = [];
const stacks: LocalStack[] = [];
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
  for (const stack of stacks.splice(0)) stack.release();
  await stopStack(home);
  rmSync(home, { recursive: true, force: true });
});

async function start(idleMs = 60_000): Promise<LocalStack> {
  const stack = await ensureServer(home, { report, idleMs });
  stacks.push(stack);
  return stack;
}

function clientOf(server: LocalStack): Client {
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

/** Process numbers of all that runs; none twice, and the owner's first. */
async function processes(): Promise<{ owner: number; server: number; workers: number[] }> {
  const state = await stackState(home);
  if (!state?.server) throw new Error('no stack');
  return { owner: state.pid, server: state.server.pid, workers: state.workers.map(({ pid }) => pid) };
}

const isGone = (pid: number) => lookAt(pid) === undefined;

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

test('WB15 a home that others may read, with a database of before → what the server writes is for this user alone', async () => {
  chmodSync(home, 0o755);
  await start();
  await stopStack(home);
  const { database } = stackPaths(home);
  const modes = () =>
    [database, `${database}-wal`, `${database}-shm`]
      .filter(path => existsSync(path))
      .map(path => statSync(path).mode & 0o777);
  expect(new Set(modes())).toEqual(new Set([0o600]));
  chmodSync(database, 0o644);
  await start();
  expect(new Set(modes())).toEqual(new Set([0o600]));
});

describe('what a web page can do at the server', () => {
  const EVIL = 'https://evil.example';
  const NAMESPACES = '/api/v1/namespaces';
  const SIGNAL = '/api/v1/namespaces/default/workflows/w/signal/answer';

  test('page: it posts to any port of the server, or makes a name of its own point there → nothing is done or told (TR13)', async () => {
    await start();
    const simple = { 'content-type': 'text/plain', origin: EVIL, 'sec-fetch-site': 'cross-site' };
    const ports = portsOf((await processes()).server);
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
    // The UI has a connection of its own to the server, some moments later than this one.
    await until(
      'the UI has its server',
      async () => (await statusOf(`${webUi}${NAMESPACES}`, { host })) === 200,
    );
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
    expect((await stackState(home))?.server).toMatchObject({ address: first.address, webUi: first.webUi });
  });

  test('server: killed with SIGKILL → started again on the same port and database', async () => {
    const stack = await start();
    await startRun(clientOf(stack), 'before-the-crash', 'some-queue');
    const { owner, server } = await processes();
    process.kill(server, 'SIGKILL');
    await until('another server', async () => (await processes()).server !== server);
    const again = await start();
    expect(again.address).toBe(stack.address);
    expect((await processes()).owner).toBe(owner);
    const { status } = await clientOf(again).workflow.getHandle('before-the-crash').describe();
    expect(status.name).toBe('RUNNING');
  });

  test('owner: killed with SIGKILL → its server ends too, and the next start has the same database and ports', async () => {
    const stack = await start();
    await startRun(clientOf(stack), 'before-the-crash', 'some-queue');
    const { owner, server } = await processes();
    stack.release();
    process.kill(owner, 'SIGKILL');
    await until('both dead', () => isGone(owner) && isGone(server));
    const again = await start();
    expect(again.startedHere).toBe(true);
    expect([again.address, again.webUi]).toEqual([stack.address, stack.webUi]);
    expect((await fetch(again.webUi)).status).toBe(200);
    const { status } = await clientOf(again).workflow.getHandle('before-the-crash').describe();
    expect(status.name).toBe('RUNNING');
  });

  test('owner: killed with SIGKILL under two terminals → one of them starts another, both use it, and say so', async () => {
    const [one, two] = [await start(), await start()];
    const { owner } = await processes();
    process.kill(owner, 'SIGKILL');
    await until('both are there again', async () => {
      const state = await stackState(home);
      return state?.clients === 2 && state.server !== null;
    });
    expect((await processes()).owner).not.toBe(owner);
    expect([await one.queues(), await two.queues()]).toEqual([[], []]);
    expect(lines.filter(line => line.startsWith('The local stack has died.'))).toHaveLength(2);
    expect(lines.filter(line => line.startsWith('Starting the local'))).not.toHaveLength(0);
  });

  test('owner: ten starts at the same instant after it was killed → one owner', async () => {
    const first = await start();
    const { owner } = await processes();
    first.release();
    process.kill(owner, 'SIGKILL');
    const all = await Promise.all(Array.from({ length: 10 }, () => start()));
    expect(all.filter(({ startedHere }) => startedHere)).toHaveLength(1);
    expect(await stackState(home)).toMatchObject({ clients: 10 });
    expect(readdirSync(home).filter(name => name.endsWith('.sock'))).toHaveLength(1);
  });

  test('owner: it is suspended → who asks is told its process number and how to end it (TE8)', async () => {
    await start();
    const { owner } = await processes();
    process.kill(owner, 'SIGSTOP');
    const asked = stackState(home);
    await expect(asked).rejects.toMatchObject({
      message: `The local stack (process ${owner}) does not answer.`,
      remedy: expect.stringContaining(`kill -9 ${owner}`),
    });
    process.kill(owner, 'SIGCONT');
  });

  test('owner: of another version, which does not understand what is asked → said, and it can be ended', async () => {
    await start();
    const socket = await dial(home);
    if (socket === null) throw new Error('no owner');
    socket.write(`${JSON.stringify({ protocol: 0, ask: 'server' })}\n`);
    const [answer] = await once(socket, 'data');
    expect(JSON.parse(String(answer))).toMatchObject({
      failure: { remedy: expect.stringMatching(/--stop/) },
    });
    socket.destroy();
    expect(await stopStack(home)).toBe(true);
  });

  test('owner: a folder whose path is longer than that of a socket may be → the same', async () => {
    home = join(home, 'a'.repeat(60), 'b'.repeat(60));
    const [first, second] = [await start(), await start()];
    expect([first.startedHere, second.startedHere]).toEqual([true, false]);
    expect(await stopStack(home)).toBe(true);
  });

  test('owner: its note names a process number that somebody else has now → that is left alone', async () => {
    const stranger = await otherProcess(`console.log('up'); setInterval(() => {}, 1000);`);
    writeFileSync(stackPaths(home).stackFile, JSON.stringify({ pid: stranger.pid, address: '127.0.0.1:1' }));
    expect((await start()).startedHere).toBe(true);
    await stopStack(home);
    expect(isGone(stranger.pid ?? 0)).toBe(false);
  });

  test('server: the port that it would take is taken → another one, and both answer', async () => {
    const blocker = createServer();
    await once(blocker.listen(0, '127.0.0.1'), 'listening');
    const { port } = blocker.address() as AddressInfo;
    vi.stubEnv('STEERSMAN_PORT', String(port));
    try {
      const server = await start();
      expect(server.address).not.toBe(`127.0.0.1:${port}`);
      expect(await isHealthy(server.address)).toBe(true);
    } finally {
      vi.unstubAllEnvs();
      blocker.close();
    }
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
    expect(await stackState(home)).toBeNull();
  });

  test('server: Ctrl-C in the terminal that started it → it stays', async () => {
    const starter = await otherProcess(
      `import { ensureServer } from './src/packages/stack/local-stack.js';
       const options = { report() {}, idleMs: 60000 };
       await ensureServer(${JSON.stringify(home)}, options);
       console.log('up'); setInterval(() => {}, 1000);`,
    );
    process.kill(-(starter.pid ?? 0), 'SIGINT');
    await once(starter, 'exit');
    const state = await stackState(home);
    expect(await isHealthy(state?.server?.address ?? '')).toBe(true);
  });

  test('server: nobody uses it for the idle time → it ends, and the next start finds earlier runs', async () => {
    const stack = await start(400);
    const second = await start();
    await startRun(clientOf(stack), 'earlier', 'some-queue');
    const { owner, server } = await processes();
    stack.release();
    // Who uses it holds it for several idle times.
    await delay(1_500);
    expect(isGone(server)).toBe(false);
    second.release();
    await until('server and owner ended', () => isGone(server) && isGone(owner));
    expect(await stackState(home)).toBeNull();
    const { status } = await clientOf(await start())
      .workflow.getHandle('earlier')
      .describe();
    expect(status.name).toBe('RUNNING');
  });

  test('server: its last client is killed with SIGKILL → it ends as well', async () => {
    const stack = await start(400);
    const client = await otherProcess(
      `import { ensureServer } from './src/packages/stack/local-stack.js';
       await ensureServer(${JSON.stringify(home)}, { report() {} });
       console.log('up'); setInterval(() => {}, 1000);`,
    );
    stack.release();
    const { server } = await processes();
    await delay(1_000);
    expect(isGone(server)).toBe(false);
    client.kill('SIGKILL');
    await until('server ended', () => isGone(server));
  });
});

describe('background workers', () => {
  const secret = 'sk-a-very-secret-key';

  function settings(name: string, body = 'await live();'): WorkerSettings {
    const script = join(scripts, `worker-${name}.mjs`);
    writeFileSync(
      script,
      `import { SteersmanError } from './src/shared/process/errors.js';
       import { announceWorker, reportWorkerFailure, whenOwnerIsGone } from './src/shared/local/protocol.js';
       async function live() {
         whenOwnerIsGone(() => process.exit());
         announceWorker();
         // As its polls keep a real one.
         setInterval(() => {}, 1000);
       }
       ${body}`,
    );
    const fingerprint = Buffer.from(name.padEnd(8, '_')).toString('hex');
    return { fingerprint, script };
  }

  test('worker: same settings → shared; other settings → another worker and queue', async () => {
    const server = await start();
    const a = settings('a');
    const [first, second] = await Promise.all([server.worker(a), (await start()).worker(a)]);
    const other = await server.worker(settings('b'));
    expect(first.taskQueue).toMatch(/^steersman-[0-9a-f]{8}-\d+$/);
    expect(second.taskQueue).toBe(first.taskQueue);
    expect([first.startedHere, second.startedHere].sort()).toEqual([false, true]);
    expect(other.taskQueue).not.toBe(first.taskQueue);
    expect(await server.queues()).toHaveLength(2);
  });

  test('worker: the environment names another Temporal → the worker gets the local one and none of its keys', async () => {
    vi.stubEnv('TEMPORAL_ADDRESS', 'cloud.example:7233');
    vi.stubEnv('TEMPORAL_NAMESPACE', 'production');
    vi.stubEnv('TEMPORAL_API_KEY', 'cloud-key');
    const server = await start();
    const names = ['ADDRESS', 'NAMESPACE', 'API_KEY'].map(name => `TEMPORAL_${name}`);
    const body = `console.log(${JSON.stringify(names)}.map(name => process.env[name] ?? 'unset').join(' ')); await live();`;
    const { logFile } = await server.worker(settings('env', body));
    vi.unstubAllEnvs();
    expect(readFileSync(logFile, 'utf8')).toBe(`${server.address} default unset\n`);
  });

  test('worker: of another folder than this process works with → it gets no variable that this folder has set', async () => {
    setVariables({ STEERSMAN_TEST_OF_FOLDER: 'a' });
    const server = await start();
    const body = `console.log(process.env.STEERSMAN_TEST_OF_FOLDER ?? 'unset'); await live();`;
    const [own, other] = [settings('own', body), { ...settings('other', body), ofOther: true }];
    const { logFile } = await server.worker(own);
    const { logFile: otherLog } = await server.worker(other);
    expect([logFile, otherLog].map(file => readFileSync(file, 'utf8').trim())).toEqual(['a', 'unset']);
  });

  test('worker: it refuses to start → its own message and remedy, and nothing is left on record', async () => {
    const server = await start();
    const refusing = settings(
      'refuse',
      `reportWorkerFailure(new SteersmanError('No usable model.', 'Set OPENAI_API_KEY.')); process.exit(2);`,
    );
    const error = await server.worker(refusing).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ message: 'No usable model.', remedy: 'Set OPENAI_API_KEY.' });
    const crashing = settings('crash', `console.error('out of luck'); process.exit(1);`);
    await expect(server.worker(crashing)).rejects.toThrow(/worker ended while.*out of luck/s);
    const unbuilt = { ...crashing, script: join(scripts, 'no-such-worker.js') };
    const missing = await server.worker(unbuilt).catch((caught: unknown) => caught);
    expect(missing).toMatchObject({
      message: expect.stringMatching(/^A part of the build is missing: .*no-such-worker\.js$/),
      remedy: 'Run "npm run build".',
    });
    expect(await server.queues()).toEqual([]);
  });

  test('worker: no client and no open run → it ends, then the server; an open run holds both', async () => {
    const stack = await start(400);
    const client = clientOf(stack);
    const worker = await stack.worker(settings('idle'));
    const run = await startRun(client, 'open', worker.taskQueue);
    await until('run listed', async () => (await servedRuns(client, [worker.taskQueue])) === 1);
    stack.release();
    await delay(2_000);
    expect(await stackState(home)).toMatchObject({ clients: 0, workers: [{ taskQueue: worker.taskQueue }] });
    const { server, workers } = await processes();
    await run.terminate();
    await until('worker ended', () => workers.every(isGone));
    await until('server ended', () => isGone(server));
  });

  test('worker: killed under an open run that no terminal is at → the run is listed, waits, and goes on only when asked', async () => {
    const stack = await start();
    const client = clientOf(stack);
    const folder = { folder: '/of/another', named: true };
    const same = { ...settings('left'), folder };
    const terminal = await start();
    const worker = await terminal.worker(same);
    await startRun(client, 'left-open', worker.taskQueue);
    await until(
      'run listed',
      async () => (await client.workflow.count("ExecutionStatus = 'Running'")).count === 1,
    );
    expect(await leftOpenRuns(client, await stack.queues())).toEqual([]);
    terminal.release();
    await until('nobody holds it', async () => (await stack.state()).workers[0]?.clients === 0);
    process.kill((await processes()).workers[0] ?? 0, 'SIGKILL');
    await until('worker dead', async () => (await stack.queues()).length === 0);

    const next = await stack.worker(same);
    expect(next.taskQueue).not.toBe(worker.taskQueue);
    expect(await leftOpenRuns(client, await stack.queues())).toMatchObject([
      { workflowId: 'left-open', taskQueue: worker.taskQueue },
    ]);
    expect(folderOfQueue(home, worker.taskQueue)).toEqual(folder);
    await stack.worker(same, worker.taskQueue);
    expect(await leftOpenRuns(client, await stack.queues())).toEqual([]);
  });

  test('worker: killed under a terminal → replaced on its queue, and said; one that dies at once is given up with the remedy (TE2)', async () => {
    const stack = await start();
    const same = settings('supervised');
    const { taskQueue } = await stack.worker(same);
    const pidOf = async () =>
      (await stack.state()).workers.find(worker => worker.taskQueue === taskQueue)?.pid;
    const first = await pidOf();
    lines.length = 0;
    process.kill(first ?? 0, 'SIGKILL');
    await until('another worker', async () => ![undefined, first].includes(await pidOf()));
    expect(lines).toEqual(['The worker of this run has died. Another is started and goes on where it was.']);
    settings('supervised', 'process.exit(1);');
    process.kill((await pidOf()) ?? 0, 'SIGKILL');
    await until('given up', () => lines.some(line => line.startsWith('No other worker could be started')));
    expect(lines.at(-1)).toContain('npm start -- --resume-open');
  });

  test('worker: the owner is killed under a terminal → server and worker end; another stack has the worker on its queue, and it is said', async () => {
    const stack = await start();
    const { taskQueue } = await stack.worker(settings('orphan'));
    const { owner, server, workers } = await processes();
    process.kill(owner, 'SIGKILL');
    await until('all dead', () => [server, ...workers].every(isGone));
    await until(
      'its queue is served',
      async () => (await stackState(home))?.workers[0]?.taskQueue === taskQueue,
    );
    await until('said', () => lines.some(line => line.startsWith('The local stack has died.')));
  });

  test('worker: the owner killed and its port taken → the worker ends instead of polling there, and its runs can be gone on with (TE2)', async () => {
    const stack = await start();
    const same = settings('stranded');
    const { taskQueue } = await stack.worker(same);
    await startRun(clientOf(stack), 'stranded', taskQueue);
    const { owner, server, workers } = await processes();
    stack.release();
    process.kill(owner, 'SIGKILL');
    await until('all ended', () => [server, ...workers].every(isGone));
    const port = Number(stack.address.split(':')[1]);
    // A killed server's last threads hold its port a moment longer than its process number lives.
    const squatters: Server[] = [];
    await until('the port is free', async () => {
      squatters.push(...(await listening(port)));
      return squatters.length > 0;
    });
    const moved = await start();
    expect(moved.address).not.toBe(stack.address);
    const client = clientOf(moved);
    const leftOpen = async () => leftOpenRuns(client, await moved.queues());
    await until('the run is listed', async () => (await leftOpen()).length === 1);
    await moved.worker(same, taskQueue);
    expect(await leftOpen()).toEqual([]);
    for (const squatter of squatters) squatter.close();
  });

  test('stop: server, owner and workers end at once, no terminal starts them again, and no file holds a key', async () => {
    vi.stubEnv('OPENAI_API_KEY', secret);
    const stack = await start();
    const body = `if (process.env.OPENAI_API_KEY !== '${secret}') process.exit(1); await live();`;
    await stack.worker(settings('stop', body));
    vi.unstubAllEnvs();
    const { owner, server, workers } = await processes();
    const files = readdirSync(home, { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => textOf(join(entry.parentPath, entry.name)));
    expect(files.filter(text => text.includes(secret))).toEqual([]);

    expect(await stopStack(home, report)).toBe(true);
    for (const pid of [...workers, server, owner]) expect(isGone(pid)).toBe(true);
    expect(lines).toEqual(expect.arrayContaining(['Ending 1 worker …']));
    expect(lines.some(line => line.startsWith('The local stack is ended by another command.'))).toBe(true);
    expect(await stopStack(home)).toBe(false);
  });
});
