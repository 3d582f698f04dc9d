/** Endpoints that send too much, something else, or the request elsewhere: the worker bears it. */
import { describe, expect, it } from 'vitest';
import { createProvider } from '../../../src/models/protocols.js';
import { readEventData } from '../../../src/models/reply/event-stream.js';
import { REPLY_BOUNDS } from '../../../src/models/reply/reply-bounds.js';
import { FAILURE } from '../../../src/run/limits/failure.js';
import type { AssistantMessage, ToolUseBlock } from '../../../src/run/messages/message.js';
import { textOf, toolCallsOf } from '../../../src/run/messages/message.js';
import { failureOf, runCall, tool, user } from '../../support/model-calls.js';
import { serve } from '../../support/serve.js';

const { model } = FAILURE;
/** A stream of these events; what is no text is sent as JSON. */
function streaming(events: Iterable<unknown>): Promise<string> {
  return serve(async (_req, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events) {
      const line = `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`;
      if (!res.write(line)) await new Promise(resolve => res.once('drain', resolve).once('close', resolve));
      if (res.destroyed) return;
    }
    res.end();
  });
}

function delta(part: object, finish: string | null = null) {
  return { choices: [{ index: 0, delta: part, finish_reason: finish }] };
}

function call(index: number, name: string, given: unknown) {
  return delta({ tool_calls: [{ index, id: `t${index}`, function: { name, arguments: given } }] });
}

const stop = (finish = 'stop') => delta({}, finish);

function* times<T>(count: number, make: (index: number) => T): Iterable<T> {
  for (let index = 0; index < count; index++) yield make(index);
}

function blocks(content: AssistantMessage['content']): { text: string; calls: ToolUseBlock[] } {
  const message = { content } as AssistantMessage;
  return { text: textOf(message), calls: toolCallsOf(message) };
}

