/** Hooks that are addresses, and accounts of runs: on a real server, over real HTTP, through workers that are killed. */
import { createHmac } from 'node:crypto';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openFolder } from '../../packages/store/folder.js';
import { startCommand } from '../support/command-line.js';
import { onStage } from '../support/fault-stage.js';
import { killWorkers } from '../support/processes.js';
import { type Rig, sharedTemporal, startRig } from '../support/rig.js';
import { eventsOf, journalOf } from '../support/run-views.js';
import { settingsYaml } from '../support/steering.js';
import { until } from '../support/wait.js';

const SECRET = 'whsec-0123456789abcdef';

interface Asked {
  headers: IncomingHttpHeaders;
  body: string;
}
const asked: Asked[] = [];
let answer: (index: number) => { status: number; body?: string; location?: string };
const server = createServer((req, res) => {
  const parts: Buffer[] = [];
  req.on('data', part => parts.push(part));
  req.on('end', () => {
    asked.push({ headers: req.headers, body: Buffer.concat(parts).toString('utf8') });
    const { status, body = '', location } = answer(asked.length - 1);
    res.writeHead(status, location === undefined ? {} : { location });
    res.end(body);
  });
});

let rig: Rig;
beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  process.env.TURN_HOOK_SECRET = SECRET;
  const { port } = server.address() as AddressInfo;
  const hooks = ['hooks:', '  onTurnEnd:', `    url: http://127.0.0.1:${port}/turn?token=sesame`];
  const credits = [
    'credits:',
    '  account: tenant',
    '  perTurn: 2',
    '  runsAtOnce: 1',
    '  tokensPerDay: 1000000',
    '  secondPool: standard',
    '  goOn: [gil]',
    '  warnBelow: 2',
  ];
  const lines = ['steering: note', ...hooks, '    secretVariable: TURN_HOOK_SECRET', ...credits];
  const env = await sharedTemporal();
  rig = await startRig({
    env,
    config: { 'steersman.yaml': settingsYaml(...lines) },
    workspace: { 'a.txt': 'alpha\n' },
  });
});
afterAll(async () => {
  await rig?.close();
  await rig?.env.teardown();
  await killWorkers();
  server.close();
  delete process.env.TURN_HOOK_SECRET;
});
beforeEach(() => {
  asked.length = 0;
  answer = () => ({ status: 204 });
});

const reads = { toolCalls: [{ name: 'read_text_file', arguments: { path: 'a.txt' } }] };
const says = { text: 'It says alpha.' };
const mode = 'react' as const;
const home = () => join(rig.project.dir, 'home');
const accounts = () => openFolder(join(home(), 'store')).accounts;

test('a hook that is an address: each turn → a POST, signed with the time, with one key a turn; the secret stands nowhere (H1)', async () => {
  rig.play([reads, says]);
  const { handle, result } = await rig.run('Read it.', { mode });
  expect(result.outcome).toBe('answered');
  expect(asked.map(({ body }) => JSON.parse(body))).toMatchObject([
    { hook: 'onTurnEnd', turn: 1, provider: 'openai', runId: handle.workflowId },
    { hook: 'onTurnEnd', turn: 2, goal: 1 },
  ]);
  for (const { headers, body } of asked) {
    const mac = createHmac('sha256', SECRET).update(`${headers['x-steersman-time']}.${body}`);
    expect(headers['x-steersman-signature']).toBe(`sha256=${mac.digest('hex')}`);
    expect(headers['idempotency-key']).toBe(JSON.parse(body).key);
  }
  const history = JSON.stringify(await handle.fetchHistory());
  for (const secret of [SECRET, 'sesame', Buffer.from(SECRET).toString('base64')])
    expect(history).not.toContain(secret);
});

test('a hook that is an address: it answers 503, then that the goal is not to go on → asked again, stopped with its reason (H2)', async () => {
  answer = index =>
    index === 0
      ? { status: 503 }
      : { status: 200, body: '{"continue": false, "reason": "The bill is open."}' };
  rig.play([reads]);
  const { handle, result } = await rig.run('Read it.', { mode });
  expect(result).toMatchObject({ outcome: 'stopped', cause: 'hook_stop' });
  expect(await eventsOf(handle, 'stop_requested')).toMatchObject([{ reason: 'The bill is open.' }]);
  expect(asked).toHaveLength(2);
});

test('a hook that is an address: it redirects → not followed, and the run fails without the query of the address (E4)', async () => {
  answer = () => ({ status: 307, location: 'http://127.0.0.1:9/elsewhere' });
  rig.play([says]);
  const handle = await rig.start('Read it.', { mode });
  await expect(handle.result()).rejects.toThrow();
  const [{ reason = '' } = {}] = (await eventsOf(handle, 'stop_requested')) as { reason?: string }[];
  expect(reason).toMatch(/HTTP 307: it redirects/);
  expect(reason).not.toContain('sesame');
});

