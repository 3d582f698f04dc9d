import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import {
  knownModels,
  type ModelsConfig,
  modelInfo,
  pricedUsage,
} from '../../../../src/models/provider/model-info.js';
import { DEFAULT_CONTEXT_TOKENS } from '../../../../src/run/limits/tokens.js';

const CONFIG: ModelsConfig = {
  endpoints: {
    home: { baseUrl: 'http://localhost:11434/v1', contextTokens: 32_768, headers: {} },
    gateway: { baseUrl: 'https://llm.example/v1', headers: {} },
    google: { baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai', headers: {} },
    fast: { baseUrl: 'https://api.groq.com/openai/v1', headers: {} },
  },
  info: {
    'home/qwen3': {
      contextTokens: 40_960,
      maxOutputTokens: 4_096,
      prices: { input: 0, output: 0 },
      capabilities: { tools: true },
    },
    'openai/gpt-5-mini': { prices: { input: 1, output: 2 } },
  },
};

describe('model info (M8)', () => {
  it.each([
    ['openai/gpt-5-mini', 272_000, 128_000, true],
    ['openai/gpt-5-mini-2025-08-07', 272_000, 128_000, true],
    ['anthropic/claude-sonnet-5', 1_000_000, 128_000, true],
    ['anthropic/claude-haiku-4-5-20251001', 200_000, 64_000, true],
    ['google/models/gemini-2.5-flash', 1_048_576, 65_536, true],
    ['gateway/openai/gpt-5-mini', 272_000, 128_000, true],
    ['gateway/anthropic/claude-sonnet-4.5', 200_000, 64_000, true],
    ['fast/openai/gpt-oss-120b', 131_072, 65_536, true],
    // Who serves open weights has prices of its own.
    ['gateway/gpt-oss-120b', 131_072, 32_768, false],
    ['home/gpt-oss-120b', 32_768, 32_768, false],
    ['home/llama3.1:8b', 32_768, 6_553, false],
    ['home/qwen3', 40_960, 4_096, true],
    ['demo/rules', 2_000_000, null, true],
    ['openai/nobody-knows', DEFAULT_CONTEXT_TOKENS, null, false],
    ['openai/constructor', DEFAULT_CONTEXT_TOKENS, null, false],
  ])('%s → %i tokens, replies up to %j, cost known %s', (id, contextTokens, maxOutputTokens, costKnown) => {
    const { prices, ...info } = modelInfo(id, CONFIG);
    expect(info).toMatchObject({ contextTokens, maxOutputTokens });
    expect(prices !== null).toBe(costKnown);
  });

  it('a name that only begins like a known one → unknown, not that one’s price', () => {
    expect(modelInfo('openai/gpt-5-mini-turbo').prices).toBeNull();
  });

  it('capabilities: known, said by the configuration, and null where neither says', () => {
    expect(modelInfo('openai/gpt-5-mini').capabilities).toEqual({
      tools: true,
      vision: true,
      json: true,
      reasoning: true,
    });
    expect(modelInfo('home/qwen3', CONFIG).capabilities).toEqual({
      tools: true,
      vision: null,
      json: null,
      reasoning: null,
    });
  });

  it('the configuration says a price → before the known one, for this id only', () => {
    expect(modelInfo('openai/gpt-5-mini', CONFIG).prices).toEqual({ input: 1, output: 2 });
    expect(modelInfo('gateway/gpt-5-mini', CONFIG).prices).toMatchObject({ input: 0.25 });
  });

  it('a variable moves an endpoint to another host → prices of that host', () => {
    const moved = modelInfo('openai/openai/gpt-oss-120b', undefined, () => 'https://api.groq.com/openai/v1');
    expect(moved.prices).toMatchObject({ input: 0.15 });
    expect(modelInfo('openai/openai/gpt-oss-120b').prices).toBeNull();
  });
});

describe('cost (M8, LI3)', () => {
  const MILLION = 1_000_000;
  const usage = { inputTokens: MILLION, cachedInputTokens: 0, outputTokens: MILLION, reasoningTokens: 0 };
  const long = { input: 2, output: 20, cachedInput: 0.2, above: 200_000 };
  const prices = { input: 1, output: 10, cachedInput: 0.1, cacheWriteInput: 1.25, longContext: [long] };

  it.each([
    ['plain', prices, { inputTokens: 100_000, outputTokens: 0 }, 0.1],
    [
      'of which half cached',
      prices,
      { inputTokens: 100_000, cachedInputTokens: 50_000, outputTokens: 0 },
      0.055,
    ],
    [
      'and a part written to the cache',
      prices,
      { inputTokens: 100_000, cachedInputTokens: 50_000, cacheWriteInputTokens: 40_000, outputTokens: 0 },
      0.01 + 0.005 + 0.05,
    ],
    ['at the edge of long contexts', prices, { inputTokens: 200_000, outputTokens: 1_000 }, 0.2 + 0.01],
    [
      'over it: all of it, the reply too',
      prices,
      { inputTokens: 200_001, outputTokens: 1_000 },
      0.400_002 + 0.02,
    ],
    [
      'cache at no price of its own',
      { input: 1, output: 10 },
      { cachedInputTokens: MILLION, outputTokens: 0 },
      1,
    ],
  ])('%s → %#', (_, given, part, wanted) => {
    expect(pricedUsage(given, { ...usage, ...part }).costUsd).toBeCloseTo(wanted, 10);
  });

  it('unknown prices → null, never 0', () => {
    expect(pricedUsage(null, usage).costUsd).toBeNull();
  });
});

/** Model ids as documents and examples name them: each has a number. */
const NAMED = /\b(?:openai|anthropic)\/(?!v1\b)(?=[\w.-]*\d)[a-z0-9][\w.-]*\w/g;
const PLACES = [
  'README.md',
  'AGENTS.md',
  'steersman.yaml',
  '.env.example',
  'docs',
  'examples',
  'docker',
  'prompts',
  'src',
];

test('model names in documents, examples and configuration: all of them → in the data', () => {
  const root = new URL('../../../..', import.meta.url).pathname;
  const files = readdirSync(root, { recursive: false, encoding: 'utf8' })
    .filter(name => PLACES.includes(name))
    .flatMap(name => {
      if (name.includes('.')) return [name];
      return readdirSync(`${root}/${name}`, { recursive: true, encoding: 'utf8' }).map(
        file => `${name}/${file}`,
      );
    })
    .filter(file => /\.(md|ya?ml|ts|example)$/.test(file));
  const known = new Set(knownModels());
  const named = files.flatMap(file => {
    const text = readFileSync(`${root}/${file}`, 'utf8');
    return [...text.matchAll(NAMED)].map(([id]) => ({ file, id }));
  });
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(({ id }) => !known.has(id))).toEqual([]);
});
