/** The store on a server of PostgreSQL: for workers and clients of many machines. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectPostgres, postgresStore } from '../../packages/store/postgres/postgres.js';
import { Sessions } from '../../src/client/here/sessions.js';
import { WORKFLOW_TYPE } from '../../src/run/agents/run-config.js';
import type { RunResult } from '../../src/workflows/run/definitions.js';
import { finishSignal, followUpSignal, stateQuery } from '../../src/workflows/run/definitions.js';
import { startCommand } from '../support/command-line.js';
import { hasPrograms, hasServer, ownServer, testServer } from '../support/postgres-server.js';
import { killWorkers, startWorkerProcess } from '../support/processes.js';
import { runSettings } from '../support/rig.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf, toolTexts, transcriptOf } from '../support/run-views.js';
import { latch, settingsYaml } from '../support/steering.js';
import { lackOf } from '../support/store-away.js';
import { until } from '../support/wait.js';

const WRITER = `---
description: Writes.
output: text
tools: ['*_artifact', read_text_file, read_result]
---
{{businessContext}}
`;
/** More than is given whole. */
const LARGE = `${'x'.repeat(40_000)} the middle ${'y'.repeat(40_000)}`;
const REF = /blob:[\w-]+\/[0-9a-f]{64}/;
const createReport = (id: string) => ({
  toolCalls: [
    {
      name: 'create_artifact',
      arguments: { id, type: 'markdown', content: `${id}: ${'z'.repeat(3_000)} end` },
    },
  ],
});
const readBig = { toolCalls: [{ name: 'read_text_file', arguments: { path: 'big.txt' } }] };
const readPart = (ref: string) => ({
  toolCalls: [{ name: 'read_result', arguments: { ref, offset: 39_990, length: 40 } }],
});

/** The command line on a machine that has nothing but the address of the database. */
function elsewhere(cwd: string, address: string, ...args: string[]) {
  const env = { STEERSMAN_HOME: mkdtempSync(join(tmpdir(), 'elsewhere-')), TEMPORAL_ADDRESS: address };
  return startCommand('client', args, { cwd, env }).ended;
}

describe.runIf(hasServer())('the store on PostgreSQL', () => {
  let server: Awaited<ReturnType<typeof testServer>> = null;
  beforeAll(async () => {
    server = await testServer();
    process.env.DATABASE_URL = server?.url ?? '';
  });
  afterAll(() => server?.remove());
  const rig = rigOfFile({
    config: { 'prompts/core/writer.md': WRITER, 'steersman.yaml': settingsYaml('steering: note') },
    workspace: { 'a.txt': 'the end of a', 'big.txt': LARGE },
  });
  const readA = { toolCalls: [{ name: 'read_text_file', arguments: { path: 'a.txt' } }] };
  const readReport = { toolCalls: [{ name: 'read_artifact', arguments: { id: 'report' } }] };
  const asked = { mode: 'react', role: 'writer', autoApprove: true, keepOpenSeconds: 600 } as const;
  afterAll(killWorkers);

  test('a run that ended → its conversation, whole, is listed, shown and found on another machine, without Temporal', async () => {
    rig.play([readA, { text: 'The file ends with a.' }]);
    const { handle, result } = await rig.run('How does a.txt end?', { mode: 'react' });
    const elsewhere = mkdtempSync(join(tmpdir(), 'elsewhere-'));
    const [kept] = await new Sessions(elsewhere).show(handle.workflowId);
    expect(kept?.transcript).toEqual([{ thread: 'main', messages: await transcriptOf(handle) }]);
    expect(kept?.run).toMatchObject({ outcome: result.outcome, answer: result.text, usage: result.usage });
    const env = { STEERSMAN_HOME: elsewhere, TEMPORAL_ADDRESS: '127.0.0.1:9' };
    const call = (...args: string[]) =>
      startCommand('client', ['sessions', ...args], { cwd: rig.project.workspace, env }).ended;
    const listed = await call('list', '--goal', 'A.TXT');
    expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining(handle.workflowId)]);
    expect((await call('show', handle.workflowId)).stdout).toContain('The file ends with a.');
    expect((await call('search', 'END', 'of', 'a')).stdout).toContain('the end of a');
  });

  test('a worker dies and its disk with it → what it stored is read by another worker, and by a client with neither disk', async () => {
    const options = {
      address: rig.env.address,
      taskQueue: `${rig.taskQueue}-hosts`,
      project: rig.project,
      model: rig.model,
    };
    const homes = ['one', 'two'].map(name => join(rig.project.dir, name));
    const start = (STEERSMAN_HOME = '') =>
      startWorkerProcess({
        ...options,
        env: { STEERSMAN_HOME, DATABASE_URL: server?.url ?? '' },
      });
    const first = await start(homes[0]);
    let ref = '';
    const script = rig.play((request, at) => {
      ref ||= REF.exec(JSON.stringify(request.sent))?.[0] ?? '';
      const replies = [readBig, createReport('report'), { text: 'Kept.' }, readPart(ref), readReport];
      return replies[at] ?? { text: 'Read.' };
    });
    const handle = await rig.env.client.workflow.start(WORKFLOW_TYPE, {
      args: [{ goal: 'Keep it', settings: runSettings(rig.project.workspace, asked) }],
      taskQueue: options.taskQueue,
      workflowId: 'on-two-hosts',
      workflowExecutionTimeout: '3 minutes',
    });
    const answered = (count: number) =>
      until(`${count} are answered`, async () => (await handle.query(stateQuery)).goals.length === count);
    await answered(1);
    await first.kill();
    rmSync(homes[0] ?? '', { recursive: true, force: true });
    await start(homes[1]);
    await handle.signal(followUpSignal, { text: 'And what did you keep?' });
    await answered(2);
    const [page, report] = toolTexts(script.requests.at(-1)).slice(-2);
    expect([page, report]).toEqual([
      expect.stringContaining('the middle'),
      expect.stringContaining(`report: ${'z'.repeat(3_000)} end`),
    ]);
    await handle.signal(finishSignal);
    await handle.result();
    killWorkers();
    const call = (...args: string[]) => elsewhere(rig.project.workspace, rig.env.address, ...args);
    expect((await call('stored', 'on-two-hosts', ref)).stdout).toContain(LARGE);
    expect((await call('artifact', 'on-two-hosts', 'report')).stdout).toContain('zzz end');
  });
});

