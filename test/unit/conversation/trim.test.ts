import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BUILT_IN_WORDS } from '../../../src/base/words/words.js';
import { unneededResults } from '../../../src/conversation/shorten-result.js';
import { toolResultText } from '../../../src/conversation/tool-result.js';
import { trimThread as trim } from '../../../src/conversation/trim.js';
import { estimateMessageTokens } from '../../../src/run/limits/tokens.js';
import { type Message, NO_USAGE, textOf, type UserMessage } from '../../../src/run/messages/message.js';
import { pairingFaults } from '../../support/pairing.js';

const MARK = { id: 'cut', at: 0 };
/** To exactly the budget, unless told otherwise. */
const trimThread = (
  messages: readonly Message[],
  limitTokens: number,
  more: { targetTokens?: number; taskId?: string } = {},
) =>
  trim(messages, {
    limitTokens,
    targetTokens: limitTokens,
    taskId: null,
    mark: MARK,
    words: BUILT_IN_WORDS.en,
    ...more,
  });

function user(id: string, purpose: UserMessage['purpose'], size = 4, taskId?: string): Message {
  const task = taskId === undefined ? {} : { taskId };
  return { id, at: 0, kind: 'user', purpose, ...task, content: [{ type: 'text', text: 'u'.repeat(size) }] };
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

const total = (messages: readonly Message[]) =>
  messages.reduce((sum, each) => sum + estimateMessageTokens(each), 0);
const ids = (messages: readonly Message[]) => messages.map(message => message.id);

/** Threads as runs write them: every call has its result, messages may lie between. */
const turn = fc.record({
  kind: fc.constantFrom('goal', 'instruction', 'steer', 'reask', 'reply', 'tools', 'tools'),
  size: fc.oneof(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 6_000 })),
  calls: fc.integer({ min: 1, max: 4 }),
  between: fc.boolean(),
});
const thread = fc.array(turn, { maxLength: 20 }).map(turns =>
  turns.flatMap(({ kind, size, calls, between }, index): Message[] => {
    if (kind === 'reply') return [reply(`a${index}`, [], size)];
    if (kind !== 'tools') return [user(`u${index}`, kind, size)];
    const callIds = Array.from({ length: calls }, (_, call) => `c${index}_${call}`);
    return [
      reply(`a${index}`, callIds, size),
      ...(between ? [user(`u${index}`, 'instruction', 4)] : []),
      ...callIds.map(call => result(call, size)),
    ];
  }),
);
const budget = fc.integer({ min: 0, max: 2_000 });

/** A thread of `turns` tool turns, as the turn loop writes it. */
function longThread(turns: number, size: number): Message[] {
  return Array.from({ length: turns }, (_, turn) => [
    reply(`a${turn}`, [`c${turn}`]),
    result(`c${turn}`, size),
  ]).flat();
}

const textsOf = (messages: readonly Message[]) =>
  messages.map(message =>
    message.kind === 'tool_result' ? toolResultText(message.content[0]) : textOf(message),
  );

