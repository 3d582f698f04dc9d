/** Which texts a run reads by reference: its own, and those of its conversation, in each store. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openFolder } from '../../../packages/store/folder.js';
import { type Store, textsOfConversation } from '../../../src/shared/store/store.js';
import { postgresStores } from '../../support/postgres.js';
import { runRecord, said } from '../../support/records.js';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'texts-of-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const STORES: Record<string, () => Store> = { 'a folder': () => openFolder(dir), ...postgresStores() };
const ALL = { offset: 0, length: 99 };

describe.each(Object.entries(STORES))('texts by reference: %s', (_name, open) => {
  test.each<[asker: string, owner: string, read: boolean]>([
    ['pool~2', 'pool~2', true],
    ['pool~2', 'pool', true],
    ['pool-b', 'pool', true],
    ['pool~2', 'pool/search/1', true],
    ['pool~2', 'garden', false],
    ['pool~2', 'moved', false],
    ['pool~2', 'pool-b', false],
    ['pool/search/1', 'pool', false],
    ['nobody', 'pool', false],
    ['nobody', 'nobody', true],
  ])('T17: %s asks for a text of %s → %s', async (workflowId, owner, isRead) => {
    const { sessions, texts } = open();
    const keep = (session: string, more = {}) =>
      sessions.keep(runRecord(session, { namespaceId: 'ns', ...more }), [said(1, 'x')]);
    await keep('pool');
    await keep('pool', { workflowId: 'pool~2', chain: 'c2' });
    await keep('pool', { workflowId: 'pool/search/1', chain: 'c3', parent: 'pool' });
    // Of this conversation, and of another workspace: nothing that was said there is told here.
    await keep('pool', { workflowId: 'moved', chain: 'c4', workspace: '/elsewhere' });
    await keep('garden');
    await sessions.branch({ session: 'pool', chain: 'chain-of-pool', message: 'm1' }, 'pool-b');
    await keep('pool-b', { chain: 'c5' });
    const ref = await texts.put(owner, `text of ${owner}`);
    const read = textsOfConversation(texts, sessions, async () => 'ns');
    const look = async () => (await read(workflowId, ref, ALL))?.data.toString() ?? null;
    // Also when it is asked for again.
    expect([await look(), await look()]).toEqual(Array(2).fill(isRead ? `text of ${owner}` : null));
  });

  test('T17: what is gone, or no reference → null', async () => {
    const { sessions, texts } = open();
    for (const workflowId of ['pool', 'pool~2'])
      await sessions.keep(runRecord('pool', { namespaceId: 'ns', workflowId, chain: workflowId }), [
        said(1, 'x'),
      ]);
    const ref = await texts.put('pool', 'text');
    await texts.removeOf(['pool']);
    const read = textsOfConversation(texts, sessions, async () => 'ns');
    expect(await read('pool~2', ref, ALL)).toBeNull();
    expect(await read('pool~2', '../pool', ALL)).toBeNull();
  });
});
