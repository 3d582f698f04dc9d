import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shortenThread } from '../../../../src/conversation/handover.js';
import { toolResult } from '../../../../src/conversation/tool-result.js';
import { estimateMessageTokens } from '../../../../src/run/limits/tokens.js';
import { type Message, NO_USAGE } from '../../../../src/run/messages/message.js';
import { executionAt, newConsultation } from '../../../../src/run/position/position.js';
import type { RunState } from '../../../../src/run/state/run-state.js';
import { newRunState } from '../../../../src/run/state/run-state.js';
import type { Thread } from '../../../../src/run/state/thread.js';
import { MAIN_THREAD } from '../../../../src/run/state/thread.js';
import { ledgerKey } from '../../../../src/run/tools/ledger.js';
import { pairingFaults } from '../../../support/pairing.js';

const tokensOf = (messages: readonly Message[]) =>
  messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);

function said(id: string, purpose: 'goal' | 'instruction'): Message {
  return { id, at: 1, kind: 'user', purpose, content: [{ type: 'text', text: 'what is wanted' }] };
}

/** A reply with one call, and its result of about `tokens`. */
function turn(number: number, tokens: number): Message[] {
  const call = { type: 'tool_use' as const, id: `c${number}`, name: 'read', input: { n: number } };
  const result = toolResult(call, 'executed', { content: [{ type: 'text', text: 'x'.repeat(tokens * 4) }] });
  const base = { at: 1, role: 'executor', model: 'p/m', usage: NO_USAGE, stopReason: 'tool_use' as const };
  return [
    { ...base, id: `a${number}`, kind: 'assistant', action: 'calling_tool', content: [call] },
    { id: `r${number}`, at: 1, kind: 'tool_result', content: [result] },
  ];
}

function runWith(turns: number, tokens: number): { state: RunState; thread: Thread } {
  const state = newRunState('The goal', { mode: 'team', workspace: '/w', autoApprove: false }, 1);
  const numbers = Array.from({ length: turns }, (_, number) => number);
  const messages = [
    said('g', 'goal'),
    ...numbers.flatMap(number => turn(number, tokens)),
    said('b', 'instruction'),
  ];
  const thread = { id: MAIN_THREAD, epoch: 3, messages, tokens: tokensOf(messages), dropped: 10 };
  state.threads[MAIN_THREAD] = thread;
  for (const number of numbers) {
    state.tools.ledger.entries[ledgerKey('read', { n: number })] = {
      toolUseId: `c${number}`,
      tool: 'read',
      messageId: `r${number}`,
      ending: 'executed',
      isError: false,
      complete: true,
      isStub: false,
      paths: null,
    };
  }
  return { state, thread };
}

const BECAUSE = { why: 'full', at: 9 };

test.each([
  ['exactly the budget', 0],
  ['below the budget', 500],
])('shortenThread: a thread of %s → nothing changes, nothing journaled (X3)', (_, room) => {
  const { state, thread } = runWith(5, 100);
  const before = structuredClone(state);
  shortenThread(state, thread, thread.tokens + room, BECAUSE);
  expect(state).toEqual(before);
});

test('shortenThread: over the limit → the oldest turns go, well below it, a new epoch, tokens and dropped anew, journaled (X3, ST2)', () => {
  const { state, thread } = runWith(5, 100);
  shortenThread(state, thread, 300, BECAUSE);
  expect(thread.messages.map(({ id }) => id)).toEqual(['g', 'cut-main-4', 'a4', 'r4', 'b']);
  expect(thread.tokens).toBeLessThanOrEqual(210);
  expect(thread).toMatchObject({ epoch: 4, dropped: 18, tokens: tokensOf(thread.messages) });
  expect(state.log.journal.events).toEqual([
    { seq: 1, at: 9, type: 'thread_trimmed', thread: MAIN_THREAD, dropped: 8, shortened: 0, why: 'full' },
  ]);
});

test('shortenThread: a result that was cut → forgotten where it can not be read, kept where it has a reference (LI8)', () => {
  const { state, thread } = runWith(3, 1_000);
  const [message] = thread.messages.filter(({ id }) => id === 'r0');
  const [part] = message?.kind === 'tool_result' ? message.content[0].content : [];
  if (part?.type === 'text') Object.assign(part, { ref: 'blob:1', totalBytes: 4_000, headBytes: 3_000 });
  shortenThread(state, thread, 3_000, BECAUSE);
  expect(thread).toMatchObject({ dropped: 10, epoch: 4 });
  expect(Object.values(state.tools.ledger.entries).map(({ messageId }) => messageId)).toEqual(['r0', 'r2']);
});

test('shortenThread: the task at hand waits behind a question → its instruction stays (LI6)', () => {
  const { state, thread } = runWith(5, 100);
  const instruction: Message = {
    ...said('task', 'instruction'),
    kind: 'user',
    purpose: 'instruction',
    taskId: 'task-1',
  } as Message;
  thread.messages.splice(1, 0, instruction);
  thread.tokens = tokensOf(thread.messages);
  state.cursor.position = executionAt(1, { kind: 'work', taskId: 'task-1' });
  state.cursor.interrupts.push(
    newConsultation({ key: 'k', role: 'reviewer', output: 'review', instruction: '' }),
  );
  shortenThread(state, thread, 300, BECAUSE);
  expect(thread.messages.map(({ id }) => id)).toContain('task');
});

test('shortenThread: results that went → the ledger forgets those and keeps the others (X3, D4)', () => {
  const { state, thread } = runWith(5, 100);
  shortenThread(state, thread, 300, BECAUSE);
  expect(Object.values(state.tools.ledger.entries).map(({ messageId }) => messageId)).toEqual(['r4']);
});

test('shortenThread: over the budget, but all of it must stay → nothing changes, no new epoch (X3)', () => {
  const { state, thread } = runWith(0, 0);
  const before = structuredClone(state);
  shortenThread(state, thread, 1, BECAUSE);
  expect(state).toEqual(before);
});

test('shortenThread: any thread and budget → calls stay paired, goal and instruction stay, the ledger names only what is there (X3, G7)', () => {
  fc.assert(
    fc.property(fc.nat(12), fc.nat(200), fc.nat(2000), (turns, tokens, budget) => {
      const { state, thread } = runWith(turns, tokens);
      const own = () => thread.messages.filter(({ kind }) => kind !== 'cut').length;
      const all = own() + thread.dropped;
      shortenThread(state, thread, budget, BECAUSE);
      const ids = new Set(thread.messages.map(({ id }) => id));
      expect(pairingFaults(thread.messages)).toEqual({ open: [], stray: [] });
      expect(ids.has('g') && ids.has('b')).toBe(true);
      expect(own() + thread.dropped).toBe(all);
      expect(Object.values(state.tools.ledger.entries).every(({ messageId }) => ids.has(messageId))).toBe(
        true,
      );
      if (budget > 300) expect(thread.tokens).toBeLessThanOrEqual(budget);
    }),
  );
});
