/** Names of branches: as those of conversations. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openFolder } from '../../../../packages/store/folder.js';
import { Sessions } from '../../../../src/client/here/sessions.js';
import { NO_USAGE } from '../../../../src/run/messages/message.js';

let home = '';
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'branch-'));
  await openFolder(join(home, 'store')).sessions.keep(
    {
      ...{ v: 1, chain: 'c', session: 'pool', workflowId: 'pool', runId: 'e', namespaceId: 'n', goal: 'g' },
      ...{
        mode: 'react',
        workspace: '/w',
        number: 1,
        startedAt: 1,
        changedAt: 2,
        outcome: null,
        cause: null,
      },
      ...{ answer: null, ended: true, usage: NO_USAGE, kept: { id: 1, seq: 0 } },
    },
    [
      {
        kind: 'message',
        thread: 'main',
        message: { id: 'm1', at: 1, kind: 'user', purpose: 'goal', content: [{ type: 'text', text: 'x' }] },
      },
    ],
  );
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

test.each(['', 'a b\nFORGED', 'x'.repeat(10_000), 'a\0b', 'a~2'])(
  'a branch named %j → refused, and nothing is made',
  async to => {
    const sessions = new Sessions(home);
    await expect(sessions.branch('pool', { at: 'm1', to })).rejects.toMatchObject({ code: 'usage' });
    expect((await sessions.list()).map(({ id }) => id)).toEqual(['pool']);
    expect(await sessions.branch('pool', { at: 'm1' })).toMatch(/^pool-m1-/);
  },
);