describe.runIf(hasPrograms())('a database', () => {
  let server: Awaited<ReturnType<typeof ownServer>> = null;
  beforeAll(async () => {
    server = await ownServer();
    process.env.DATABASE_URL = server?.url ?? '';
  });
  afterAll(() => server?.remove());
  const rig = rigOfFile({
    config: { 'prompts/core/writer.md': WRITER, 'steersman.yaml': settingsYaml('steering: note') },
    workspace: { 'a.txt': 'the end of a', 'big.txt': LARGE },
  });
  const readA = { toolCalls: [{ name: 'read_text_file', arguments: { path: 'a.txt' } }] };

  const away = {
    'is killed': { go: () => server?.kill(), comeBack: () => server?.start() },
    'stands still': { go: () => server?.pause(), comeBack: () => server?.resume() },
  };
  test.each(Object.entries(away))(
    '%s in mid-run → the run goes on and says it once; when it is back, it has all that was said meanwhile',
    async (_how, { go, comeBack }) => {
      rig.play([readA, { text: 'First.' }, readA, { text: 'Second.' }, { text: 'Third.' }]);
      const handle = await rig.start('How does a.txt end?', { mode: 'react', keepOpenSeconds: 600 });
      const answered = (count: number) =>
        until(`${count} are answered`, async () => (await handle.query(stateQuery)).goals.length === count);
      await answered(1);
      await go();
      await handle.signal(followUpSignal, { text: 'And now?' });
      // Three tries of 9 s, where nobody answers.
      await until('it is told', async () => (await eventsOf(handle, 'store_failed')).length > 0, 60_000);
      await answered(2);
      await comeBack();
      await handle.signal(followUpSignal, { text: 'And then?' });
      await answered(3);
      await until('it is whole', async () => (await eventsOf(handle, 'store_back')).length === 1);
      await handle.signal(finishSignal);
      const result = (await handle.result()) as RunResult;
      expect([result.text, (await eventsOf(handle, 'store_failed')).length]).toEqual(['Third.', 1]);
      expect(await eventsOf(handle, 'store_gap')).toEqual([]);
      const [kept] = await new Sessions(mkdtempSync(join(tmpdir(), 'elsewhere-'))).show(handle.workflowId);
      expect(kept?.transcript).toEqual([{ thread: 'main', messages: await transcriptOf(handle) }]);
      expect(kept?.run).toMatchObject({ ended: true, answer: 'Third.' });
    },
  );

  test('LL12: killed until a run has ended → it has all that the run said a while after it is back', async () => {
    const { until: released, open } = latch();
    rig.play([readA, { text: 'With a.', hold: { until: released } }]);
    const handle = await rig.start('How does a.txt end?', { mode: 'react' });
    const store = postgresStore(connectPostgres(server?.url ?? ''));
    const kept = () => store.sessions.runs(handle.workflowId);
    await until('its first words are kept', async () => (await kept()).length === 1);
    await server?.kill();
    open();
    expect(await handle.result()).toMatchObject({ text: 'With a.' });
    await rig.stopWorker();
    await server?.start();
    expect(await kept()).toMatchObject([{ ended: false }]);
    await rig.startWorker();
    await until('the store has its end', async () => (await kept())[0]?.ended);
    expect(await lackOf(store.sessions, handle, handle.workflowId)).toBeNull();
    await store.close();
  });

  test('large results and artifacts meanwhile (C13) → none is cut, each is read at once, and the database has them when it is back', async () => {
    await server?.kill();
    let ref = '';
    const script = rig.play((request, at) => {
      ref ||= REF.exec(JSON.stringify(request.sent))?.[0] ?? '';
      return [readBig, readPart(ref), createReport('report')][at] ?? { text: 'Kept.' };
    });
    const settings = { mode: 'react', role: 'writer', autoApprove: true } as const;
    const { handle, result } = await rig.run('Keep it', settings);
    expect([result.outcome, result.artifacts?.map(({ id }) => id)]).toEqual(['answered', ['report']]);
    const [big, page] = toolTexts(script.requests[2]);
    expect([big, page]).toEqual([expect.stringContaining(ref), expect.stringContaining('the middle')]);
    expect(big).not.toContain('could not be kept');
    const spool = join(rig.project.dir, 'home', 'spool');
    expect(readdirSync(spool)).toHaveLength(2);
    // Another worker of this machine takes over what waits.
    await rig.stopWorker();
    await server?.start();
    await rig.startWorker();
    await until('nothing waits any more', () => readdirSync(spool).length === 0);
    const call = (...args: string[]) => elsewhere(rig.project.workspace, rig.env.address, ...args);
    expect((await call('stored', handle.workflowId, ref)).stdout).toContain(LARGE);
    expect((await call('artifact', handle.workflowId, 'report')).stdout).toContain('zzz end');
  });
});