test('an account: turns of its runs → charged; empty → it stops before its tools, and the next start calls no model (H2, E7)', async () => {
  await accounts().grant('ann', 'first', 3);
  rig.play([reads, reads, says]);
  const context = { tenant: 'ann' };
  const first = await rig.run('Read it.', { mode, context });
  expect(first.result).toMatchObject({ outcome: 'stopped', cause: 'credits' });
  expect(await accounts().show('ann')).toMatchObject({ balance: -1 });
  const script = rig.play([says]);
  const next = await rig.run('Read it.', { mode, context });
  expect([next.result.cause, script.requests.length]).toEqual(['credits', 0]);
  expect((await rig.run('Read it.', { mode })).result.outcome).toBe('answered');
});

test('an account: its first pool is used up → the second pays, told once before; one that goes on at zero is charged below it (H6)', async () => {
  await accounts().grant('dot', 'first', 1);
  await accounts().grant('dot/standard', 'first', 10);
  await accounts().grant('gil', 'first', 3);
  for (const [tenant, standard] of [
    ['dot', 6],
    ['gil', -2],
  ] as const) {
    rig.play([reads, reads, says]);
    const { handle, result } = await rig.run('Read it.', { mode, context: { tenant } });
    expect(result.outcome).toBe('answered');
    expect(await accounts().show(tenant)).toMatchObject({ balance: -1 });
    expect(await accounts().show(`${tenant}/standard`)).toMatchObject({ balance: standard });
    expect(await eventsOf(handle, 'system_event')).toHaveLength(tenant === 'gil' ? 1 : 0);
  }
});

test('an account: its runs have used their tokens of the day → the turn is the last, and the next start calls no model (H2)', async () => {
  await accounts().grant('eve', 'first', 100);
  await accounts().charge('eve', 'another run', { credits: 0, tokens: 999_999 });
  rig.play([reads, says]);
  const context = { tenant: 'eve' };
  const first = await rig.run('Read it.', { mode, context });
  expect(first.result).toMatchObject({ outcome: 'stopped', cause: 'credits' });
  const [{ reason = '' } = {}] = (await eventsOf(first.handle, 'stop_requested')) as { reason?: string }[];
  expect(reason).toContain('eve has used its 1000000 tokens of the day');
  const script = rig.play([says]);
  const next = await rig.run('Read it.', { mode, context });
  expect([next.result.cause, script.requests.length]).toEqual(['credits', 0]);
});

test('an account: a run of it is at work → another start is refused until that has ended (E7)', async () => {
  const context = { tenant: 'bob' };
  await accounts().grant('bob', 'first', 100);
  rig.play([says, says]);
  const open = await rig.start('Read it.', { mode, context, keepOpenSeconds: 600 });
  await until('its goal ends', async () => (await journalOf(open)).some(({ type }) => type === 'goal_ended'));
  const refused = await rig.start('Read it.', { mode, context });
  await expect(refused.result()).rejects.toMatchObject({
    cause: { message: expect.stringContaining('at work already') },
  });
  await open.signal('finish');
  await open.result();
  expect((await rig.run('Read it.', { mode, context })).result.outcome).toBe('answered');
});

test('an account: a goal fails without an answer → it is given back (E7)', async () => {
  const context = { tenant: 'cay' };
  await accounts().grant('cay', 'first', 10);
  rig.play((_request, index) => (index === 0 ? reads : { error: { status: 401, message: 'Wrong key.' } }));
  await expect((await rig.start('Read it.', { mode, context })).result()).rejects.toThrow();
  expect(await accounts().show('cay')).toMatchObject({ balance: 10 });
});

test('credits: granted, shown and listed on the command line, without Temporal', async () => {
  const env = { STEERSMAN_HOME: home(), TEMPORAL_ADDRESS: '127.0.0.1:9' };
  const call = (...args: string[]) =>
    startCommand('client', ['credits', ...args], { cwd: rig.project.workspace, env }).ended;
  const granted = await call('grant', 'dan', '25', '--key', 'order-1', '--json');
  expect([granted.code, JSON.parse(granted.stdout)]).toMatchObject([0, { id: 'dan', balance: 25 }]);
  await call('grant', 'dan', '25', '--key', 'order-1');
  expect((await call('show', 'dan')).stdout).toMatch(/dan +25/);
  expect((await call('list')).stdout).toMatch(/ann.*\n.*bob/);
  expect(await call('show', 'nobody')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no account nobody'),
  });
});