describe('a reply without end (LI5)', () => {
  it('one line of 50 MB → model.reply_too_large, not tried again, and the rest is not read', async () => {
    let sent = 0;
    const baseUrl = await serve(async (_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write('data: {"choices":[{"delta":{"content":"');
      const part = 'x'.repeat(64 * 1024);
      for (; sent < 50 * 1024 * 1024 && !res.destroyed; sent += part.length) {
        if (!res.write(part)) await new Promise(resolve => res.once('drain', resolve).once('close', resolve));
      }
      res.end('"}}]}\n\n');
    });
    const failure = await failureOf(runCall({ baseUrl }));
    expect(failure).toMatchObject({ type: model.tooLarge, nonRetryable: true });
    expect(failure.message).toMatch(/sent more than \d+ bytes in one event/);
    // What lies between the two in buffers is some megabytes.
    expect(sent).toBeLessThan(25 * 1024 * 1024);
  });

  it('event after event without an empty line → model.reply_too_large', async () => {
    const baseUrl = await serve(async (_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      const part = 'data: {}\n'.repeat(8_000);
      while (!res.destroyed) {
        if (!res.write(part)) await new Promise(resolve => res.once('drain', resolve).once('close', resolve));
      }
    });
    expect(await failureOf(runCall({ baseUrl }))).toMatchObject({ type: model.tooLarge });
  });

  it('text over the bound → the beginning, marked as cut at the output limit', async () => {
    const part = delta({ content: 'word '.repeat(10_000) });
    const result = await runCall({ baseUrl: await streaming(times(1_000, () => part)) });
    expect(result.stopReason).toBe('max_tokens');
    const [block] = result.content;
    expect(block).toMatchObject({ type: 'text' });
  });

  it('arguments over the bound → the call is marked as unreadable, never whole', async () => {
    const part = '{"text":"'.padEnd(50_000, 'x');
    const baseUrl = await streaming(times(1_000, () => call(0, 'write', part)));
    const result = await runCall({ baseUrl, head: { tools: [tool('write')] } });
    expect(result.stopReason).toBe('max_tokens');
    expect(blocks(result.content).calls).toMatchObject([{ name: 'write', input: {}, argsParseFailed: true }]);
    expect(JSON.stringify(result).length).toBeLessThan(20_000);
  });

  it('more tool calls than any model makes → the first ones, marked as cut', async () => {
    const result = await runCall({
      baseUrl: await streaming(times(5_000, index => call(index, 'read', '{}'))),
    });
    expect(result.stopReason).toBe('max_tokens');
    expect(blocks(result.content).calls).toHaveLength(REPLY_BOUNDS.toolCalls);
  });

  it.each([
    ['text', `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
    ['an object', JSON.parse(`{"a":${'['.repeat(3_000)}${']'.repeat(3_000)}}`)],
  ])('arguments nested 20,000 deep, as %s → unreadable, for the model to correct', async (_what, given) => {
    const baseUrl = await streaming([call(0, 'read', given), stop('tool_calls')]);
    const result = await runCall({ baseUrl, head: { tools: [tool('read')] } });
    expect(blocks(result.content).calls).toMatchObject([{ input: {}, argsParseFailed: true }]);
  });

  it('output nested 20,000 deep → a text that is no output', async () => {
    const deep = `{"todos":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    const result = await runCall({
      baseUrl: await streaming([delta({ content: deep }), stop()]),
      head: { output: 'plan' },
    });
    expect(result.outputText).toBeUndefined();
  });

  it('error page without end → its beginning is enough', async () => {
    const baseUrl = await serve(async (_req, res) => {
      res.writeHead(500, { 'content-type': 'text/html' });
      const part = 'x'.repeat(64 * 1024);
      while (!res.destroyed) {
        if (!res.write(part)) await new Promise(resolve => res.once('drain', resolve).once('close', resolve));
      }
    });
    expect(await failureOf(runCall({ baseUrl }))).toMatchObject({ type: model.server });
  });

  it.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('events with %s, cut at every byte → the same events', async (_name, end) => {
    const text = [': note', 'data: a', '', 'event: x', 'data:b', 'data: é', '', '', 'data: last'].join(end);
    const bytes = Buffer.from(text);
    const parts = (async function* () {
      for (const byte of bytes) yield Uint8Array.of(byte);
    })();
    const events: string[] = [];
    for await (const event of readEventData(parts, REPLY_BOUNDS)) events.push(event);
    expect(events).toEqual(['a', 'b\né', 'last']);
  });
});

describe('a reply in another form (OU4)', () => {
  it('content as a list of parts → their text, and thinking parts as reasoning', async () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
      { type: 'text', text: 'It ' },
      'is so.',
    ];
    const result = await runCall({ baseUrl: await streaming([delta({ content }), stop()]) });
    expect(result.content).toEqual([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'It is so.' },
    ]);
  });

  it('parts that nobody can read among the others → left out, the readable ones stay', async () => {
    const content = [
      { type: 'text', text: 'It ' },
      { type: 'hologram', frames: { a: 1 } },
      null,
      7,
      { type: 'text', text: null },
      { type: 'thinking', thinking: [null, { type: 'text', text: 'Hm.' }] },
      { type: 'text', text: 'is so.' },
    ];
    const result = await runCall({ baseUrl: await streaming([delta({ content }), stop()]) });
    expect(result.content).toEqual([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'It is so.' },
    ]);
  });

  it('arguments as an object → the object', async () => {
    const baseUrl = await streaming([call(0, 'read', { path: 'a.txt' }), stop('tool_calls')]);
    expect(blocks((await runCall({ baseUrl })).content).calls).toMatchObject([{ input: { path: 'a.txt' } }]);
  });

  it('arguments that are neither text nor object → unreadable, never a call without arguments', async () => {
    for (const given of [['a.txt'], 42, true]) {
      const baseUrl = await streaming([call(0, 'list', given), stop('tool_calls')]);
      const { calls } = blocks((await runCall({ baseUrl })).content);
      expect(calls).toMatchObject([{ input: {}, argsParseFailed: true, raw: JSON.stringify(given) }]);
    }
  });

  it('a second choice, in chunks of its own or before the first → left out', async () => {
    const other = (part: object, finish: string | null = null) => ({
      index: 1,
      delta: part,
      finish_reason: finish,
    });
    const own = [{ choices: [other({ content: 'No.' }, 'length')] }, delta({ content: 'It is ' })];
    const beside = { choices: [other({ content: 'No.' }), ...delta({ content: 'so.' }).choices] };
    const result = await runCall({ baseUrl: await streaming([...own, beside, stop()]) });
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'It is so.' }], stopReason: 'end_turn' });
  });

  it.each([
    ['numbered', { index: 0 }, 'delta'],
    ['not numbered, in a plain answer', {}, 'message'],
  ])('text and call in two choices, %s → both', async (_how, at, field) => {
    const tool_calls = [{ index: 0, id: 't0', function: { name: 'list', arguments: '{}' } }];
    const choices = [
      { ...at, [field]: { content: 'I look.' }, finish_reason: 'tool_calls' },
      { ...at, [field]: { tool_calls }, finish_reason: 'tool_calls' },
    ];
    const result = await runCall({
      baseUrl: await streaming([{ choices }]),
      head: { tools: [tool('list')] },
    });
    expect(result.stopReason).toBe('tool_use');
    expect(blocks(result.content)).toMatchObject({ text: 'I look.', calls: [{ name: 'list', input: {} }] });
  });

  it('the whole reply in one event, in the form of a plain answer → the reply', async () => {
    const message = { role: 'assistant', content: 'It is so.' };
    const baseUrl = await streaming([{ choices: [{ index: 0, message, finish_reason: 'stop' }] }]);
    expect(blocks((await runCall({ baseUrl })).content).text).toBe('It is so.');
  });

  it('events without end after the end of a reply → the reply, after a moment', async () => {
    const baseUrl = await serve(async (_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of [delta({ content: 'Yes.' }), stop()])
        res.write(`data: ${JSON.stringify(event)}\n\n`);
      const again = setInterval(() => res.write(`data: ${JSON.stringify(stop())}\n\n`), 100);
      res.once('close', () => clearInterval(again));
    });
    expect(blocks((await runCall({ baseUrl })).content).text).toBe('Yes.');
  });

  it.each([
    ['[DONE]', '[DONE]'],
    ['the usage', JSON.stringify({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 1 } })],
  ])(
    '%s, and a connection that stays open → the reply is there while it is, then it is closed',
    async (_what, last) => {
      let closed = false;
      let close: () => void = () => undefined;
      const gone = new Promise<void>(resolve => {
        close = resolve;
      });
      const baseUrl = await serve((_req, res) => {
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        for (const event of [delta({ content: 'Yes.' }), stop()])
          res.write(`data: ${JSON.stringify(event)}\n\n`);
        res.write(`data: ${last}\n\n`);
        res.once('close', () => {
          closed = true;
          close();
        });
      });
      expect(blocks((await runCall({ baseUrl })).content).text).toBe('Yes.');
      expect(closed).toBe(false);
      await gone;
    },
  );

  it('a byte order mark before the first event → the event counts', async () => {
    const baseUrl = await serve((_req, res) => {
      const events = [delta({ content: 'It ' }), delta({ content: 'is so.' }), stop()];
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.end(`\uFEFF${events.map(event => `data: ${JSON.stringify(event)}\n\n`).join('')}`);
    });
    expect(blocks((await runCall({ baseUrl })).content).text).toBe('It is so.');
  });

  it('events that are null or of another type among the others → left out', async () => {
    const baseUrl = await streaming([
      'null',
      '1',
      '"x"',
      delta({ content: 'Yes.' }),
      '{"choices":null}',
      stop(),
    ]);
    expect(blocks((await runCall({ baseUrl })).content).text).toBe('Yes.');
  });

  it('nothing but null → model.bad_response that says what to check, without words of JavaScript', async () => {
    const failure = await failureOf(runCall({ baseUrl: await streaming(['null']) }));
    expect(failure.message).toContain('openai/gpt-5-mini');
    expect(failure.message).not.toMatch(/undefined|Cannot read|TypeError/);
  });

  it.each([
    ['<think>Let me see.\n</think>\n\nFour.', 'Let me see.', 'Four.'],
    ['\n<thinking>a < b</thinking>Four.', 'a < b', 'Four.'],
    ['Let me see.\n</think>\n\nFour.', 'Let me see.', 'Four.'],
    ['<think>never closed', 'never closed', ''],
    ['<thought>Let me see.</thought>\nFour.', 'Let me see.', 'Four.'],
    ['[THINK]Let [me] see.[/THINK]Four.', 'Let [me] see.', 'Four.'],
    ['<seed:think>Let me see.</seed:think>Four.', 'Let me see.', 'Four.'],
    ['◁think▷Let me see.◁/think▷Four.', 'Let me see.', 'Four.'],
    ['<|channel>thought\nLet me see.<channel|>Four.', 'Let me see.', 'Four.'],
    ['[THINK]never closed </think>', 'never closed </think>', ''],
  ])('text %j → thinking apart from the answer, wherever it is cut', async (text, reasoning, answer) => {
    for (const size of [1, 3, 1_000]) {
      const events = times(Math.ceil(text.length / size), index =>
        delta({ content: text.slice(index * size, (index + 1) * size) }),
      );
      const result = await runCall({ baseUrl: await streaming([...events, stop()]) });
      expect(result.content[0]).toEqual({ type: 'reasoning', text: reasoning });
      expect(blocks(result.content).text).toBe(answer);
    }
  });

  it.each([
    'The tag <think> opens, and </think> closes.',
    'Use `</think>`.',
    '<thin',
    '{"a":"<think>"}',
    '[THIN',
    '[TH] and [THINK]',
    'Four.[/THINK]',
  ])('text %j, which only speaks of such tags → the answer as it is', async text => {
    const events = [...text].map(character => delta({ content: character }));
    const result = await runCall({ baseUrl: await streaming([...events, stop()]) });
    expect(result.content).toEqual([{ type: 'text', text }]);
  });

  it.each([
    ['a comment after the brace', '{ // the plan\n "needsMorePlanning": false, "todos": [{"id":"a"}] }'],
    ['a comment with a quote in it', '{ /* don"t */ "needsMorePlanning": false, "todos": [{"id":"a"}] }'],
    ['keys without quotes around whole objects', '{ needsMorePlanning: false, todos: [{"id":"a"}] }'],
    ['single quotes around whole objects', `{'needsMorePlanning': false, 'todos': [{"id":"a"}]}`],
    ['prose with braces before it', 'Some {thing}: { needsMorePlanning: false, todos: [{"id":"a"}] } so.'],
  ])('JSON with %s → the outermost object is mended, not an inner one taken', async (_what, text) => {
    const baseUrl = await streaming([delta({ content: text }), stop()]);
    const { outputText } = await runCall({ baseUrl, head: { output: 'plan' } });
    expect(JSON.parse(outputText ?? 'null')).toEqual({ needsMorePlanning: false, todos: [{ id: 'a' }] });
  });
});

