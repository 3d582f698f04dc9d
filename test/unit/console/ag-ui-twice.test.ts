/** Requests of AG-UI that come twice, or from two clients. */
import { expect, test, vi } from 'vitest';
import { AG_UI_INPUT } from '../../../packages/console/ag-ui/input.js';
import { send } from '../../../packages/console/ag-ui/send.js';
import { startRun } from '../../../packages/console/ag-ui/thread.js';
import type { Hub } from '../../../packages/console/hub.js';
import { type Run, type SteersmanClient, SteersmanError } from '../../../src/client/index.js';
import { lookOf } from '../../support/fake-runs.js';

const result = (content: string) => ({ id: `t-${content}`, role: 'tool', toolCallId: 'run-1/c1_1', content });
const input = (messages: object[]) => AG_UI_INPUT.parse({ threadId: 'run-1', runId: 'r', messages });

test('AG-UI: a first request that comes twice → both starts have one request id, another message has another (WB9)', async () => {
  const start = vi.fn(async (_goal: string, _options: { requestId?: string }) => ({}) as Run);
  const ask = (id: string) => {
    const said = [{ id, text: 'Count the boats.', pictures: [] }];
    const client = { start } as unknown as SteersmanClient;
    return startRun(client, input([]), { said, isFirst: true, workspace: '/work' });
  };
  await Promise.all([ask('m1'), ask('m1'), ask('m2')]);
  const [first, again, other] = start.mock.calls.map(([, { requestId }]) => requestId);
  expect(first).toEqual(expect.any(String));
  expect([again === first, other === first]).toEqual([true, false]);
});

test('AG-UI: two clients bring the result of one call → the first counts, the other is told and follows (WB9)', async () => {
  const base = { id: 'g1', title: '', body: '', openedAt: 0, deadline: null };
  const subject = { tool: 'pick', callId: 'c1_1', arguments: '{}', idempotencyKey: 'k' };
  const look = lookOf({ gates: [{ ...base, kind: 'clientTool', subject }], lastEventSeq: 7 });
  const taken: string[] = [];
  const answerGate = async (_gate: string, { content }: { content: string }) => {
    if (taken.length > 0) throw new SteersmanError('It has its result.', '', 'rejected');
    taken.push(content);
  };
  const run = { id: 'run-1', show: async () => look, answerGate } as unknown as Run;
  const changed = vi.fn();
  const brings = (content: string) => {
    const followed = { run, snapshot: look, told: 0, goalEnd: null, end: null, gates: new Set<string>() };
    return send(input([result(content)]), followed, { news: [], hub: { changed } as unknown as Hub });
  };
  expect(await brings('blue')).toEqual({ since: 7, told: [], texts: [] });
  expect(await brings('red')).toEqual({
    ...{ since: null, texts: [], now: look },
    told: [
      {
        ...{ type: 'CUSTOM', name: 'steersman.not_taken' },
        value: { interruptId: 'run-1:g1', message: 'It has its result.' },
      },
    ],
  });
  expect([taken, changed.mock.calls]).toEqual([['blue'], [['run-1'], ['run-1']]]);
});

test('AG-UI: a picture with a message → the goal of a start has it; an open run gets its name, and its client is told (CF11)', async () => {
  const picture = { name: 'pier.png', mimeType: 'image/png', base64: 'aGk=' };
  const said = [{ id: 'm1', text: 'Which pier?', pictures: [picture] }];
  const start = vi.fn(async (_goal: string, _options: { pictures?: unknown }) => ({}) as Run);
  const client = { start } as unknown as SteersmanClient;
  await startRun(client, input([]), { said, isFirst: true, workspace: '/work' });
  expect(start.mock.calls[0]?.[1].pictures).toEqual([picture]);
  const look = lookOf({ phase: 'idle', lastEventSeq: 7 });
  const followUp = vi.fn(async (_text: string) => ({ state: 'accepted' }));
  const run = { id: 'run-1', show: async () => look, followUp } as unknown as Run;
  const followed = { run, snapshot: look, told: 0, goalEnd: null, end: null, gates: new Set<string>() };
  const sent = await send(input([]), followed, { news: said, hub: {} as Hub });
  expect(followUp.mock.calls[0]?.[0]).toBe('Which pier?\n[Picture: pier.png, not shown]');
  expect(sent.told).toMatchObject([{ name: 'steersman.pictures_not_taken', value: { messageId: 'm1' } }]);
});