test.each(['hook.before-charge=kill@2', 'hook.after-charge=kill@2'])(
  'charging: %s → another worker charges it: no turn twice, none left out (E7)',
  async failpoints => {
    await onStage({ client: rig.env.client, address: rig.env.address, failpoints }, async stage => {
      const yaml = join(stage.project.configDir, 'steersman.yaml');
      appendFileSync(yaml, '\ncredits:\n  account: tenant\n  perTurn: 1\n');
      const folder = join(stage.project.dir, 'home', 'store');
      await openFolder(folder).accounts.grant('ann', 'first', 100);
      const kept = stage.keepWorker();
      const echo = [1, 2, 3].map(at => ({ name: 'echo', arguments: { text: `${at}` } }));
      const run = await stage.start('three calls', { calls: echo }, { context: { tenant: 'ann' } });
      const result = await run.result();
      expect([result.outcome, kept.lives]).toEqual(['completed', 2]);
      const turns = (await journalOf(run.handle)).filter(({ type }) => type === 'model_call_ended').length;
      expect(await openFolder(folder).accounts.show('ann')).toMatchObject({ balance: 100 - turns });
      const [name = ''] = readdirSync(join(folder, 'accounts'));
      const lines = readFileSync(join(folder, 'accounts', name), 'utf8')
        .split('\n')
        .filter(Boolean);
      const keys = lines.map(line => JSON.parse(line)).flatMap(({ k, key }) => (k === 'charge' ? [key] : []));
      expect(new Set(keys).size).toBe(turns);
      // What was charged before the kill is in the file once more: the second counts for nothing.
      expect(keys.length).toBe(failpoints.startsWith('hook.after') ? turns + 1 : turns);
    });
  },
);

test.each([
  ['fails for good', async () => undefined],
  ['is tried again, and the run is cancelled meanwhile', (cancel: () => Promise<unknown>) => cancel()],
])(
  'an account: the hook of a turn that is charged %s → one turn is charged (E4, E7)',
  async (_how, meanwhile) => {
    const tenant = `dora ${_how.length}`;
    const left = async () => (await accounts().show(tenant))?.balance;
    await accounts().grant(tenant, 'first', 100);
    answer = () => ({ status: 500 });
    rig.play([says]);
    const handle = await rig.start('Read it.', { mode, context: { tenant } });
    await until('the turn is charged', async () => (await left()) === 98);
    await meanwhile(() => handle.cancel());
    await expect(handle.result()).rejects.toThrow();
    expect(await left()).toBe(98);
  },
);

test('an account: a run is reset and takes its turns anew → those are charged too (E7)', async () => {
  await accounts().grant('rita', 'first', 100);
  rig.play([reads, says]);
  const { handle } = await rig.run('Read it.', { mode, context: { tenant: 'rita' } });
  expect(await accounts().show('rita')).toMatchObject({ balance: 96 });
  const { events } = await handle.fetchHistory();
  const first = events?.find(event => event.workflowTaskCompletedEventAttributes);
  rig.play([reads, reads, says]);
  const { runId } = await rig.env.client.workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId: handle.workflowId, runId: (await handle.describe()).runId },
    workflowTaskFinishEventId: first?.eventId ?? null,
    requestId: 'reset-1',
    reason: 'a test',
  });
  await rig.env.client.workflow.getHandle(handle.workflowId, runId).result();
  expect(await accounts().show('rita')).toMatchObject({ balance: 90 });
});

test('an account: a client says that its run is a part of another → refused, for such a run is charged to its caller (E7)', async () => {
  const handle = await rig.start('Read it.', { mode, context: { tenant: 'ann' }, calledAs: 'search/1' });
  await expect(handle.result()).rejects.toMatchObject({
    cause: { message: expect.stringContaining('`settings.calledAs`') },
  });
});

test('an account: a run of it can not open its conversation → it gives its place back, and its end is told (E3, E7)', async () => {
  const context = { tenant: 'pia' };
  await accounts().grant('pia', 'first', 100);
  rig.play([says, says]);
  await rig.run('Read it.', { mode, context, session: 'pool' });
  const sessions = join(home(), 'store', 'sessions');
  const [name = ''] = readdirSync(sessions).filter(file => file.startsWith('pool'));
  renameSync(join(sessions, name), join(sessions, `${name}.away`));
  mkdirSync(join(sessions, name));
  const refused = await rig.start('And now?', { mode, context, session: 'pool' });
  await expect(refused.result()).rejects.toThrow();
  rmSync(join(sessions, name), { recursive: true });
  renameSync(join(sessions, `${name}.away`), join(sessions, name));
  expect((await rig.run('Read it.', { mode, context })).result.outcome).toBe('answered');
});