describe('ends in the words of others (M13)', () => {
  it.each([
    ['content_filter: PROHIBITED_CONTENT', 'content_filter'],
    ['MAX_TOKENS', 'max_tokens'],
    ['model_length', 'max_tokens'],
  ])('finish reason %s → %s', async (finish, stopReason) => {
    const baseUrl = await streaming([delta({ content: 'Half' }), stop(finish)]);
    expect(await runCall({ baseUrl })).toMatchObject({ stopReason });
  });

  it.each(['error', 'abort'])('finish reason %s → a failure that can be tried again', async finish => {
    const baseUrl = await streaming([delta({ content: 'Half' }), stop(finish)]);
    const failure = await failureOf(runCall({ baseUrl }));
    expect(failure).toMatchObject({ type: model.server, nonRetryable: false });
    expect(failure.message).toContain(`"${finish}"`);
  });
});

describe('what comes beside a reply (LI5)', () => {
  it('name of the model of 3 MB → its beginning', async () => {
    const baseUrl = await streaming([
      { ...delta({ content: 'Yes.' }, 'stop'), model: 'm'.repeat(3_000_000) },
    ]);
    const { servedModel = '' } = await runCall({ baseUrl });
    expect(servedModel).toMatch(/^mmm/);
    expect(servedModel.length).toBeLessThan(300);
  });

  it('data of a call nested 20,000 deep → left out, and the call runs', async () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const extra = `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"extra_content":{"a":${deep}}}]}}]}`;
    const baseUrl = await streaming([call(0, 'read', '{"path":"a.txt"}'), extra, stop('tool_calls')]);
    const { calls } = blocks((await runCall({ baseUrl })).content);
    expect(calls).toMatchObject([{ name: 'read', input: { path: 'a.txt' } }]);
    expect(calls[0]).not.toHaveProperty('data');
  });
});

