/** What the console reads for its page: of a home, and of a run's start. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createConsole } from '../../../packages/console/console.js';
import { serveConsole } from '../../../packages/console/serve.js';
import { openFolder } from '../../../packages/store/folder.js';
import type { SteersmanClient } from '../../../src/client/index.js';
import { fromChatMessages } from '../../../src/client/messages/chat.js';
import type { RunStart } from '../../../src/client/record/run-start.js';
import { NO_USAGE } from '../../../src/run/messages/message.js';
import { fakeRuns } from '../../support/fake-runs.js';

const TOKEN = 't'.repeat(32);

test('serveConsole: a home is given → its conversations are listed, found and shown, no others', async () => {
  const home = mkdtempSync(join(tmpdir(), 'console-home-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
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
        message: {
          ...{ id: 'm1', at: 1, kind: 'user', purpose: 'goal' },
          content: [{ type: 'text', text: 'Sail the sea.' }],
        },
      },
    ],
  );
  const served = await serveConsole({
    ...{ home, token: TOKEN, port: 0, client: fakeRuns() as unknown as SteersmanClient },
    report: () => undefined,
  });
  onTestFinished(() => served.close());
  const get = async (path: string) => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    return (await fetch(new URL(`/api/${path}`, served.link()), { headers })).json();
  };
  expect(await get('sessions')).toMatchObject([{ id: 'pool' }]);
  expect(await get('search?text=sea')).toMatchObject([{ session: 'pool' }]);
  expect(await get('sessions/pool')).toMatchObject([{ run: { workflowId: 'pool' } }]);
});

async function startTold(start: RunStart | null): Promise<unknown> {
  const client = { attach: async () => ({ startedWith: async () => start }) } as unknown as SteersmanClient;
  const shown = createConsole({ client: async () => client });
  onTestFinished(() => shown.close());
  return (await shown.fetch(new Request('http://here/api/runs/run-1/start'))).json();
}

test('FC7 the start of a run → what a page sets, with its files, and no value that only tools get', async () => {
  const files = [
    { name: 'a.md', text: 'One\n```\ncode\n```\n' },
    { name: 'b: c.txt', text: '' },
  ];
  const shown = (name: string, fence: string, text: string) => `${name}:\n\n${fence}\n${text}\n${fence}`;
  const messages = fromChatMessages([
    { role: 'user', content: shown('a.md', '````', 'One\n```\ncode\n```\n') },
    { role: 'user', content: shown('b: c.txt', '```', '') },
    { role: 'user', content: 'Another message.' },
  ]);
  const picture = { name: 'p.png', mimeType: 'image/png' as const, base64: 'AA==' };
  const settings = {
    ...{ mode: 'plan' as const, workspace: '/w', autoApprove: false, attended: true, approvePlan: true },
    ...{ limits: { turns: 9 }, keepOpenSeconds: 60, context: { key: 'secret' }, pictures: [picture] },
    checks: [{ run: 'npm test' }, { file: 'a.md' }],
  };
  expect(await startTold({ goal: 'Go', settings, messages })).toEqual({
    ...{ goal: 'Go', mode: 'plan', workspace: '/w', autoApprove: false, attended: true, approvePlan: true },
    ...{ limits: { turns: 9 }, keepOpenSeconds: 60, checks: ['npm test'], files, pictures: [picture] },
  });
});

test('FC7 the start of a run that Temporal has deleted → none', async () => {
  expect(await startTold(null)).toBeNull();
});

test('FC7 a start with all that the form has → the run gets checks as commands, files as what was said before, pictures and limits', async () => {
  const start = vi.fn(async (..._given: unknown[]) => ({ id: 'run-1', joined: false }));
  const client = { address: 'here:1', start, async *list() {} } as unknown as SteersmanClient;
  const served = createConsole({ client: async () => client, workspace: '/work' });
  onTestFinished(() => served.close());
  const plain = {
    mode: 'plan',
    model: 'demo',
    limits: { turns: 20 },
    approvePlan: true,
    pictures: [{ name: 'pier.png', mimeType: 'image/png', base64: 'cG5n' }],
    requestId: 'r-1',
    keepOpenSeconds: 60,
  };
  const files = [{ name: 'notes.txt', text: 'Two boats.' }];
  const response = await served.fetch(
    new Request('http://here/api/runs', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ goal: 'Count them.', checks: ['npm test'], files, ...plain }),
    }),
  );
  expect(await response.json()).toEqual({ id: 'run-1', joined: false });
  const [[goal, { messages, ...options }]] = start.mock.calls as unknown as [
    [string, { messages: { content: { text: string }[] }[] }],
  ];
  expect(goal).toBe('Count them.');
  expect(options).toEqual({ workspace: '/work', attended: true, checks: [{ run: 'npm test' }], ...plain });
  expect(messages.map(({ content }) => content[0]?.text)).toEqual(['notes.txt:\n\n```\nTwo boats.\n```']);
});
