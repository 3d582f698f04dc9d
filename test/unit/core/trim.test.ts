import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Message, NO_USAGE, pairingFaults } from '../../../src/core/message.js';
import { estimateMessageTokens } from '../../../src/core/tokens.js';
import { trimThread } from '../../../src/core/trim.js';

function user(id: string, purpose: 'goal' | 'brief' | 'reask', size = 4): Message {
  return { id, at: 0, kind: 'user', purpose, content: [{ type: 'text', text: 'u'.repeat(size) }] };
}

function reply(id: string, calls: string[] = [], size = 4): Message {
  return {
    id,
    at: 0,
    kind: 'assistant',
    action: 'answering',
    role: 'executor',
    stopReason: calls.length > 0 ? 'tool_use' : 'end_turn',
    model: 'p/m',
    usage: NO_USAGE,
    content: [
      { type: 'text', text: 'a'.repeat(size) },
      ...calls.map(call => ({ type: 'tool_use' as const, id: call, name: 'read', input: {} })),
    ],
  };
}

function result(call: string, size = 4): Message {
  return {
    id: `r-${call}`,
    at: 0,
    kind: 'tool_result',
    content: [
      {
        type: 'tool_result',
        note: '',
        toolUseId: call,
        toolName: 'read',
        ending: 'executed',
        content: [{ type: 'text', text: 'r'.repeat(size) }],
        isError: false,
        durationMs: 1,
      },
    ],
  };
}

function note(id: string): Message {
  return { id, at: 0, kind: 'system_event', content: [{ type: 'text', text: 'note' }] };
}

const total = (messages: readonly Message[]) =>
  messages.reduce((sum, each) => sum + estimateMessageTokens(each), 0);
const ids = (messages: readonly Message[]) => messages.map(message => message.id);

/** Threads as runs write them: every call has its result, notes and messages may lie between. */
const turn = fc.record({
  kind: fc.constantFrom('goal', 'brief', 'reask', 'note', 'reply', 'tools', 'tools'),
  size: fc.integer({ min: 0, max: 400 }),
  calls: fc.integer({ min: 1, max: 4 }),
  between: fc.boolean(),
});
const thread = fc.array(turn, { maxLength: 20 }).map(turns =>
  turns.flatMap(({ kind, size, calls, between }, index): Message[] => {
    if (kind === 'note') return [note(`n${index}`)];
    if (kind === 'reply') return [reply(`a${index}`, [], size)];
    if (kind === 'goal' || kind === 'brief' || kind === 'reask') return [user(`u${index}`, kind, size)];
    const callIds = Array.from({ length: calls }, (_, call) => `c${index}_${call}`);
    return [
      reply(`a${index}`, callIds, size),
      ...(between ? [note(`n${index}`), user(`u${index}`, 'brief', 4)] : []),
      ...callIds.map(call => result(call, size)),
    ];
  }),
);
const budget = fc.integer({ min: 0, max: 2_000 });

describe('trimThread', () => {
  it('X3 trimThread: within the budget → the same messages', () => {
    const messages = [user('g', 'goal'), reply('a')];
    expect(trimThread(messages, 100)).toEqual({ messages, dropped: 0 });
  });

  it('X3 trimThread: over the budget → the oldest go, the goal and the last brief stay', () => {
    const messages = [
      user('g', 'goal'),
      user('b1', 'brief'),
      reply('a1', [], 400),
      user('b2', 'brief'),
      reply('a2'),
    ];
    const { messages: kept, dropped } = trimThread(messages, 30);
    expect([ids(kept), dropped]).toEqual([['g', 'b2', 'a2'], 2]);
  });

  it('X3 trimThread: only as much goes as must', () => {
    const messages = [user('g', 'goal'), reply('a1'), reply('a2'), reply('a3'), user('b', 'brief')];
    expect(ids(trimThread(messages, 24).messages)).toEqual(['g', 'a2', 'a3', 'b']);
    expect(ids(trimThread(messages, 20).messages)).toEqual(['g', 'a2', 'a3', 'b']);
    expect(ids(trimThread(messages, 19).messages)).toEqual(['g', 'a3', 'b']);
  });

  it('X3 G7 trimThread: a reply with calls → goes with all its results and what lies between', () => {
    const tools = [reply('a1', ['c1', 'c2']), result('c1', 400), note('n'), result('c2')];
    const messages = [user('g', 'goal'), ...tools, user('b', 'brief'), reply('a2', ['c3']), result('c3')];
    expect(ids(trimThread(messages, 60).messages)).toEqual(['g', 'b', 'a2', 'r-c3']);
  });

  it('X3 trimThread: a brief between a call and its result → keeps the whole group', () => {
    const messages = [user('g', 'goal'), reply('a1', ['c1']), user('b', 'brief'), result('c1', 4_000)];
    expect(trimThread(messages, 10).dropped).toBe(0);
  });

  it('X3 trimThread: a call that waits for its result → stays one message, and never loses others', () => {
    const messages = [user('g', 'goal'), reply('a1', ['c1'], 400), reply('a2'), user('b', 'brief')];
    expect(ids(trimThread(messages, 40).messages)).toEqual(['g', 'a2', 'b']);
  });

  it('X3 G7 trimThread: the last reply while its calls wait → is kept with the results it has', () => {
    const open = [reply('a2', ['c1', 'c2'], 400), result('c1', 400)];
    const messages = [user('g', 'goal'), user('b', 'brief'), reply('a1'), ...open];
    expect(ids(trimThread(messages, 10).messages)).toEqual(['g', 'b', 'a2', 'r-c1']);
  });

  it('X3 trimThread: a summary instead of older history, no goal → nothing special', () => {
    const summary: Message = {
      id: 's',
      at: 0,
      kind: 'summary',
      content: [{ type: 'text', text: 'x'.repeat(400) }],
    };
    expect(ids(trimThread([summary, user('b', 'brief')], 10).messages)).toEqual(['b']);
    expect(trimThread([], 0)).toEqual({ messages: [], dropped: 0 });
  });

  it('X3 G7 trimThread: any thread, any budget → pairs hold, order holds, goal and last brief stay', () => {
    fc.assert(
      fc.property(thread, budget, (messages, tokens) => {
        const { messages: kept, dropped } = trimThread(messages, tokens);
        expect(pairingFaults(kept)).toEqual({ open: [], stray: [] });
        expect(kept).toEqual(messages.filter(message => kept.includes(message)));
        expect(dropped).toBe(messages.length - kept.length);
        const goal = messages.find(message => message.kind === 'user' && message.purpose === 'goal');
        const wish = messages.findLast(message => message.kind === 'user' && message.purpose !== 'reask');
        for (const anchor of [goal, wish]) if (anchor) expect(kept).toContain(anchor);
      }),
    );
  });

  it('X3 trimThread: any thread, any budget → the budget holds unless only what must stay is left', () => {
    fc.assert(
      fc.property(thread, budget, (messages, tokens) => {
        const { messages: kept } = trimThread(messages, tokens);
        const least = trimThread(messages, 0).messages;
        if (total(kept) > tokens) expect(kept).toEqual(least);
        expect(total(least)).toBeLessThanOrEqual(total(kept));
      }),
    );
  });

  it('X3 trimThread: trimmed again with the same budget → the same', () => {
    fc.assert(
      fc.property(thread, budget, (messages, tokens) => {
        const { messages: kept } = trimThread(messages, tokens);
        expect(trimThread(kept, tokens)).toEqual({ messages: kept, dropped: 0 });
      }),
    );
  });
});