describe('usage that can not be right (LI4)', () => {
  const reply = [delta({ content: 'A reply of some length.' }), stop()];
  it.each([
    ['negative', { prompt_tokens: -2e10, completion_tokens: 5 }],
    ['too large', { prompt_tokens: 1e18, completion_tokens: 5 }],
    ['far more than was sent', { prompt_tokens: 5_000_000, completion_tokens: 5 }],
    ['far more than could be written', { prompt_tokens: 50, completion_tokens: 90_000_000 }],
    ['texts', { prompt_tokens: '120', completion_tokens: '5' }],
    ['broken numbers', { prompt_tokens: 1.5, completion_tokens: 5 }],
    ['nothing for a reply that is there', { prompt_tokens: 0, completion_tokens: 0 }],
    [
      'more from the cache than was sent',
      { prompt_tokens: 9, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 10 } },
    ],
  ])('counts are %s → our own estimate, marked, with a warning', async (_what, usage) => {
    const result = await runCall({ baseUrl: await streaming([...reply, { choices: [], usage }]) });
    expect(result.usage).toMatchObject({ outputTokens: 6, estimated: true });
    expect(result.usage.cacheDiscountTokens).toBeUndefined();
    expect(result.usage.inputTokens).toBeGreaterThan(3);
    expect(result.usage.inputTokens).toBeLessThan(100);
    expect(result.warning).toMatch(/openai\/gpt-5-mini reports cannot be right/);
  });

  it.each([
    [1, true],
    [11_000, true],
    [12_000, false],
    [30_000, false],
  ])(
    'a request of about 100,000 tokens is claimed as %s → turned down: %s',
    async (prompt_tokens, turnedDown) => {
      const usage = { prompt_tokens, completion_tokens: 5 };
      const baseUrl = await streaming([...reply, { choices: [], usage }]);
      const result = await runCall({ baseUrl, messages: [user('four'.repeat(100_000))] });
      expect(result.usage.estimated === true).toBe(turnedDown);
      if (turnedDown) expect(result.usage.inputTokens).toBeGreaterThan(99_000);
      else expect(result.usage.inputTokens).toBe(prompt_tokens);
    },
  );

  it('counts that can be right, with hidden reasoning → believed', async () => {
    const usage = {
      prompt_tokens: 900,
      completion_tokens: 40_000,
      completion_tokens_details: { reasoning_tokens: 39_990 },
    };
    const result = await runCall({ baseUrl: await streaming([...reply, { choices: [], usage }]) });
    expect(result.usage).toMatchObject({ inputTokens: 900, outputTokens: 40_000, reasoningTokens: 39_990 });
    expect(result.usage.estimated).toBeUndefined();
    expect(result.warning).toBeUndefined();
  });
});

