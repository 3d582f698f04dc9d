import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openFolder } from '../../../../packages/store/folder.js';
import { storedEvents } from '../../../../src/client/stored/stored-runs.js';
import { type AssistantMessage, NO_USAGE } from '../../../../src/run/messages/message.js';
import type { JournalEvent } from '../../../../src/run/state/journal.js';
import type { RunRecord, StoredLine } from '../../../../src/run/state/stored-line.js';

const RUN: RunRecord = {
  v: 1,
  chain: 'chain-1',
  session: 's-1',
  workflowId: 's-1',
  runId: 'execution-1',
  namespaceId: 'namespace-1',
  goal: 'Read it.',
  mode: 'react',
  workspace: '/work',
  number: 1,
  startedAt: 1,
  changedAt: 2,
  outcome: 'completed',
  cause: 'direct_answer',
  answer: `${'a'.repeat(9_000)} is the answer.`,
  ended: false,
  usage: NO_USAGE,
  kept: { id: 1, seq: 3 },
};

const PATH = `${'p'.repeat(5_000)}.txt`;

test('events of a store: a reply with thinking and a long call, and an answer → whole, as the run tells them', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'kept-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const { sessions } = openFolder(dir);
  const reply = {
    id: 'm1',
    at: 1,
    kind: 'assistant',
    ...{ role: 'react', model: 'a/b', usage: NO_USAGE, stopReason: 'tool_use', action: 'calling_tool' },
    content: [
      { type: 'reasoning', text: 'It must be there.' },
      { type: 'text', text: 'I read it.' },
      { type: 'tool_use', id: 'call-1', name: 'read_file', input: { path: PATH } },
    ],
  } as unknown as AssistantMessage;
  const events = [
    { seq: 1, at: 1, type: 'model_call_ended', messageId: 'm1' },
    { seq: 2, at: 1, type: 'tool_call_started', toolUseId: 'call-1', arguments: '{"path":"ppp…' },
    { seq: 3, at: 2, type: 'goal_ended', number: 1, answer: 'aaa…' },
  ] as unknown as JournalEvent[];
  await sessions.keep(RUN, [
    { kind: 'message', thread: 'main', message: reply },
    ...events.map((event): StoredLine => ({ kind: 'event', event })),
  ]);
  const called = JSON.stringify({ path: PATH });
  expect(await storedEvents(sessions, RUN, 0)).toMatchObject([
    {
      text: 'I read it.',
      reasoning: 'It must be there.',
      calls: [{ id: 'call-1', name: 'read_file', arguments: called }],
    },
    { arguments: called },
    { answer: RUN.answer },
  ]);
});
