/** `doctor` as a process, against set-ups that are really broken; and the health check of the worker image. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Finding } from '../../packages/cli/doctor/finding.js';
import { temporalBinary } from '../../packages/stack/download/temporal-fetch.js';
import { ensureServer, stopStack } from '../../packages/stack/local-stack.js';
import { resolveHome } from '../../src/shared/local/home.js';
import { type ScriptedModel, startScriptedModel } from '../support/endpoint/model.js';
import { fakeMcp } from '../support/fake-mcp-server.js';
import { makeProject, projectRoot, type TestProject } from '../support/project.js';
import { quietTemporal } from '../support/quiet.js';
import { until } from '../support/wait.js';

const KEY = 'sk-right-key-000000';
const QUEUE = 'doctor-test';
const NOBODY = '127.0.0.1:9';

let temporal: TestWorkflowEnvironment;
let binary: string;
let model: ScriptedModel;
let project: TestProject;
let home: string;

/** A server whose namespace has none of our search attributes. */
beforeAll(async () => {
  quietTemporal();
  binary = (await temporalBinary(resolveHome(), line => console.error(line))).path;
  temporal = await TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: 'existing-path', path: binary },
      log: { format: 'pretty', level: 'never' },
    },
  });
  model = await startScriptedModel({
    reply: () => ({ text: 'Hello.' }),
    models: ['gpt-5-mini'],
    apiKey: KEY,
  });
  project = makeProject();
  home = mkdtempSync(join(tmpdir(), 'steersman-doctor-home-'));
});

afterAll(async () => {
  await temporal?.teardown();
  await model?.close();
  for (const dir of [project?.dir, home]) if (dir) rmSync(dir, { recursive: true, force: true });
});

interface Report {
  findings: Finding[];
  /** The first finding of a check. */
  of(check: string): Finding | undefined;
  exitCode: number;
  /** All that was printed. */
  output: string;
}

/** Everything right, but for what `env` and `args` change; an empty value unsets. */
function environment(env: Record<string, string> = {}): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    TEMPORAL_CLI_PATH: binary,
    TEMPORAL_ADDRESS: temporal.address,
    STEERSMAN_HOME: home,
    STEERSMAN_TASK_QUEUE: QUEUE,
    OPENAI_API_KEY: KEY,
    OPENAI_BASE_URL: model.baseUrl,
    ...env,
  };
}

async function doctor(env: Record<string, string> = {}, ...args: string[]): Promise<Report> {
  const { configDir, workspace } = project;
  const wanted = args.includes('--config') ? [] : ['--config', configDir];
  const child = run('client.js', env, 'doctor', '--json', '--workspace', workspace, ...wanted, ...args);
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number]>,
  ]);
  const lines = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));
  const findings: Finding[] = lines.filter(({ type }) => type === 'finding');
  expect(lines.at(-1)?.type).toBe('summary');
  return {
    findings,
    of: check => findings.find(finding => finding.check === check),
    exitCode,
    output: stdout + stderr,
  };
}

type Program = ChildProcessByStdio<null, Readable, Readable>;

