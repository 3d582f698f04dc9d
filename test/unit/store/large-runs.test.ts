/** What reading a large run takes: of the database, and of the run for one of its messages. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFolder } from '../../../packages/store/folder.js';
import type { Database } from '../../../packages/store/postgres/migrations.js';
import { postgresStore } from '../../../packages/store/postgres/postgres.js';
import type { StoredLine } from '../../../src/run/state/stored-line.js';
import { recall } from '../../../src/shared/store/recall.js';
import type { SessionStore } from '../../../src/shared/store/store.js';
import { postgresDatabases } from '../../support/postgres.js';
import { runRecord, said } from '../../support/records.js';

const ALL = Number.POSITIVE_INFINITY;
const LARGE = 500_000;

const numbers = (records: readonly StoredLine[]) =>
  records.map(kept => (kept.kind === 'message' ? kept.message.id : kept.kind));

describe.each(Object.entries(postgresDatabases()))('a large run in %s', (_name, open) => {
  test('LL6: more than a query should take → read whole and in order, in several queries', async () => {
    const sizes: number[] = [];
    const counted: Database = {
      ...open(),
      async query(text, values) {
        const rows = await open().query(text, values);
        sizes.push(rows.reduce((sum, { body = '' }) => sum + String(body).length, 0));
        return rows;
      },
    };
    const { sessions } = postgresStore(counted);
    const run = runRecord('s-1', { kept: { id: 24, seq: 0 } });
    const ids = Array.from({ length: 24 }, (_, at) => at + 1);
    const messages = ids.map(id => said(id, 'x'.repeat(LARGE)));
    // Message by message, as a run does: a statement of all that size takes longer than the store lets one take.
    for (const [at, message] of messages.entries())
      await sessions.keep({ ...run, kept: { id: at + 1, seq: 0 } }, [message], { id: at, seq: 0 });
    sizes.length = 0;
    for await (const { records } of await sessions.readEach('s-1', { kind: 'message', chains: [run.chain] }))
      expect(numbers(records)).toEqual(numbers(messages));
    expect(numbers(await sessions.read(run, { kind: 'message', after: 2, limit: 15 }))).toEqual(
      numbers(messages.slice(2, 17)),
    );
    expect(await sessions.read(run, { kind: 'message', after: 24, limit: ALL })).toEqual([]);
    expect(Math.max(...sizes)).toBeLessThan(10 * LARGE);
    // A short run takes one query.
    sizes.length = 0;
    await sessions.read(run, { kind: 'message', after: 22, limit: ALL });
    expect(sizes).toHaveLength(1);
  });
});

test('LL6: recall of one message by its id → its run is not read for it', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'large-'));
  try {
    const { sessions } = openFolder(dir);
    const run = runRecord('s-1', { kept: { id: 900, seq: 0 } });
    const messages = Array.from({ length: 900 }, (_, at) => said(at + 1, `message ${at + 1}`));
    await sessions.keep(run, messages);
    let read = 0;
    const counted: SessionStore = {
      ...sessions,
      async read(...asked) {
        const records = await sessions.read(...asked);
        read += records.length;
        return records;
      },
      readEach: async () => {
        throw new Error('all of the run is read');
      },
    };
    const asker = { workflowId: 's-1', namespaceId: 'namespace-1' };
    const { content } = await recall(counted, asker, { id: 's-1/m700' });
    expect(content).toEqual([{ type: 'text', text: 'message 700' }]);
    expect(await recall(counted, asker, { id: 'm901' })).toMatchObject({ isError: true });
    expect(await recall(counted, asker, { id: 'planner' })).toMatchObject({ isError: true });
    expect(read).toBe(1);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