describe('redirects (TR9)', () => {
  it.each([301, 302, 307, 308])(
    'HTTP %i to another host → refused; the other host hears nothing',
    async status => {
      const heard: string[] = [];
      const other = await serve((req, res) => {
        heard.push(req.url ?? '');
        res.end();
      });
      const baseUrl = await serve((_req, res) =>
        res.writeHead(status, { location: `${other}/chat/completions` }).end(),
      );
      const failure = await failureOf(runCall({ baseUrl }));
      expect(failure).toMatchObject({ type: model.redirected, nonRetryable: true });
      expect(failure.message).toContain(new URL(other).origin);
      expect(failure.message).toContain('OPENAI_BASE_URL');
      const provider = createProvider({ name: 'openai', baseUrl });
      await expect(provider.listModels(new AbortController().signal)).rejects.toMatchObject({
        type: model.redirected,
      });
      expect(heard).toEqual([]);
    },
  );

  it('HTTP 307 within the endpoint → followed, with the request', async () => {
    const bodies: string[] = [];
    const baseUrl = await serve((req, res) => {
      if (req.url === '/v1/chat/completions') return res.writeHead(307, { location: '/v2/chat' }).end();
      req.on('data', (bytes: Buffer) => bodies.push(bytes.toString()));
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      return res.end(`data: ${JSON.stringify(delta({ content: 'Here.' }, 'stop'))}\n\ndata: [DONE]\n\n`);
    });
    expect(blocks((await runCall({ baseUrl })).content).text).toBe('Here.');
    expect(bodies.join('')).toContain('Hello');
  });
});

