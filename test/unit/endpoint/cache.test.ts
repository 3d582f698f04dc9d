/**
 * The providers' prompt caches, with cases counted by hand: a text of 4n characters outside CJK is n tokens. Blocks and
 * parts are JSON, so `words` makes texts whose JSON is exactly as long as asked.
 */
import { describe, expect, test } from 'vitest';
import { type CacheBlock, MarkedCache } from '../../support/endpoint/cache/marked-cache.js';
import { PrefixCache } from '../../support/endpoint/cache/prefix-cache.js';
import { chatPrompt, messagesPrompt, responsesPrompt } from '../../support/endpoint/cache/prompt.js';
import { startScriptedModel } from '../../support/endpoint/model.js';

/** A text of this number of tokens. */
const words = (tokens: number, letter = 'a') => letter.repeat(4 * tokens);

describe("OpenAI's cache", () => {
  /** Requests one after the other; the cached tokens of the last. */
  const cachedOf = (...requests: string[][]) => {
    const cache = new PrefixCache();
    return requests.map(parts => cache.read('m', parts)).at(-1)?.cached;
  };

  test.each<[string, string[][], number]>([
    ['the first request', [[words(2_000)]], 0],
    ['the same again', [[words(2_048)], [words(2_048)]], 2_048],
    ['1,023 tokens again', [[words(1_023)], [words(1_023)]], 0],
    ['1,024 tokens again', [[words(1_024)], [words(1_024)]], 1_024],
    ['1,151 tokens again → a step is not full', [[words(1_151)], [words(1_151)]], 1_024],
    ['1,152 tokens again → the next step', [[words(1_152)], [words(1_152)]], 1_152],
    ['more behind it', [[words(1_100)], [words(1_100), words(900, 'b')]], 1_024],
    [
      'a part cut in its middle',
      [
        [words(1_000), words(1_000, 'b')],
        [words(1_000), `${words(300, 'b')}cc`],
      ],
      1_280,
    ],
    ['another beginning', [[words(5_000)], [`c${words(5_000)}`]], 0],
    ['the like of the one before the last', [[words(1_024), 'x'], ['y'], [words(1_024), 'z']], 1_024],
    [
      'the longest of two',
      [
        [words(1_024), words(300, 'b')],
        [words(1_024), words(600, 'b')],
        [words(1_024), words(600, 'b'), 'c'],
      ],
      1_536,
    ],
  ])('%s', (_what, requests, cached) => {
    expect(cachedOf(...requests)).toBe(cached);
  });

  test('another model, or another key → nothing in common; all tokens are counted, none as written', () => {
    const cache = new PrefixCache();
    const parts = [words(2_000), words(48, 'b')];
    cache.read('m with key a', parts);
    expect(cache.read('m with key b', parts)).toEqual({ inputTokens: 2_048, cached: 0, written: 0 });
    expect(cache.read('m with key a', parts)).toEqual({ inputTokens: 2_048, cached: 2_048, written: 0 });
  });
});

describe("Anthropic's cache", () => {
  type Given = [tokens: number, marked?: 'marked', beside?: string];
  const blocks = (...given: Given[]): CacheBlock[] =>
    given.map(([tokens, marked, beside = ''], at) => ({
      text: words(tokens, String.fromCharCode(97 + (at % 26))),
      beside,
      marked: marked === 'marked',
    }));
  const lastOf = (...requests: CacheBlock[][]) => {
    const cache = new MarkedCache();
    return requests.map(request => cache.read('m', request)).at(-1);
  };
  const small = (count: number): Given[] => Array.from({ length: count }, () => [1]);

  test.each<[string, CacheBlock[][], { cached: number; written: number }]>([
    ['no mark → neither read nor written', [blocks([2_000]), blocks([2_000])], { cached: 0, written: 0 }],
    ['the first mark → written up to it', [blocks([1_500, 'marked'], [500])], { cached: 0, written: 1_500 }],
    ['1,023 tokens up to the mark → nothing', [blocks([1_023, 'marked'], [500])], { cached: 0, written: 0 }],
    [
      'the same again → read',
      [blocks([1_500, 'marked'], [9]), blocks([1_500, 'marked'], [7])],
      { cached: 1_500, written: 0 },
    ],
    [
      'the mark moves on → what was written is read, the rest written',
      [blocks([1_500, 'marked']), blocks([1_500], [200], [300, 'marked'])],
      { cached: 1_500, written: 500 },
    ],
    [
      'what stood behind the mark was not written',
      [blocks([1_500, 'marked'], [400]), blocks([1_500, 'marked'], [400], [100, 'marked'])],
      { cached: 1_500, written: 500 },
    ],
    [
      'a mark 19 blocks further → found',
      [blocks([1_500, 'marked']), blocks([1_500], ...small(18), [1, 'marked'])],
      { cached: 1_500, written: 19 },
    ],
    [
      'a mark 20 blocks further → not found',
      [blocks([1_500, 'marked']), blocks([1_500], ...small(19), [1, 'marked'])],
      { cached: 0, written: 1_520 },
    ],
    [
      'a mark 20 blocks further and one where it was → found',
      [blocks([1_500, 'marked']), blocks([1_500, 'marked'], ...small(19), [1, 'marked'])],
      { cached: 1_500, written: 20 },
    ],
    [
      'another block before the mark → nothing is read',
      [blocks([1_500], [100, 'marked']), blocks([1_500], [101, 'marked'])],
      { cached: 0, written: 1_601 },
    ],
    [
      'something beside changed from the second block on → read up to the first mark',
      [
        blocks([1_500, 'marked'], [500, 'marked', 'auto']),
        blocks([1_500, 'marked'], [500, 'marked', 'none']),
      ],
      { cached: 1_500, written: 500 },
    ],
  ])('%s', (_what, requests, count) => {
    expect(lastOf(...requests)).toMatchObject(count);
  });

  test('another model → nothing is read', () => {
    const cache = new MarkedCache();
    cache.read('m', blocks([2_000, 'marked']));
    expect(cache.read('n', blocks([2_000, 'marked']))).toEqual({
      inputTokens: 2_000,
      cached: 0,
      written: 2_000,
    });
  });
});

