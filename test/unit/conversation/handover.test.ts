import { expect, test } from 'vitest';
import { utf8Length } from '../../../src/base/json/json.js';
import { withShortTexts } from '../../../src/conversation/fit-message.js';
import { fitForHandover } from '../../../src/conversation/handover.js';
import { toolResult } from '../../../src/conversation/tool-result.js';
import { estimateMessageTokens } from '../../../src/run/limits/tokens.js';
import type { Message } from '../../../src/run/messages/message.js';
import { NO_USAGE } from '../../../src/run/messages/message.js';
import type { RunState } from '../../../src/run/state/run-state.js';
import { newRunState } from '../../../src/run/state/run-state.js';
import { MAIN_THREAD } from '../../../src/run/state/thread.js';
import { pairingFaults } from '../../support/pairing.js';

/** The server's limit for a workflow input. */
const SERVER_LIMIT_BYTES = 2_000_000;

function stateWith(messages: Message[]): RunState {
  const state = newRunState('The goal', { mode: 'team', workspace: '/w', autoApprove: false }, 1);
  const tokens = messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
  state.threads[MAIN_THREAD] = { id: MAIN_THREAD, epoch: 0, messages, tokens, dropped: 0 };
  return state;
}

function said(id: string, purpose: 'goal' | 'instruction' | 'steer', text: string): Message {
  return { id, at: 1, kind: 'user', purpose, content: [{ type: 'text', text }] };
}

/** A reply with two calls and their results of `bytes` each. */
function turn(number: number, bytes: number): Message[] {
  const calls = [0, 1].map(index => ({
    type: 'tool_use' as const,
    id: `c${number}_${index}`,
    name: 'read',
    input: {},
  }));
  const reply: Message = {
    id: `r${number}`,
    at: 1,
    kind: 'assistant',
    action: 'answering',
    role: 'executor',
    content: calls,
    stopReason: 'tool_use',
    model: 'p/m',
    usage: NO_USAGE,
  };
  const results = calls.map((call): Message => {
    const result = toolResult(call, 'executed', {
      content: [{ type: 'text', text: '帆'.repeat(bytes / 3) }],
    });
    return { id: `m${call.id}`, at: 1, kind: 'tool_result', content: [result] };
  });
  return [reply, ...results];
}

const bytesOf = (state: RunState) => utf8Length(JSON.stringify(state));

test('handover: a state of 3 MB → below the limit of an input, calls and results paired, goal and last instruction kept (L20, X3)', () => {
  const turns = Array.from({ length: 50 }, (_, number) => turn(number, 30_000)).flat();
  const state = stateWith([said('g', 'goal', 'The goal'), ...turns, said('b', 'instruction', 'Go on')]);
  expect(bytesOf(state)).toBeGreaterThan(3_000_000);
  const next = fitForHandover(state, 'run-a', 5);
  expect(bytesOf(next)).toBeLessThan(SERVER_LIMIT_BYTES);
  const thread = next.threads[MAIN_THREAD];
  const messages = thread?.messages ?? [];
  expect(pairingFaults(messages)).toEqual({ open: [], stray: [] });
  expect([messages[0]?.id, messages.at(-1)?.id]).toEqual(['g', 'b']);
  expect(messages.length).toBeGreaterThan(20);
  expect(thread).toMatchObject({ epoch: expect.any(Number), dropped: 152 - messages.length });
  expect(next.log.journal.events.map(event => event.type)).toContain('thread_trimmed');
});

test('handover: a small state → carried as it is, with segment and previous run (L20)', () => {
  const state = stateWith([said('g', 'goal', 'The goal')]);
  const next = fitForHandover(state, 'run-a', 5);
  expect(next).toMatchObject({ segment: 2, previousRunId: 'run-a', threads: state.threads });
  expect(next.log.journal.events).toMatchObject([{ type: 'continued_as_new', segment: 2 }]);
});

test('fitForHandover: more messages of a person than a state can take → within an input, the goal and the last ones there (ST1, L20)', () => {
  const many = Array.from({ length: 6_000 }, (_, n) => said(`s${n}`, 'steer', `${n} ${'x'.repeat(400)}`));
  const state = stateWith([said('g', 'goal', 'The goal'), ...many, ...turn(1, 100)]);
  const next = fitForHandover(state, 'run-a', 5);
  expect(utf8Length(JSON.stringify({ resume: next }))).toBeLessThan(SERVER_LIMIT_BYTES);
  const ids = next.threads[MAIN_THREAD]?.messages.map(({ id }) => id) ?? [];
  expect(ids[0]).toBe('g');
  expect(ids).toContain('s5999');
  expect(ids).not.toContain('s0');
  expect(pairingFaults(next.threads[MAIN_THREAD]?.messages ?? [])).toEqual({ open: [], stray: [] });
});

test('withShortTexts: a result whose fields alone are too much → whose it is stays, and the beginning of what it was', () => {
  const value = Object.fromEntries(Array.from({ length: 28 }, (_, n) => [`a_field_of_the_record_${n}`, n]));
  const result = toolResult({ id: 'c1_1', name: 'read' }, 'executed', { content: [{ type: 'json', value }] });
  const [short] = withShortTexts({ id: 'm1', at: 1, kind: 'tool_result', content: [result] }, 500).content;
  expect(short).toMatchObject({
    type: 'tool_result',
    toolUseId: 'c1_1',
    toolName: 'read',
    ending: 'executed',
  });
  expect(short.content).toMatchObject([
    { type: 'text', text: expect.stringMatching(/^\{"a_field_of_the_record_0":0,.*cut: \d+/) },
  ]);
});