describe('attempts that fail (LI3)', () => {
  const hold = async (first: object) =>
    serve((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write(`data: ${JSON.stringify(first)}\n\n`);
    });

  it.each([
    [1, false],
    [2, true],
  ])('silence in attempt %i → nonRetryable %s, and what it used is told', async (attempt, nonRetryable) => {
    const baseUrl = await hold(delta({ content: 'x'.repeat(400) }));
    const failure = await failureOf(
      runCall({ baseUrl, deps: { limits: { stallMs: 50 } }, info: { attempt } }),
    );
    expect(failure).toMatchObject({ type: model.stalled, nonRetryable });
    expect(failure).toMatchObject({ details: [{ usage: { outputTokens: 100, estimated: true } }] });
  });

  it('time limit in the second attempt → not tried a third time', async () => {
    const setup = { baseUrl: await hold(delta({})), startToCloseTimeoutMs: 100, info: { attempt: 2 } };
    expect(await failureOf(runCall(setup))).toMatchObject({ type: model.timeout, nonRetryable: true });
  });

  it('earlier attempts by heartbeat → their tokens are part of the reply', async () => {
    const spent = {
      inputTokens: 1_000,
      outputTokens: 500,
      cachedInputTokens: 0,
      reasoningTokens: 0,
      costUsd: 1,
    };
    const usage = { prompt_tokens: 10, completion_tokens: 5 };
    const baseUrl = await streaming([delta({ content: 'Done.' }), stop(), { choices: [], usage }]);
    const result = await runCall({ baseUrl, info: { attempt: 2, heartbeatDetails: { spent } } });
    expect(result.usage).toMatchObject({ inputTokens: 1_010, outputTokens: 505 });
    expect(result.usage.costUsd).toBeGreaterThan(1);
  });

  it('endpoint refuses the request → nothing was used', async () => {
    const baseUrl = await serve((_req, res) => res.writeHead(429).end());
    const failure = await failureOf(runCall({ baseUrl }));
    expect(failure).toMatchObject({ details: [{ usage: { inputTokens: 0, outputTokens: 0 } }] });
  });

  it('schedule-to-close limit nearly over → the call ends before it, with words', async () => {
    const info = { scheduledTimestampMs: 1_000, currentAttemptScheduledTimestampMs: 9_800 };
    const baseUrl = await hold(delta({}));
    const failure = await failureOf(runCall({ baseUrl, scheduleToCloseTimeoutMs: 9_000, info }));
    expect(failure).toMatchObject({ type: model.timeout });
  });
});
