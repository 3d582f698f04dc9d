import { describe, expect, it } from 'vitest';
import { DEFAULT_CONTEXT_TOKENS } from '../../../src/core/tokens.js';
import { costUsd, modelInfo, pinnedModel } from '../../../src/models/model-info.js';

describe('model info (M8)', () => {
  it.each([
    ['openai/gpt-5-mini', 272_000, true],
    ['openai/gpt-5-mini-2025-08-07', 272_000, true],
    ['openai/llama3.1:8b', 131_072, false],
    ['openai/models/gemini-2.5-flash', 1_048_576, false],
    ['openai/nobody-knows', DEFAULT_CONTEXT_TOKENS, false],
    ['openai/constructor', DEFAULT_CONTEXT_TOKENS, false],
  ])('%s → %i tokens, cost known %s', (id, contextTokens, costKnown) => {
    expect(pinnedModel(id)).toEqual({ contextTokens, costKnown });
  });

  it('a name that only begins like a known one → unknown, not that one’s price', () => {
    expect(modelInfo('openai/gpt-5-mini-turbo').prices).toBeNull();
  });

  it('cost: cached input at its own price; unknown model → null', () => {
    const usage = {
      inputTokens: 1_000_000,
      cachedInputTokens: 500_000,
      outputTokens: 1_000_000,
      reasoningTokens: 0,
    };
    expect(costUsd('openai/gpt-4o-mini', usage)).toBeCloseTo(0.075 + 0.0375 + 0.6, 10);
    expect(costUsd('openai/nobody-knows', usage)).toBeNull();
  });
});
