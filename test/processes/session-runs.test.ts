/** Runs that go on with a conversation: after another server, at the same moment, through the death of a worker. */
import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openFolder } from '../../packages/store/folder.js';
import { connect } from '../../src/client/here/connect.js';
import { Sessions } from '../../src/client/here/sessions.js';
import { removeOldSessions } from '../../src/worker/parts/store-care.js';
import { finishSignal } from '../../src/workflows/run/definitions.js';
import { startCommand } from '../support/command-line.js';
import type { ScriptedReply } from '../support/endpoint/model.js';
import { onStage } from '../support/fault-stage.js';
import { firedPassages, killWorkers } from '../support/processes.js';
import { type Rig, startRig, startTemporal } from '../support/rig.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { settingsYaml } from '../support/steering.js';
import { until } from '../support/wait.js';

const LONG = Array.from({ length: 12_000 }, (_, at) => `line ${at + 1} of it`).join('\n');
const files = {
  config: { 'steersman.yaml': settingsYaml('steering: note') },
  workspace: { 'a.txt': 'The pool is 7 m long.', 'long.txt': LONG },
};
const rig = rigOfFile(files);
afterAll(killWorkers);

const homeOf = ({ project }: Rig) => join(project.dir, 'home');
const clientOf = (of: Rig) => connect({ temporal: { client: of.env.client }, home: homeOf(of) });
const startsOf = ({ project, taskQueue }: Rig) => {
  return { mode: 'react', workspace: project.workspace, taskQueue } as const;
};
const readA = { toolCalls: [{ name: 'read_text_file', arguments: { path: 'a.txt' } }] };

test('a worker is killed when it has read what was said before → the next one reads it again, and it is there once', async () => {
  await onStage(
    { client: rig.env.client, address: rig.env.address, failpoints: 'session.opened=kill' },
    async stage => {
      const kept = stage.keepWorker();
      const first = await stage.start('the first goal', { calls: [] });
      await first.result();
      const next = await stage.start('the second goal', { calls: [] }, { session: first.handle.workflowId });
      expect(await next.result()).toMatchObject({ outcome: 'completed' });
      expect(kept.lives).toBe(2);
      const sent = stage.model.requests.map(request => JSON.stringify(request.sent));
      const [request = ''] = sent.filter(text => text.includes('the second goal'));
      expect(request.split('the first goal')).toHaveLength(2);
    },
  );
});

test('a worker that is away is no store that fails (C13, Z2) → of what the store is asked, nothing runs out while nobody is there', async () => {
  const client = await clientOf(rig);
  rig.play([{ text: `It is long. ${LONG}` }]);
  const run = await client.start('Say it.', { ...startsOf(rig), session: 'patient' });
  await run.result();
  const { events = [] } = await rig.env.client.workflow.getHandle(run.id).fetchHistory();
  const asked = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
    /Keep|OpenSession|StoreText/.test(scheduled?.activityType?.name ?? '') ? [scheduled] : [],
  );
  expect(new Set(asked.map(each => each?.activityType?.name))).toEqual(
    new Set(['steersmanOpenSession', 'steersmanKeep', 'steersmanStoreText']),
  );
  expect(asked.map(each => Number(each?.scheduleToCloseTimeout?.seconds ?? 0))).toEqual(asked.map(() => 0));
  await client.close();
});

test('T17: a large result of an earlier run → the next one reads on in it by its reference; one of another conversation is refused', async () => {
  const client = await clientOf(rig);
  const say = async (session: string, goal: string, replies: ScriptedReply[]) => {
    const script = rig.play(replies);
    await (await client.start(goal, { ...startsOf(rig), session })).result();
    return script.requests.map(({ sent }) => JSON.stringify(sent.messages));
  };
  const readOn = (ref: string) => ({
    toolCalls: [{ name: 'read_result', arguments: { ref, offset: LONG.indexOf('line 9000 ') } }],
  });
  const readLong = { toolCalls: [{ name: 'read_text_file', arguments: { path: 'long.txt' } }] };
  await say('lines', 'Read long.txt.', [readLong, { text: 'It is long.' }]);
  const [first = ''] = await say('lines', 'Is it?', [{ text: 'Yes.' }]);
  const [ref = ''] = /blob:[\w-]+\/[0-9a-f]{64}/.exec(first) ?? [];
  expect(ref).toContain('blob:lines-');
  expect(first).not.toContain('line 9000 of it');
  const later = await say('lines', 'What does line 9000 say?', [readOn(ref), { text: 'So.' }]);
  expect(later.at(-1)).toContain('line 9000 of it');
  const others = await say('no-lines', 'And here?', [readOn(ref), { text: 'Nothing.' }]);
  expect(others.at(-1)).not.toContain('line 9000 of it');
  expect(others.at(-1)).toContain('There is no stored result');
  // Who looks at the later run reads it, too.
  const run = await client.attach('lines~3');
  expect(await run.stored(ref)).toContain('line 9000 of it');
  await client.close();
});