describe('a request as caches read it', () => {
  const tool = { name: 'a' };
  const mark = { cache_control: { type: 'ephemeral' } };

  test('OpenAI → tools, format, instructions, then what is said', () => {
    const said = { role: 'user', content: 'x' };
    const format = { type: 'json_schema' };
    expect(chatPrompt({ messages: [said], response_format: format, tools: [tool], temperature: 1 })).toEqual(
      [tool, format, said].map(part => JSON.stringify(part)),
    );
    expect(responsesPrompt({ input: [said], instructions: 'i', text: { format }, tools: [tool] })).toEqual(
      [tool, format, 'i', said].map(part => JSON.stringify(part)),
    );
  });

  test('Anthropic → tools, system, blocks of messages; marks are no part of the text', () => {
    const body = {
      messages: [
        { role: 'user', content: 'x' },
        { role: 'assistant', content: [{ type: 'text', text: 'y', ...mark }] },
      ],
      system: [{ type: 'text', text: 's', ...mark }],
      tools: [{ ...tool, ...mark }],
    };
    const read = messagesPrompt(body);
    expect(read.map(({ text }) => text)).toEqual(
      [tool, { type: 'text', text: 's' }, { type: 'text', text: 'x' }, { type: 'text', text: 'y' }].map(
        part => JSON.stringify(part),
      ),
    );
    expect(read.map(({ marked }) => marked)).toEqual([true, true, false, true]);
    expect(messagesPrompt({ messages: [{ role: 'user', content: 'x' }], ...mark })[0]?.marked).toBe(true);
  });

  test.each<[string, object, number[]]>([
    ['tool choice', { tool_choice: { type: 'none' } }, [2]],
    ['thinking', { thinking: { type: 'adaptive' } }, [2]],
    ['the format of the reply', { output_config: { format: { type: 'json_schema' } } }, [1, 2]],
    ['the limit of the output', { max_tokens: 9 }, []],
  ])('Anthropic, %s changes → spoils blocks %j', (_what, change, spoilt) => {
    const body = { tools: [tool], system: 's', messages: [{ role: 'user', content: 'x' }] };
    const before = messagesPrompt(body);
    const after = messagesPrompt({ ...body, ...change });
    const changed = after.flatMap(({ beside }, at) => (beside === before[at]?.beside ? [] : [at]));
    expect(changed).toEqual(spoilt);
  });
});

test('server: the same request twice → usage of the second says what was cached, and so does the server', async () => {
  const server = await startScriptedModel({ reply: () => ({ text: 'x' }) });
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json', 'anthropic-version': '2026-10-21' };
    const response = await fetch(`${server.baseUrl}/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return (await response.json()) as { usage: unknown; input_tokens?: number };
  };
  try {
    const content = words(2_000);
    const chat = { model: 'm', messages: [{ role: 'user', content }] };
    await post('chat/completions', chat);
    expect(await post('chat/completions', chat)).toMatchObject({
      usage: { prompt_tokens: 2_007, prompt_tokens_details: { cached_tokens: 1_920 } },
    });
    const messages = { ...chat, max_tokens: 9, cache_control: { type: 'ephemeral' } };
    expect(await post('messages', messages)).toMatchObject({ usage: { cache_creation_input_tokens: 2_007 } });
    expect(await post('messages', messages)).toMatchObject({
      usage: { input_tokens: 0, cache_read_input_tokens: 2_007, cache_creation_input_tokens: 0 },
    });
    expect(await post('messages/count_tokens', chat)).toEqual({ input_tokens: 2_007 });
    server.forgetCaches();
    await post('chat/completions', chat);
    expect(server.requests.map(({ cache }) => cache)).toEqual([
      { inputTokens: 2_007, cached: 0, written: 0 },
      { inputTokens: 2_007, cached: 1_920, written: 0 },
      { inputTokens: 2_007, cached: 0, written: 2_007 },
      { inputTokens: 2_007, cached: 2_007, written: 0 },
      { inputTokens: 2_007, cached: 0, written: 0 },
    ]);
  } finally {
    await server.close();
  }
});
