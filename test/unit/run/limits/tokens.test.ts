import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateMessageTokens, estimateTokens } from '../../../../src/run/limits/tokens.js';
import { type Message, NO_USAGE } from '../../../../src/run/messages/message.js';

describe('estimateTokens', () => {
  it.each([
    ['', 0],
    ['a', 1],
    ['abcd', 1],
    ['abcde', 2],
    ['hello world!', 3],
    ['任务已完成', 5],
    ['ひらがな', 4],
    ['カタカナ', 4],
    ['한국어', 3],
    ['ＡＢＣ', 3],
    ['。，！', 3],
    ['𠀀𠀁', 2],
    ['任务 abcd', 4],
    ['àéîõ', 1],
    ['Привет', 2],
    ['👍', 1],
  ])('X4 estimateTokens: %j → %d', (text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });

  it('X4 estimateTokens: two texts joined → no more than their sum, and no less than either', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        const joined = estimateTokens(a + b);
        expect(joined).toBeLessThanOrEqual(estimateTokens(a) + estimateTokens(b));
        expect(joined).toBeGreaterThanOrEqual(Math.max(estimateTokens(a), estimateTokens(b)));
      }),
    );
  });
});

describe('estimateMessageTokens', () => {
  const base = { id: 'm1', at: 0 };

  it('X4 M12 message: reasoning → not counted; text and calls are', () => {
    const reply: Message = {
      ...base,
      kind: 'assistant',
      action: 'answering',
      role: 'executor',
      stopReason: 'tool_use',
      model: 'p/m',
      usage: NO_USAGE,
      content: [
        { type: 'reasoning', text: 'x'.repeat(4000) },
        { type: 'text', text: 'abcd' },
        { type: 'tool_use', id: 'c1', name: 'read', input: { path: 'a' } },
      ],
    };
    expect(estimateMessageTokens(reply)).toBe(4 + 1 + 1 + 3);
  });

  it('X4 message: a tool result → every kind of content counts', () => {
    const result = (content: unknown): Message =>
      ({
        ...base,
        kind: 'tool_result',
        content: [
          {
            type: 'tool_result',
            toolUseId: 'c',
            toolName: 't',
            ending: 'executed',
            note: '',
            content: [content],
            isError: false,
            durationMs: 0,
          },
        ],
      }) as Message;
    expect(estimateMessageTokens(result({ type: 'text', text: '完成' }))).toBe(6);
    expect(estimateMessageTokens(result({ type: 'json', value: { a: 1 } }))).toBe(6);
    expect(estimateMessageTokens(result({ type: 'resource', uri: 'file', text: 'abcd' }))).toBe(6);
    expect(
      estimateMessageTokens(result({ type: 'image', mimeType: 'i', ref: 'r', totalBytes: 9 })),
    ).toBeGreaterThan(100);
  });
});
