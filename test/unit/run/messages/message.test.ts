import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toolResult } from '../../../../src/conversation/tool-result.js';
import {
  type AssistantMessage,
  addUsage,
  type Message,
  NO_USAGE,
  PURPOSES,
  type Purpose,
  rulesOf,
  textOf,
  thoughtOf,
  toolCallsOf,
  type Usage,
} from '../../../../src/run/messages/message.js';
import { pairingFaults } from '../../../support/pairing.js';

function reply(content: AssistantMessage['content']): AssistantMessage {
  const base = {
    id: 'a',
    at: 1,
    kind: 'assistant' as const,
    action: 'answering' as const,
    role: 'executor',
    model: 'p/m',
    usage: NO_USAGE,
  };
  return { ...base, stopReason: 'end_turn', content };
}

const text = (value: string) => ({ type: 'text' as const, text: value });
const reasoning = (value: string) => ({ type: 'reasoning' as const, text: value });
const toolUse = (id: string) => ({ type: 'tool_use' as const, id, name: 'read', input: {} });
const calls = (...ids: string[]): Message => reply(ids.map(toolUse));
const result = (id: string): Message => {
  const block = toolResult({ id, name: 'read' }, 'executed');
  return { id: `r-${id}`, at: 1, kind: 'tool_result', content: [block] };
};
const USER: Message = { id: 'u', at: 1, kind: 'user', purpose: 'goal', content: [text('go')] };

describe('blocks of a reply', () => {
  const mixed = reply([reasoning('hm'), text('one'), toolUse('c1'), text('two'), toolUse('c2')]);

  test('textOf, toolCallsOf: a reply of all block types → texts by lines, calls in order (G1)', () => {
    expect(textOf(mixed)).toBe('one\ntwo');
    expect(toolCallsOf(mixed).map(({ id }) => id)).toEqual(['c1', 'c2']);
    expect(textOf(reply([toolUse('c1')]))).toBe('');
    expect(toolCallsOf(reply([text('x')]))).toEqual([]);
  });

  test.each([
    ['text and reasoning → the text', mixed, 'one\ntwo'],
    ['reasoning only → the reasoning', reply([reasoning('a'), toolUse('c'), reasoning('b')]), 'a\nb'],
    ['an empty text and reasoning → the reasoning', reply([text(''), reasoning('a')]), 'a'],
    ['nothing said → empty', reply([toolUse('c')]), ''],
  ])('thoughtOf: %s (O2)', (_, message, thought) => {
    expect(thoughtOf(message)).toBe(thought);
  });
});

describe('pairingFaults', () => {
  test.each<[string, Message[], string[], string[]]>([
    ['no messages → none', [], [], []],
    ['every call answered, in another order → none', [calls('c1', 'c2'), result('c2'), result('c1')], [], []],
    ['other messages between → none', [calls('c1'), USER, result('c1'), USER], [], []],
    ['a call without a result → open', [calls('c1', 'c2'), result('c1')], ['c2'], []],
    ['a result without a call → stray', [result('c9')], [], ['c9']],
    ['a result before its call → stray, and the call open', [result('c1'), calls('c1')], ['c1'], ['c1']],
    ['two results of one call → the second is stray', [calls('c1'), result('c1'), result('c1')], [], ['c1']],
  ])('pairingFaults: %s (G7)', (_, messages, open, stray) => {
    expect(pairingFaults(messages)).toEqual({ open, stray });
  });

  const turns = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 4 }), { maxLength: 20 });

  test('pairingFaults: any thread in which each call is answered later → none (G7)', () => {
    fc.assert(
      fc.property(turns, fc.array(fc.nat(), { maxLength: 20 }), (ids, picks) => {
        const thread: Message[] = [];
        const waiting: string[] = [];
        const answer = (pick: number) => {
          const [id] = waiting.splice(pick % Math.max(1, waiting.length), 1);
          if (id !== undefined) thread.push(result(id));
        };
        ids.forEach((id, index) => {
          thread.push(calls(id), USER);
          waiting.push(id);
          const pick = picks[index];
          if (pick !== undefined) answer(pick);
        });
        while (waiting.length > 0) answer(0);
        expect(pairingFaults(thread)).toEqual({ open: [], stray: [] });
      }),
    );
  });

  test('pairingFaults: one result removed or doubled in a good thread → exactly that id is told (G7)', () => {
    fc.assert(
      fc.property(turns, fc.nat(), (ids, at) => {
        fc.pre(ids.length > 0);
        const id = ids[at % ids.length] ?? '';
        const good = [calls(...ids), ...ids.map(result)];
        const without = good.filter(message => message.id !== `r-${id}`);
        expect(pairingFaults(without)).toEqual({ open: [id], stray: [] });
        expect(pairingFaults([...good, result(id)])).toEqual({ open: [], stray: [id] });
      }),
    );
  });
});

describe('addUsage', () => {
  const USED: Usage = {
    inputTokens: 1,
    outputTokens: 2,
    cachedInputTokens: 3,
    reasoningTokens: 4,
    costUsd: 0.5,
  };

  test('addUsage: two with known costs → all five summed (M9)', () => {
    const sum = { inputTokens: 2, outputTokens: 4, cachedInputTokens: 6, reasoningTokens: 8, costUsd: 1 };
    expect(addUsage(USED, USED)).toEqual(sum);
    expect(addUsage(NO_USAGE, USED)).toEqual(USED);
  });

  test('addUsage: an unknown cost on either side → unknown from then on, tokens still summed (M9)', () => {
    const unknown = { ...USED, costUsd: null };
    const expected = {
      inputTokens: 2,
      outputTokens: 4,
      cachedInputTokens: 6,
      reasoningTokens: 8,
      costUsd: null,
    };
    expect(addUsage(USED, unknown)).toEqual(expected);
    expect(addUsage(unknown, USED)).toEqual(expected);
    expect(addUsage(addUsage(NO_USAGE, unknown), NO_USAGE).costUsd).toBeNull();
  });

  test('addUsage: a call that cost nothing → 0, which is known (M9)', () => {
    expect(addUsage(NO_USAGE, NO_USAGE).costUsd).toBe(0);
  });
});

test('rulesOf: a purpose that later code stored → the rules of an instruction', () => {
  for (const purpose of ['pinned', 'constructor'])
    expect(rulesOf(purpose as Purpose)).toEqual(PURPOSES.instruction);
});
