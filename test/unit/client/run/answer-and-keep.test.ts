import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import type { Temporal } from '../../../../src/client/connection/connect.js';
import { answerAndKeep } from '../../../../src/client/run/send.js';
import { savedPermissions } from '../../../../src/client/stored/saved-permissions.js';
import { WORKFLOW_TYPE } from '../../../../src/run/agents/run-config.js';

vi.stubEnv('XDG_STATE_HOME', mkdtempSync(join(tmpdir(), 'kept-')));
afterAll(() => vi.unstubAllEnvs());

const subject = { tool: 'run', callId: 'c1', arguments: '{"command":"rm -rf a"}', always: 'run(rm -rf a)' };
const gate = { id: 'g1', kind: 'approval', title: '', body: '', openedAt: 0, deadline: null, subject };

/** A run that waits at the gate, and takes any answer to it. */
const handle = {
  describe: async () => ({
    ...{ type: WORKFLOW_TYPE, workflowId: 'r', runId: 'r1', status: { name: 'RUNNING' } },
    ...{ startTime: new Date(0), taskQueue: 'q', raw: {} },
  }),
  query: async ({ name }: { name: string }) => {
    if (name !== 'state') throw new Error('no such query');
    return { workspace: '/w', gates: [gate], internals: {} };
  },
  executeUpdate: async () => ({ gateId: 'g1' }),
};
const client = {
  workflow: { getHandle: () => handle },
  withDeadline: (_: number, work: () => unknown) => work(),
};
const temporal = { client, local: null, address: 'a', namespace: 'n' } as unknown as Temporal;

test('WK9 always in this workspace with changed arguments → the command that runs is kept, not the one that was asked for', async () => {
  const always = { decision: 'always', alwaysFor: 'workspace' } as const;
  await answerAndKeep(temporal, 'r', 'g1', { ...always, arguments: { command: 'ls' } });
  expect(savedPermissions().flatMap(({ tools }) => tools)).toEqual(['run(ls)']);
  await answerAndKeep(temporal, 'r', 'g1', always);
  expect(savedPermissions().flatMap(({ tools }) => tools)).toEqual(['run(ls)', 'run(rm -rf a)']);
});
