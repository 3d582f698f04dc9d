/** The store on a server of PostgreSQL: for workers and clients of many machines. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Sessions } from '../../src/client/kept/kept-runs.js';
import type { RunResult } from '../../src/workflows/messages.js';
import { finishSignal, followUpSignal, stateQuery } from '../../src/workflows/messages.js';
import { startCommand } from '../support/command-line.js';
import { hasPrograms, hasServer, ownServer, testServer } from '../support/postgres-server.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf, transcriptOf } from '../support/run-views.js';
import { settingsYaml } from '../support/steering.js';
import { until } from '../support/wait.js';

describe.runIf(hasServer())('the store on PostgreSQL', () => {
  let server: Awaited<ReturnType<typeof testServer>> = null;
  beforeAll(async () => {
    server = await testServer();
    process.env.DATABASE_URL = server?.url ?? '';
  });
  afterAll(() => server?.remove());
  const rig = rigOfFile({ workspace: { 'a.txt': 'the end of a' } });
  const readA = { toolCalls: [{ name: 'read_text_file', arguments: { path: 'a.txt' } }] };

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
});

describe.runIf(hasPrograms())('a database', () => {
  let server: Awaited<ReturnType<typeof ownServer>> = null;
  beforeAll(async () => {
    server = await ownServer();
    process.env.DATABASE_URL = server?.url ?? '';
  });
  afterAll(() => server?.remove());
  const rig = rigOfFile({
    config: { 'steersman.yaml': settingsYaml('steering: note') },
    workspace: { 'a.txt': 'the end of a' },
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
});