test('a branch from the middle of a conversation → it knows what came before the message, and nothing that came after', async () => {
  const client = await clientOf(rig);
  const say = async (session: string, goal: string, reply: string) => {
    const script = rig.play([{ text: reply }]);
    const run = await client.start(goal, { ...startsOf(rig), session });
    await run.result();
    return JSON.stringify(script.requests[0]?.sent.messages);
  };
  await say('road', 'Left or right?', 'The left one.');
  await say('road', 'And then?', 'Straight on.');
  const sessions = new Sessions(homeOf(rig));
  const [first] = await sessions.show('road');
  const answer = first?.transcript[0]?.messages.findLast(({ kind }) => kind === 'assistant')?.id ?? '';
  expect(await sessions.branch('road', { at: `road/${answer}`, to: 'road-2' })).toBe('road-2');
  const sent = await say('road-2', 'Why that one?', 'It is shorter.');
  expect(sent).toContain('The left one.');
  expect(sent).not.toContain('Straight on.');

  const goals = async (id: string) => (await sessions.show(id)).map(({ run }) => run.goal);
  expect(await goals('road')).toEqual(['Left or right?', 'And then?']);
  expect(await goals('road-2')).toEqual(['Left or right?', 'Why that one?']);
  await expect(sessions.branch('road', { at: 'm999' })).rejects.toMatchObject({ code: 'not_found' });

  const { runs } = await sessions.export('road');
  const types = new Set(runs.flatMap(({ messages }) => messages.map(({ type }) => type)));
  expect([...types].sort()).toEqual(['ASSISTANT', 'SYSTEM_EVENT', 'USER']);

  await expect(client.deleteSession('road')).rejects.toMatchObject({ code: 'conflict' });
  await client.deleteSession('road-2');
  await client.deleteSession('road');
  await expect(sessions.show('road')).rejects.toMatchObject({ code: 'not_found' });
  // Temporal takes its time for it.
  const handle = rig.env.client.workflow.getHandle('road-2');
  await until(
    'Temporal has it no more',
    () =>
      handle.describe().then(
        () => false,
        () => true,
      ),
    60_000,
  );
  await client.close();
});

test('conversations that are old → removed with their runs in Temporal; one with an open run stays', async () => {
  const { client: temporal } = rig.env;
  const client = await clientOf(rig);
  rig.play([{ text: 'One.' }, { text: 'Two.' }]);
  await (await client.start('One?', { ...startsOf(rig), session: 'ended' })).result();
  await client.start('Two?', { ...startsOf(rig), session: 'open', keepOpenSeconds: 600 });
  const store = openFolder(join(homeOf(rig), 'store'));
  await until('both are kept', async () => (await store.sessions.runs('open'))[0]?.answer === 'Two.');
  const { namespaceInfo } = await temporal.workflowService.describeNamespace({ namespace: 'default' });
  // Of tomorrow all of them are old.
  const by = new Date(Date.now() + 86_400_000);
  await removeOldSessions(temporal, namespaceInfo?.id ?? '', { store, by });
  expect((await store.sessions.list({ limit: 99 })).map(({ id }) => id)).toEqual(['open']);
  const describe = () => temporal.workflow.getHandle('ended').describe();
  await until(
    'Temporal has it no more',
    () =>
      describe().then(
        () => false,
        () => true,
      ),
    60_000,
  );
  const open = temporal.workflow.getHandle('open');
  await open.signal(finishSignal);
  await open.result();
  const [kept] = await new Sessions(homeOf(rig)).show('open');
  expect(kept?.run).toMatchObject({ ended: true, answer: 'Two.' });
  await client.close();
});