describe('trimThread', () => {
  it('X3 trimThread: within the limit → the same messages', () => {
    const messages = [user('g', 'goal'), reply('a')];
    expect(trimThread(messages, 100)).toMatchObject({ messages, dropped: 0, shortened: 0, lost: [] });
  });

  it('LI7 trimThread: over the limit → old results are cut to head and tail first, oldest first, and say so', () => {
    const messages = [user('g', 'goal'), ...longThread(4, 8_000), user('b', 'instruction')];
    const trimmed = trimThread(messages, 7_000);
    expect(trimmed).toMatchObject({ dropped: 0, shortened: 1, lost: ['r-c0'] });
    expect(ids(trimmed.messages)).toEqual(ids(messages));
    const [first] = textsOf(trimmed.messages.filter(({ id }) => id === 'r-c0'));
    expect(first).toMatch(
      /^Shortened since, .*call again.*\n<tool_output[^>]*>\nr{800}\n\[… 6800 characters left out …\]\nr{400}\n/,
    );
  });

  it('LI7 trimThread: shortening is not enough → results become a line each, then messages go', () => {
    const messages = [user('g', 'goal'), ...longThread(6, 8_000), user('b', 'instruction')];
    const lines = trimThread(messages, 3_000);
    expect(lines.dropped).toBe(0);
    expect(textsOf(lines.messages)[2]).toBe(
      'Left out since, to fit the context: the result of read, 1232 characters. If it is still needed, call again.',
    );
    const fewer = trimThread(messages, 2_150);
    expect(ids(fewer.messages)).toEqual(['g', 'cut', 'a3', 'r-c3', 'a4', 'r-c4', 'a5', 'r-c5', 'b']);
    expect(textsOf(fewer.messages)[1]).toBe(
      '[To fit the context, 6 earlier message(s) of this conversation were left out here. With them went results of read (3 times): call a tool again for what is still needed.]',
    );
  });

  it('LI6 trimThread: what the workspace says of its project → stays, at its position', () => {
    const messages = [
      user('n', 'notes'),
      user('g', 'goal'),
      ...longThread(6, 8_000),
      user('b', 'instruction'),
    ];
    const { messages: left, dropped } = trimThread(messages, 2_150);
    expect(dropped).toBeGreaterThan(0);
    expect(ids(left).slice(0, 3)).toEqual(['n', 'g', 'cut']);
  });

  it('LI7 trimThread: a result with a reference → cut, and still readable by it', () => {
    const long = result('c0', 8_000);
    const block = long.kind === 'tool_result' ? long.content[0] : null;
    const [part] = block?.content ?? [];
    if (part?.type === 'text') Object.assign(part, { ref: 'blob:1', totalBytes: 90_000, headBytes: 6_000 });
    const trimmed = trimThread([user('g', 'goal'), reply('a0', ['c0']), long, reply('a1')], 1_000);
    expect(trimmed).toMatchObject({ shortened: 1, lost: [] });
    expect(textsOf(trimmed.messages)[2]).toContain('Read on in blob:1 at offset 800.');
  });

  it('LI7 trimThread: the results that nobody has read → stay whole while anything else can go, then are cut too', () => {
    const messages = [user('g', 'goal'), ...longThread(3, 8_000), user('b', 'instruction')];
    expect(textsOf(trimThread(messages, 2_200).messages).at(-2)).toContain('r'.repeat(8_000));
    const alone = trimThread(messages, 500);
    expect(textsOf(alone.messages).at(-2)).toMatch(/^Shortened since/);
    expect(alone.tokens).toBeLessThanOrEqual(500);
  });

  it('LI6 trimThread: a later goal → its text, what was said since and the instructions of its task stay, the first goal goes', () => {
    const messages = [
      user('g1', 'goal'),
      user('s1', 'steer'),
      user('b1', 'instruction', 4, 'task-1'),
      reply('a1', [], 400),
      user('g2', 'goal'),
      user('b2', 'instruction', 4, 'task-1'),
      reply('a2', [], 400),
      user('s2', 'steer'),
      reply('a3', [], 400),
      user('b3', 'instruction'),
      reply('a4', [], 400),
    ];
    const { messages: kept } = trimThread(messages, 10, { taskId: 'task-1' });
    expect(ids(kept)).toEqual(['cut', 'g2', 'b2', 's2', 'b3']);
  });

  it('X3 G7 trimThread: a reply with calls → goes with all its results and what lies between', () => {
    const tools = [reply('a1', ['c1', 'c2']), result('c1', 400), user('s', 'instruction', 4), result('c2')];
    const messages = [
      user('g', 'goal'),
      ...tools,
      user('b', 'instruction'),
      reply('a2', ['c3']),
      result('c3'),
    ];
    expect(ids(trimThread(messages, 60).messages)).toEqual(['g', 'cut', 'b', 'a2', 'r-c3']);
  });

  it('X3 trimThread: an instruction between a call and its result → keeps the whole group', () => {
    const messages = [user('g', 'goal'), reply('a1', ['c1']), user('b', 'instruction'), result('c1', 4_000)];
    expect(trimThread(messages, 10).dropped).toBe(0);
  });

  it('X3 G7 trimThread: the last reply while its calls wait → is kept with the results it has', () => {
    const open = [reply('a2', ['c1', 'c2'], 400), result('c1', 400)];
    const messages = [user('g', 'goal'), user('b', 'instruction'), reply('a1'), ...open];
    expect(ids(trimThread(messages, 10).messages)).toEqual(['g', 'b', 'cut', 'a2', 'r-c1']);
  });

  it('X3 trimThread: nothing → nothing', () => {
    expect(trimThread([], 0)).toMatchObject({ messages: [], dropped: 0 });
  });

  it('LI7 trimThread: cut once more → one note for both cuts, at its old position', () => {
    const first = trimThread([user('g', 'goal'), ...longThread(6, 8_000), user('b', 'instruction')], 2_150);
    const longer = [...first.messages, ...longThread(9, 800).slice(4), reply('last')];
    const second = trimThread(longer, 1_000);
    expect(second.messages.filter(({ kind }) => kind === 'cut')).toHaveLength(1);
    expect(second.messages[1]).toMatchObject({ kind: 'cut', dropped: first.dropped + second.dropped });
  });

  it('X3 G7 LI6 trimThread: any thread, limit and target → pairs and order hold, what is wanted now stays', () => {
    fc.assert(
      fc.property(thread, budget, fc.double({ min: 0.3, max: 1, noNaN: true }), (messages, limit, share) => {
        const targetTokens = Math.floor(limit * share);
        const { messages: kept, dropped, tokens } = trimThread(messages, limit, { targetTokens });
        expect(pairingFaults(kept)).toEqual({ open: [], stray: [] });
        const own = kept.filter(message => message.kind !== 'cut');
        const stay = new Set(ids(own));
        expect(ids(own)).toEqual(ids(messages).filter(id => stay.has(id)));
        expect(dropped).toBe(messages.length - own.length);
        expect(tokens).toBe(total(kept));
        const isUser = (message: Message, purpose: string) =>
          message.kind === 'user' && message.purpose === purpose;
        const goal = messages.findLastIndex(message => isUser(message, 'goal'));
        const userNotes = messages.filter((message, at) => at > goal && isUser(message, 'steer'));
        const userNote = messages.findLast(message => message.kind === 'user' && message.purpose !== 'reask');
        for (const anchor of [messages[goal], userNote, ...userNotes])
          if (anchor) expect(kept).toContain(anchor);
      }),
    );
  });

  it('X3 trimThread: any thread, any limit → it holds unless only what must stay is left', () => {
    fc.assert(
      fc.property(thread, budget, (messages, tokens) => {
        const { messages: kept } = trimThread(messages, tokens);
        const least = trimThread(messages, 0).messages;
        if (total(kept) > tokens) expect(ids(kept)).toEqual(ids(least));
      }),
    );
  });

  it('X3 trimThread: trimmed again with the same rules → the same', () => {
    fc.assert(
      fc.property(thread, budget, (messages, tokens) => {
        const { messages: kept } = trimThread(messages, tokens);
        expect(trimThread(kept, tokens)).toMatchObject({ messages: kept, dropped: 0, shortened: 0 });
      }),
    );
  });

  it('ST2 trimThread: 600 turns that fill the context many times over → trimmed rarely, the same beginning in between', () => {
    const rules = { targetTokens: 14_000 };
    let kept: Message[] = [user('g', 'goal'), user('b', 'instruction')];
    let epochs = 0;
    for (const message of longThread(600, 4_000)) {
      kept.push(message);
      const trimmed = trimThread(kept, 20_000, rules);
      if (trimmed.dropped + trimmed.shortened > 0) epochs += 1;
      kept = trimmed.messages;
    }
    // A turn adds about 1,000 tokens, and a trim makes room for 6,000.
    expect(epochs).toBeLessThanOrEqual(110);
    expect(epochs).toBeGreaterThan(50);
  });
});

