/** What each provider refuses, and in which words. */
import { get } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ScriptedModel, startScriptedModel } from '../../support/endpoint/model.js';

let server: ScriptedModel;
let other: ScriptedModel;
beforeAll(async () => {
  server = await startScriptedModel({ reply: () => ({ reasoning: 'Hm.', text: 'Fine.' }) });
  other = await startScriptedModel({ reply: () => ({ reasoning: 'Hm.', text: 'Fine.' }) });
});
afterAll(async () => {
  await server.close();
  await other.close();
});

type Body = Record<string, unknown>;

async function ask(path: string, body: Body, at = server, headers: Record<string, string> = {}) {
  const response = await fetch(`${at.baseUrl}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Body };
}

const said = { role: 'user', content: 'Hello' };
const called = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } };
const calls = { role: 'assistant', content: null, tool_calls: [called] };
const result = { role: 'tool', tool_call_id: 'c1', content: 'Seen.' };
const open = { type: 'object', properties: { a: { type: 'string' } } };
const closed = { ...open, required: ['a'], additionalProperties: false };
const nested = { ...closed, properties: { a: { type: 'array', items: open } } };

test('a path that is none, as a browser can send it → 404, and the next request is answered', async () => {
  const status = await new Promise<number | undefined>((resolve, reject) => {
    get({ port: server.port, host: '127.0.0.1', path: '//' }, answer => {
      answer.resume();
      resolve(answer.statusCode);
    }).on('error', reject);
  });
  expect(status).toBe(404);
  expect((await ask('chat/completions', { model: 'm', messages: [said] })).status).toBe(200);
});

describe('chat completions', () => {
  const tool = (name: string, more = {}) => ({ type: 'function', function: { name, ...more } });
  const format = (schema: object, strict = true) => ({
    type: 'json_schema',
    json_schema: { name: 'plan', strict, schema },
  });

  test.each<[string, Body]>([
    ['calls with their results', { messages: [said, calls, result, said] }],
    ['two turns of the user in a row', { messages: [said, said] }],
    ['a strict schema that is closed', { response_format: format(closed) }],
    ['an open schema that is not strict', { response_format: format(nested, false) }],
    ['a system message at the end', { messages: [said, { role: 'system', content: 'Be terse.' }] }],
  ])('%s → answered', async (_what, body) => {
    expect(await ask('chat/completions', { model: 'm', messages: [said], ...body })).toMatchObject({
      status: 200,
    });
  });

  test.each<[string, Body, string, string | null]>([
    ['an unknown option', { colour: 'red' }, "Unknown parameter: 'colour'.", 'colour'],
    ['no message', { messages: [] }, "Invalid 'messages': too short.", 'messages'],
    [
      'a message without content',
      { messages: [{ role: 'user' }] },
      'messages[0].content',
      'messages[0].content',
    ],
    ['an unknown role', { messages: [{ role: 'bot', content: 'x' }] }, 'Invalid', 'messages[0].role'],
    [
      'an unknown field of a message',
      { messages: [{ ...said, at: 1 }] },
      "Unknown parameter: 'messages[0].at'.",
      'messages[0].at',
    ],
    [
      'reasoning sent back',
      { messages: [said, { role: 'assistant', content: 'x', thoughts: 'y' }] },
      'Unknown parameter',
      'messages[1].thoughts',
    ],
    ['a name with a dot', { tools: [tool('a.b')] }, "pattern '/^[a-zA-Z0-9_-]+$/'", 'tools[0].function.name'],
    ['a name of 65 characters', { tools: [tool('a'.repeat(65))] }, 'maximum of 64', 'tools[0].function.name'],
    [
      'a call id of 41 characters',
      { messages: [said, { ...calls, tool_calls: [{ ...called, id: 'i'.repeat(41) }] }, result] },
      'maximum of 40',
      'messages[1].tool_calls[0].id',
    ],
    [
      'a call without its result',
      { messages: [said, calls, said] },
      'did not have response messages: c1',
      'messages.[2].role',
    ],
    ['a call at the end', { messages: [said, calls] }, 'did not have response messages: c1', 'messages'],
    [
      'a result without its call',
      { messages: [said, result] },
      "role 'tool' must be a response",
      'messages.[1].role',
    ],
    [
      'a result twice',
      { messages: [said, calls, result, result] },
      "role 'tool' must be a response",
      'messages.[3].role',
    ],
    [
      'an answer of nothing',
      { messages: [said, { role: 'assistant', content: null }] },
      'got null',
      'messages.[1].content',
    ],
    [
      'a choice without tools',
      { tool_choice: 'auto' },
      "only allowed when 'tools' are specified",
      'tool_choice',
    ],
    [
      'options of a stream without one',
      { stream_options: { include_usage: true } },
      "only allowed when 'stream'",
      'stream_options',
    ],
    [
      'a strict schema with an open object',
      { response_format: format(nested) },
      "In context=('properties', 'a', 'items'), 'additionalProperties'",
      'response_format',
    ],
    [
      'a strict tool with an optional property',
      { tools: [tool('t', { strict: true, parameters: { ...closed, required: [] } })] },
      "Missing 'a'",
      'tools[0].function.parameters',
    ],
    [
      'a cache key of 65 characters',
      { prompt_cache_key: 'k'.repeat(65) },
      'maximum of 64',
      'prompt_cache_key',
    ],
  ])('%s → 400 that says so', async (_what, body, says, param) => {
    const answer = await ask('chat/completions', { model: 'm', messages: [said], ...body });
    expect(answer).toMatchObject({ status: 400, body: { error: { type: 'invalid_request_error', param } } });
    expect(JSON.stringify(answer.body.error)).toContain(JSON.stringify(says).slice(1, -1));
  });
});

describe('responses', () => {
  const call = { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' };
  const output = { type: 'function_call_output', call_id: 'c1', output: 'Seen.' };
  const sealed = { include: ['reasoning.encrypted_content'], store: false };
  const reasoningOf = async (at: ScriptedModel) => {
    const answer = await ask('responses', { model: 'm', input: 'Hello', ...sealed }, at);
    const [item] = answer.body.output as Body[];
    return item ?? {};
  };

  test('reasoning sent back as it was given, before its call → answered', async () => {
    const reasoning = await reasoningOf(server);
    expect(reasoning).toMatchObject({ type: 'reasoning', summary: [] });
    const input = [said, reasoning, call, output];
    expect(await ask('responses', { model: 'm', input, ...sealed })).toMatchObject({ status: 200 });
  });

  test('reasoning of another server, or changed → 400', async () => {
    const own = await reasoningOf(server);
    const changed = { ...own, encrypted_content: `${own.encrypted_content}x` };
    for (const reasoning of [await reasoningOf(other), changed]) {
      const answer = await ask('responses', {
        model: 'm',
        input: [said, reasoning, call, output],
        ...sealed,
      });
      expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_encrypted_content' } } });
    }
  });

  test.each<[string, (own: Body) => Body, string]>([
    ['an unknown option', () => ({ max_tokens: 9 }), "Unknown parameter: 'max_tokens'."],
    ['too few output tokens', () => ({ max_output_tokens: 15 }), 'minimum of 16'],
    [
      'a call without its output',
      () => ({ input: [said, call, said] }),
      'No tool output found for function call c1.',
    ],
    [
      'an output without its call',
      () => ({ input: [said, output] }),
      'No tool call found for function call output',
    ],
    ['an output before its call', () => ({ input: [said, output, call] }), 'No tool call found'],
    [
      'an id of another kind',
      () => ({ input: [said, { ...call, id: 'call_1' }, output] }),
      "Invalid 'input[1].id'",
    ],
    ['reasoning at the end', own => ({ input: [said, own] }), 'without its required following item'],
    [
      'reasoning before what a person said',
      own => ({ input: [own, said] }),
      'without its required following item',
    ],
    [
      'reasoning without its content',
      own => ({ input: [{ ...own, encrypted_content: null }, call, output] }),
      'not found',
    ],
    [
      'a tool in the form of chat completions',
      () => ({ tools: [{ type: 'function', function: { name: 'a' } }] }),
      'tools[0]',
    ],
  ])('%s → refused', async (_what, body, says) => {
    const own = await reasoningOf(server);
    const answer = await ask('responses', { model: 'm', input: [said], ...sealed, ...body(own) });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(JSON.stringify(answer.body.error)).toContain(says);
  });
});

describe('messages', () => {
  const version = { 'anthropic-version': '2026-10-21' };
  const base = { model: 'm', max_tokens: 2_048 };
  const tools = [{ name: 'look', input_schema: open }];
  const use = { type: 'tool_use', id: 'c1', name: 'look', input: {} };
  const used = { type: 'tool_result', tool_use_id: 'c1', content: 'Seen.' };
  const text = (words: string, more = {}) => ({ type: 'text', text: words, ...more });
  const mark = { cache_control: { type: 'ephemeral' } };
  const thinking = { type: 'enabled', budget_tokens: 1_024 };
  const turn = (role: string, ...content: object[]) => ({ role, content });
  const loop = (...blocks: object[]) => [said, turn('assistant', ...blocks, use), turn('user', used)];
  const thoughtOf = async (at: ScriptedModel) => {
    const answer = await ask('messages', { ...base, messages: [said], thinking }, at, version);
    const [block] = answer.body.content as object[];
    return block ?? {};
  };

  test.each<[string, Body]>([
    [
      'a call with its result and more',
      { messages: [said, turn('assistant', use), turn('user', used, text('Go on.'))], tools },
    ],
    [
      'results in two messages of the user',
      { messages: [said, turn('assistant', use), turn('user', used), said], tools },
    ],
    ['two turns of the user in a row', { messages: [said, said] }],
    [
      'four marks',
      {
        system: [text('a', mark)],
        messages: [turn('user', text('a', mark), text('b', mark), text('c', mark))],
      },
    ],
    [
      'a reply without thinking before the last turn of a person',
      { messages: [...loop(), turn('assistant', text('x')), said], tools, thinking },
    ],
  ])('%s → answered', async (_what, body) => {
    const answer = await ask('messages', { ...base, messages: [said], ...body }, server, version);
    expect(answer).toMatchObject({ status: 200 });
  });

  test('thinking sent back as it was given → answered', async () => {
    const messages = loop(await thoughtOf(server));
    expect(await ask('messages', { ...base, messages, tools, thinking }, server, version)).toMatchObject({
      status: 200,
    });
  });

  test('thinking of another server, or changed → 400', async () => {
    const own = await thoughtOf(server);
    for (const block of [await thoughtOf(other), { ...own, thinking: 'Hm!' }]) {
      const answer = await ask(
        'messages',
        { ...base, messages: loop(block), tools, thinking },
        server,
        version,
      );
      expect(answer).toMatchObject({ status: 400, body: { type: 'error' } });
      expect(JSON.stringify(answer.body.error)).toContain('messages.1.content.0: Invalid `signature`');
    }
  });

  test.each<[string, Body, string]>([
    ['no limit of output', { max_tokens: undefined }, 'max_tokens: Field required'],
    ['an unknown option', { colour: 'red' }, 'colour: Extra inputs are not permitted'],
    ['an option of older versions', { temperature: 1 }, 'temperature: Extra inputs are not permitted'],
    [
      'an unknown field of a block',
      { messages: [turn('user', text('a', { at: 1 }))] },
      'messages.0.content.0.at: Extra inputs',
    ],
    ['the model first', { messages: [turn('assistant', text('a')), said] }, 'first message must use'],
    ['the model last', { messages: [said, turn('assistant', text('a'))] }, 'must end with a user message'],
    ['an empty text', { messages: [turn('user', text(''))] }, 'text content blocks must be non-empty'],
    [
      'an empty text in a result',
      { messages: [said, turn('assistant', use), turn('user', { ...used, content: [text('')] })], tools },
      'must be non-empty',
    ],
    ['only blanks', { messages: [{ role: 'user', content: ' ' }] }, 'must contain non-whitespace text'],
    ['no blocks', { messages: [turn('user')] }, 'messages.0: user messages must have non-empty content'],
    ['an empty system text', { system: [text('')] }, 'system: text content blocks must be non-empty'],
    [
      'five marks',
      {
        ...mark,
        system: [text('a', mark)],
        messages: [turn('user', text('a', mark), text('b', mark), text('c', mark))],
      },
      'A maximum of 4 blocks with cache_control may be provided. Found 5.',
    ],
    [
      'a name with a dot',
      { tools: [{ ...tools[0], name: 'a.b' }] },
      "tools.0.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    ],
    ['a name twice', { tools: [...tools, ...tools] }, 'Tool names must be unique'],
    [
      'a call without its result',
      { messages: [said, turn('assistant', use), said], tools },
      'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: c1.',
    ],
    [
      'a result behind a text',
      { messages: [said, turn('assistant', use), turn('user', text('a'), used)], tools },
      'immediately after: c1.',
    ],
    [
      'a result without its call',
      { messages: [turn('user', used)], tools },
      'messages.0.content.0: unexpected `tool_use_id`',
    ],
    [
      'a call id twice',
      { messages: [...loop(), ...loop().slice(1)], tools },
      '`tool_use` ids must be unique',
    ],
    ['calls without tools', { messages: loop() }, 'must define tools'],
    [
      'a call id with a dot',
      { messages: [said, turn('assistant', { ...use, id: 'a.b' })], tools },
      "messages.1.content.0.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    ],
    [
      'a loop without thinking, with thinking on',
      { messages: loop(text('I look.')), tools, thinking },
      'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`.',
    ],
    [
      'a mark on thinking',
      { messages: loop({ type: 'thinking', thinking: 'a', signature: 's', ...mark }), tools },
      'cache_control: Extra inputs',
    ],
    [
      'redacted thinking of nobody',
      { messages: loop({ type: 'redacted_thinking', data: 'x' }), tools },
      'Invalid `data`',
    ],
    [
      'as much thinking as output',
      { thinking: { ...thinking, budget_tokens: 2_048 } },
      'must be greater than `thinking.budget_tokens`',
    ],
    [
      'a forced call with thinking on',
      { thinking, tools, tool_choice: { type: 'any' } },
      'Thinking may not be enabled when tool_choice forces tool use',
    ],
  ])('%s → 400 that says so', async (_what, body, says) => {
    const answer = await ask('messages', { ...base, messages: [said], ...body }, server, version);
    expect(answer).toMatchObject({
      status: 400,
      body: { type: 'error', error: { type: 'invalid_request_error' } },
    });
    expect((answer.body.error as Body).message).toContain(says);
  });

  test('no version in the headers → 400', async () => {
    expect(await ask('messages', { ...base, messages: [said] })).toMatchObject({ status: 400 });
  });
});

test('refused requests → kept, with what was said to them', () => {
  const refused = server.requests.filter(request => request.refusal !== null);
  expect(refused.length).toBeGreaterThan(50);
});