function run(script: string, env: Record<string, string>, ...args: string[]): Program {
  return spawn(process.execPath, [join(projectRoot, 'dist', script), ...args], {
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

describe('with a worker', () => {
  let worker: Program;
  let said = '';

  beforeAll(async () => {
    worker = run('worker.js', {}, '--config', project.configDir, '--task-queue', QUEUE);
    for (const stream of [worker.stdout, worker.stderr]) stream.on('data', chunk => (said += chunk));
    await until('the worker polls', async () => {
      const { pollers } = await temporal.client.workflowService.describeTaskQueue({
        namespace: 'default',
        taskQueue: { name: QUEUE },
        taskQueueType: 1,
      });
      return pollers?.length;
    });
  });

  afterAll(async () => {
    worker.kill();
    await once(worker, 'close');
  });

  test('search attributes missing → failed and exit 1; --fix registers them, and then all is well', async () => {
    const before = await doctor();
    expect(before.of('search attributes')).toMatchObject({ status: 'failed' });
    expect(before.of('search attributes')?.found).toContain(
      'AgentMode, AgentPhase, AgentWaiting, AgentOutcome',
    );
    expect(before.of('search attributes')?.todo).toContain('doctor --fix');
    expect(before.exitCode).toBe(1);

    const fixed = await doctor({}, '--fix');
    expect(fixed.of('search attributes')).toMatchObject({ status: 'ok' });
    expect(fixed.findings.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(fixed.exitCode).toBe(0);

    const { customAttributes } = await temporal.connection.operatorService.listSearchAttributes({
      namespace: 'default',
    });
    expect(customAttributes).toMatchObject({ AgentMode: 2, AgentPhase: 2, AgentOutcome: 2 });
    const after = await doctor();
    expect(after.of('search attributes')?.found).toBe('AgentMode, AgentPhase, AgentWaiting, AgentOutcome');
    expect(after.of('worker')?.found).toContain(`${worker.pid}@${hostname()}`);
  });

  test('conversations → where they are kept; a database that does not answer → failed, and its password is not said', async () => {
    const folder = await doctor();
    expect(folder.of('conversations')).toMatchObject({
      status: 'ok',
      found: `kept in ${join(home, 'store')}`,
    });
    const away = await doctor({ DATABASE_URL: `postgresql://me:pass-of-mine@${NOBODY}/kept` });
    expect(away.of('conversations')).toMatchObject({
      status: 'failed',
      todo: expect.stringContaining('DATABASE_URL'),
    });
    expect([away.exitCode, away.output.includes('pass-of-mine')]).toEqual([1, false]);
  });

  test('health check: the worker of this host polls → 0; nobody serves the queue, no server, or its store does not work → 1 (OP3)', async () => {
    const check = async (env: Record<string, string>, ...args: string[]) => {
      const child = run('packages/cli/doctor/worker-health.js', env, ...args);
      const [output, [code]] = await Promise.all([
        text(child.stdout),
        once(child, 'close') as Promise<[number]>,
      ]);
      return { output, code };
    };
    expect(await check({})).toEqual({ output: 'ok\n', code: 0 });
    expect(await check({ STEERSMAN_TASK_QUEUE: 'no-such-queue' })).toMatchObject({
      output: expect.stringContaining('no-such-queue'),
      code: 1,
    });
    expect(await check({ TEMPORAL_ADDRESS: '' })).toMatchObject({ code: 1 });
    expect(await check({}, String(worker.pid))).toMatchObject({ code: 0 });
    expect(await check({}, String(process.pid))).toMatchObject({
      output: expect.stringContaining(`No worker ${process.pid} of`),
      code: 1,
    });
    const file = join(home, 'file');
    writeFileSync(file, '');
    // The store that the configuration names, and no other (OP3).
    expect(await check({ DATABASE_URL: `postgresql://me:pass-of-mine@${NOBODY}/kept` })).toMatchObject({
      output: expect.stringMatching(/DATABASE_URL(?!.*pass-of-mine)/),
      code: 1,
    });
    const elsewhere = mkdtempSync(join(home, 'config-'));
    writeFileSync(join(elsewhere, 'steersman.yaml'), 'store: { kind: postgres, urlVariable: MY_STORE }\n');
    expect(await check({}, '--config', elsewhere)).toMatchObject({
      output: expect.stringContaining('MY_STORE'),
      code: 1,
    });
    expect(await check({ STEERSMAN_HOME: file })).toMatchObject({
      output: expect.stringContaining(`${file}/store/texts cannot be written`),
      code: 1,
    });
    worker.kill('SIGSTOP');
    try {
      expect(await check({})).toMatchObject({ output: expect.stringContaining('is stopped'), code: 1 });
    } finally {
      worker.kill('SIGCONT');
    }
  });

  test('configuration: two hosts that have the same → the same digest, and the worker says it too', async () => {
    const { of } = await doctor();
    const [digest] = /^[0-9a-f]{8}(?=, the same on every host)/.exec(of('configuration')?.found ?? '') ?? [];
    await until('the worker says it too', () => said.includes(`, configuration ${digest}.`));
    const same = join(home, 'copied');
    cpSync(project.configDir, same, { recursive: true });
    expect((await doctor({}, '--config', same)).of('configuration')?.found).toBe(of('configuration')?.found);
    mkdirSync(join(same, 'tools'), { recursive: true });
    writeFileSync(join(same, 'tools', 'a.mjs'), '//');
    expect((await doctor({}, '--config', same)).of('configuration')?.found).not.toContain(digest);
  });
});

describe('broken set-ups', () => {
  test('K3 key is wrong → the model fails, once, names OPENAI_API_KEY and shows no key', async () => {
    const { of, exitCode, output } = await doctor({ OPENAI_API_KEY: 'sk-wrong-key-111111' });
    expect(of('model')).toMatchObject({ status: 'failed' });
    expect(of('model')?.found).toMatch(/401.*OPENAI_API_KEY/s);
    expect(of('endpoint')).toBeUndefined();
    expect(output).not.toContain('sk-wrong-key-111111');
    expect(exitCode).toBe(1);
  });

  test('M1 model is unknown → failed with the names that the endpoint lists', async () => {
    const config = makeProject({ config: { 'steersman.yaml': 'models:\n  default: openai/gpt-9\n' } });
    const { of } = await doctor({}, '--config', config.configDir);
    expect(of('model')).toMatchObject({ status: 'failed' });
    expect(of('model')?.found).toContain('gpt-9');
    expect(of('model')?.todo).toContain('gpt-5-mini');
    rmSync(config.dir, { recursive: true });
  });

  test('no server → Temporal fails, what needs it is skipped, the rest is looked at', async () => {
    const { findings, exitCode } = await doctor({ TEMPORAL_ADDRESS: NOBODY });
    const status = Object.fromEntries(findings.map(finding => [finding.check, finding.status]));
    expect(status).toMatchObject({
      Temporal: 'failed',
      namespace: 'skipped',
      'search attributes': 'skipped',
      worker: 'skipped',
      model: 'ok',
      tools: 'ok',
    });
    expect(exitCode).toBe(1);
  });

  test('worker: its namespace does not exist → it says so and ends, with nothing left running (TE3)', async () => {
    const worker = run('worker.js', { TEMPORAL_NAMESPACE: 'nowhere' }, '--config', project.configDir);
    const [stderr, [exitCode]] = await Promise.all([text(worker.stderr), once(worker, 'close')]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/nowhere/);
  });

  test('namespace does not exist → failed with the command that makes it', async () => {
    const { of } = await doctor({ TEMPORAL_NAMESPACE: 'nowhere' });
    expect(of('namespace')).toMatchObject({ status: 'failed' });
    expect(of('namespace')?.todo).toContain('--namespace nowhere');
    expect(of('search attributes')?.status).toBe('skipped');
  });

  test('nobody serves the queue → the worker fails', async () => {
    const { of, exitCode } = await doctor({}, '--task-queue', 'deserted');
    expect(of('worker')).toMatchObject({ status: 'failed' });
    expect(of('worker')?.found).toContain('deserted');
    expect(exitCode).toBe(1);
  });

  test('steersman.yaml and .mcp.json are both wrong → each with its line, what needs them is skipped', async () => {
    const config = makeProject({ config: { 'steersman.yaml': 'models: [', '.mcp.json': '{' } });
    const { of, findings } = await doctor({ TEMPORAL_ADDRESS: '' }, '--config', config.configDir);
    expect(of('steersman.yaml')).toMatchObject({ status: 'failed' });
    expect(of('steersman.yaml')?.found).toMatch(/steersman\.yaml:\d+/);
    expect(of('.mcp.json')).toMatchObject({ status: 'failed' });
    const skipped = findings.filter(({ status }) => status === 'skipped').map(({ check }) => check);
    expect(skipped).toEqual(['prompts', 'workspace', 'model', 'tools', 'conversations']);
    rmSync(config.dir, { recursive: true });
  });

  test('T1 one tool server does not start, one lacks a variable → each fails, the third shows its tools', async () => {
    const fake = fakeMcp();
    const mcpServers = {
      broken: { command: process.execPath, args: ['-e', 'console.error("no licence"); process.exit(3)'] },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the file's own placeholder.
      unset: { command: 'node', env: { TOKEN: '${DOCTOR_TEST_TOKEN}' } },
      fake: fake.stdioEntry(),
    };
    const config = makeProject({ config: { '.mcp.json': JSON.stringify({ mcpServers }) } });
    const { findings, exitCode } = await doctor({ TEMPORAL_ADDRESS: '' }, '--config', config.configDir);
    const [broken, unset, started] = findings.filter(({ check }) => check === 'tools');
    expect(broken).toMatchObject({ status: 'failed' });
    expect(broken?.found).toContain('no licence');
    expect(unset).toMatchObject({ status: 'failed' });
    expect(unset?.found).toContain('DOCTOR_TEST_TOKEN');
    expect(started).toMatchObject({ status: 'ok' });
    expect(started?.found).toMatch(/^fake: \d+ tools; read-only: .*; with effects: .*append/);
    expect(exitCode).toBe(1);
    fake.remove();
    rmSync(config.dir, { recursive: true });
  });
});

describe('local stack', () => {
  test('no key and no endpoint → a warning that names the demo model; elsewhere a failure', async () => {
    const without = { OPENAI_API_KEY: '', OPENAI_BASE_URL: '' };
    const local = await doctor({ ...without, TEMPORAL_ADDRESS: '' });
    expect(local.of('model')).toMatchObject({ status: 'warning' });
    expect(local.of('model')?.found).toContain('demo');
    expect(local.exitCode).toBe(0);
    // The same where the file names no model, as the shipped one: a misspelt key is not "Ready" without a word.
    const bare = mkdtempSync(join(tmpdir(), 'steersman-doctor-bare-'));
    writeFileSync(join(bare, '.env'), 'OPENAI_KEY=sk-1\n');
    const misspelt = await doctor({ ...without, TEMPORAL_ADDRESS: '' }, '--config', bare);
    expect(misspelt.of('model')).toMatchObject({ status: 'warning' });
    expect(misspelt.of('model')?.found).toMatch(/demo model .*\.env sets OPENAI_KEY\.$/);
    const elsewhere = await doctor({ ...without, TEMPORAL_ADDRESS: NOBODY });
    expect(elsewhere.of('model')).toMatchObject({ status: 'failed' });
    expect(elsewhere.of('model')?.found).toContain('OPENAI_API_KEY');
  });

  test('not running → says which binary would serve, and starts nothing', async () => {
    const { of, exitCode } = await doctor({ TEMPORAL_ADDRESS: '' });
    expect(of('Temporal')).toMatchObject({ status: 'ok' });
    expect(of('Temporal')?.found).toContain(binary);
    expect(existsSync(join(home, 'stack.json'))).toBe(false);
    expect(exitCode).toBe(0);
  });

  test('TEMPORAL_CLI_PATH names no file → failed, and nothing is fetched instead', async () => {
    const { of } = await doctor({ TEMPORAL_ADDRESS: '', TEMPORAL_CLI_PATH: '/no/such/temporal' });
    expect(of('Temporal')).toMatchObject({ status: 'failed' });
    expect(of('Temporal')?.found).toContain('/no/such/temporal');
  });

  test('running → its server is asked; no worker is needed, since a run starts its own', async () => {
    const own = mkdtempSync(join(tmpdir(), 'steersman-doctor-stack-'));
    process.env.TEMPORAL_CLI_PATH = binary;
    const server = await ensureServer(own, { report: () => undefined });
    try {
      const { of, exitCode } = await doctor({ TEMPORAL_ADDRESS: '', STEERSMAN_HOME: own });
      expect(of('Temporal')?.found).toContain(server.address);
      expect(of('search attributes')).toMatchObject({ status: 'ok' });
      expect(of('worker')).toMatchObject({ status: 'ok' });
      expect(exitCode).toBe(0);
    } finally {
      server.release();
      await stopStack(own);
      rmSync(own, { recursive: true, force: true });
    }
  });
});