describe('SE3: what goes first', () => {
  /** A call with its arguments, and its result. */
  function called(id: string, input: Record<string, unknown>, size: number): Message[] {
    const asked = reply(`c-${id}`, [id]);
    if (asked.kind !== 'assistant') throw new Error('a reply');
    const content = asked.content.map(block => (block.type === 'tool_use' ? { ...block, input } : block));
    return [{ ...asked, content }, result(id, size)];
  }
  const goal: Message = {
    ...{ id: 'goal', at: 0, kind: 'user', purpose: 'goal' },
    content: [{ type: 'text', text: 'Mend what docs/ISSUE.md says.' }],
  };
  const thread = [
    goal,
    ...called('named', { path: 'docs/ISSUE.md' }, 8_000),
    ...called('old', { path: 'b.ts' }, 3_000),
    ...called('small', { path: 'c.ts' }, 500),
    ...called('middle', { path: 'd.ts' }, 4_000),
    ...called('large', { path: 'e.ts' }, 9_000),
    ...called('part', { path: 'f.ts', offset: 5 }, 2_000),
    ...called('again', { path: 'b.ts' }, 3_000),
    ...called('whole', { path: 'f.ts' }, 2_000),
    ...called('edit', { path: 'd.ts', edits: [] }, 100),
    reply('last'),
  ];
  const rules = { taskId: null, mark: MARK, words: BUILT_IN_WORDS.en, recalls: true, resultsOnly: true };
  const gone = (targetTokens: number, messages = thread) =>
    trim(messages, { ...rules, limitTokens: targetTokens, targetTokens, byWorth: true })
      .messages.flatMap(message => (message.kind === 'tool_result' ? [message.content[0]] : []))
      .filter(({ content }) => content.length === 0)
      .map(({ toolUseId }) => toolUseId);

  it('what is read again, read whole or written since goes first, then the largest', () => {
    const tokens = total(thread);
    expect(gone(tokens - 100)).toEqual(['old']);
    expect(gone(tokens - 2_000)).toEqual(['old', 'middle', 'part']);
    expect(gone(tokens - 2_500)).toEqual(['old', 'middle', 'large', 'part']);
  });

  it('short results and files that the goal names stay, however much is wanted', () => {
    expect(gone(1)).toEqual(['old', 'middle', 'large', 'part', 'again', 'whole']);
  });

  it('X2: old results → unneeded, unless they are short, are named by people, or a call has gone back to the file', () => {
    const since = (count: number) => Array.from({ length: count }, (_, at) => reply(`r${at}`));
    const early = thread.slice(0, -1);
    const found = (messages: Message[]) =>
      unneededResults(messages).map(({ at, replies }) => {
        const message = messages[at];
        return [message?.kind === 'tool_result' && message.content[0].toolUseId, replies];
      });
    expect(found([...early, ...since(8)])).toEqual([['large', 2]]);
    // What is written or read again counts from then on.
    expect(found([...early, ...since(12)])).toEqual([
      ...[
        ['old', 4],
        ['middle', 2],
        ['part', 3],
        ['large', 6],
        ['again', 4],
        ['whole', 3],
      ],
    ]);
    expect(found([...early, ...since(5), ...called('back', { path: 'e.ts' }, 100), ...since(5)])).toEqual([
      ...[
        ['old', 3],
        ['middle', 1],
        ['part', 2],
        ['again', 3],
        ['whole', 2],
      ],
    ]);
  });

  it('a thread that its model does not take → they go too', () => {
    const forced = trim(thread, {
      ...rules,
      resultsOnly: false,
      limitTokens: 600,
      targetTokens: 600,
      byWorth: true,
    });
    expect(total(forced.messages)).toBeLessThanOrEqual(600);
  });
});