test('LL3: a command is killed in a branch and in a deletion → done again, the branch is whole; what was deleted is gone, and its texts go by retention', async () => {
  rig.play([{ text: 'The left one.' }]);
  const client = await clientOf(rig);
  const started = await client.start('Left or right?', { ...startsOf(rig), session: 'cut' });
  await started.result();
  const home = homeOf(rig);
  const call = (args: string[], plan?: string) => {
    const set = { STEERSMAN_HOME: home, TEMPORAL_ADDRESS: rig.env.address };
    const faults = { STEERSMAN_FAILPOINTS: plan ?? '', STEERSMAN_FAILPOINTS_DIR: rig.project.dir };
    const env = { ...set, ...(plan !== undefined && faults) };
    return startCommand('client', ['sessions', ...args], { cwd: rig.project.workspace, env }).ended;
  };
  const sessions = new Sessions(home);
  const idsOf = async () => (await sessions.list({ text: 'left or right' })).map(({ id }) => id).sort();
  const [first] = (await sessions.show('cut'))[0]?.transcript[0]?.messages ?? [];
  const branch = ['branch', 'cut', '--at', first?.id ?? '', '--to', 'cut-2'];
  expect(await call(branch, 'branch.begun=kill')).toMatchObject({ code: null });
  expect([firedPassages(rig.project.dir, 'branch.begun'), await idsOf()]).toEqual([[1], ['cut']]);
  expect(await call(branch)).toMatchObject({ code: 0 });
  expect((await call(branch)).code).not.toBe(0);
  expect(await idsOf()).toEqual(['cut', 'cut-2']);

  await sessions.remove('cut-2');
  const { texts } = openFolder(join(home, 'store'), async () => 'namespace');
  const ref = await texts.put('cut', 'a long text');
  const isThere = async () => (await texts.read('cut', ref, { offset: 0, length: 9 })) !== null;
  const remove = ['delete', 'cut', '--yes'];
  expect(await call(remove, 'delete.lines-gone=kill')).toMatchObject({ code: null });
  expect(firedPassages(rig.project.dir, 'delete.lines-gone')).toEqual([1]);
  expect([await idsOf(), await isThere()]).toEqual([[], true]);
  await texts.prune(new Date(Date.now() + 86_400_000), async () => true);
  expect(await isThere()).toBe(false);
  await client.close();
});

// The last of them: the model of its own rig answers from then on.
test('a conversation that another server began (Z2) → the run knows what was said and read there, and has the next number', async () => {
  rig.play([readA, { text: 'The pool is 7 m long.' }]);
  const client = await clientOf(rig);
  // Other files of this process may have started runs of a fixed name: this one would then be the second.
  const pool = randomUUID();
  const first = await client.start('How long is the pool?', { ...startsOf(rig), session: pool });
  await first.result();
  expect(first.id).toBe(pool);

  // As after a deleted database, or years later: nothing but the folder is there.
  const env = await startTemporal();
  const settings = `${files.config['steersman.yaml']}\nworkspaces: [${JSON.stringify(tmpdir())}]\n`;
  const other = await startRig({ env, ...files, config: { 'steersman.yaml': settings } });
  try {
    mkdirSync(join(homeOf(other), 'store'), { recursive: true });
    cpSync(join(homeOf(rig), 'store'), join(homeOf(other), 'store'), { recursive: true });
    const script = other.play([{ text: 'Twice that is 14 m.' }]);
    const there = await clientOf(other);
    const elsewhere = await there.start('And twice that?', { ...startsOf(other), session: pool });
    const { workflow } = env.client;
    await expect(workflow.getHandle(elsewhere.id).result()).rejects.toMatchObject({
      cause: {
        type: 'run.bad_input',
        message: expect.stringContaining('belongs to another workspace'),
      },
    });
    expect(script.requests).toEqual([]);
    const { workspace } = rig.project;
    const next = await there.start('And twice that?', { ...startsOf(other), workspace, session: pool });
    expect((await next.result())?.text).toBe('Twice that is 14 m.');
    const sent = JSON.stringify(script.requests[0]?.sent.messages);
    for (const said of [
      'How long is the pool?',
      'read_text_file',
      'The pool is 7 m long.',
      'And twice that?',
    ])
      expect(sent).toContain(said);
    expect([next.id, script.requests.length]).toEqual([`${pool}~3`, 1]);
    const runs = await new Sessions(homeOf(other)).show(pool);
    expect(runs.map(({ run }) => run.workflowId)).toEqual([pool, `${pool}~3`]);
    // What it began with is kept where it was said, and only there.
    const own = runs[1]?.transcript.flatMap(({ messages }) => messages) ?? [];
    expect(own.every(({ from }) => from === undefined)).toBe(true);
    expect(JSON.stringify(own)).not.toContain('7 m long');
    expect(await next.transcript()).toEqual(runs[1]?.transcript);
    await there.close();
  } finally {
    await other.close();
    await env.teardown();
    await client.close();
  }
});
