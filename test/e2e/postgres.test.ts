/** The store on a server of PostgreSQL: for workers and clients of many machines. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Sessions } from '../../src/client/kept/kept-runs.js';
import { startCommand } from '../support/command-line.js';
import { hasServer, testServer } from '../support/postgres.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { transcriptOf } from '../support/run-views.js';

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
