import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, expect, test } from 'vitest';
import { createLook } from '../../../src/activities/look.js';
import type { LookFinds } from '../../../src/activities/types.js';
import { Secrets } from '../../../src/shared/secrets.js';

const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'look-')));
afterAll(() => rmSync(workspace, { recursive: true, force: true }));

const KEY = 's3cret-0123456789-abcdef';
const secrets = new Secrets();
secrets.add('TOKEN', KEY);
const STORED = `a\n[secret TOKEN]\n`;

async function diffOf(text: string, before: string | null) {
  const look = createLook({
    openWorkspace: async path => path,
    // Kept texts have no secrets.
    blobs: {
      put: async () => 'blob:old',
      read: async () => ({ data: Buffer.from(before ?? ''), totalBytes: 9 }),
    },
    redact: secret => secrets.redact(secret),
  });
  writeFileSync(join(workspace, 'f'), text);
  const files = [{ path: 'f', hash: before === null ? null : 'old', ref: 'blob:old' }];
  const input = { at: 'now' as const, workspace, files, since: 1 };
  const found = (await new MockActivityEnvironment().run(look, input)) as LookFinds['now'];
  return found.files[0];
}

test('a difference: the cut goes through a key → no half of it is told', async () => {
  for (let shift = 0; shift < KEY.length; shift += 4) {
    const now = await diffOf(`${'x'.repeat(shift)}${KEY.repeat(900)}`, null);
    expect(now?.diff).toContain('[secret TOKEN]');
    expect(now?.diff).not.toMatch(/s3cre|-abc|bcdef|01234|56789/);
  }
});

test('a difference: a key that stood there before → it is no change', async () => {
  const now = await diffOf(`a\n${KEY}\nb\n`, STORED);
  expect(now?.diff?.split('\n').slice(1)).toEqual([' a', ' [secret TOKEN]', '+b']);
});
