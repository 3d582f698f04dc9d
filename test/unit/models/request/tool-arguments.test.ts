import { afterEach, describe, expect, it } from 'vitest';
import { toToolUse } from '../../../../src/models/request/tool-arguments.js';
import type { OfferedTool } from '../../../../src/rules/prompts/model-request.js';
import type { ToolUseBlock } from '../../../../src/run/messages/message.js';
import {
  type ScriptedModel,
  type ScriptedReply,
  startScriptedModel,
} from '../../../support/endpoint/model.js';
import { runCall, tool } from '../../../support/model-calls.js';

const open: ScriptedModel[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(server => server.close()));
});

const EDIT = tool('edit_file', {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: {
    path: { type: 'string' },
    edits: { type: 'array', items: { type: 'object', properties: { line: { type: 'number' } } } },
    mode: { enum: ['soft', 'hard'] },
  },
  required: ['path'],
  additionalProperties: false,
});

async function callsOf(reply: ScriptedReply, offered: OfferedTool[] = [EDIT]): Promise<ToolUseBlock[]> {
  const server = await startScriptedModel({ reply: [reply] });
  open.push(server);
  const { content } = await runCall({ baseUrl: server.baseUrl, head: { tools: offered } });
  return content.filter((block): block is ToolUseBlock => block.type === 'tool_use');
}

async function callOf(args: string, offered?: OfferedTool[]): Promise<ToolUseBlock | undefined> {
  const [call] = await callsOf(
    { toolCalls: [{ name: 'edit_file', arguments: args, id: 't' }], chunkChars: 5 },
    offered,
  );
  return call;
}

describe('arguments of tool calls (T5)', () => {
  it('plain JSON → parsed, nothing else said', async () => {
    expect(await callOf('{"path":"a.md"}')).toEqual({
      type: 'tool_use',
      id: 't',
      name: 'edit_file',
      input: { path: 'a.md' },
    });
  });

  it.each([
    ['single quotes', "{'path': 'a.md'}", { path: 'a.md' }],
    ['a trailing comma', '{"path":"a.md",}', { path: 'a.md' }],
    ['a brace too many', '{"path":"a.md"}}', { path: 'a.md' }],
    ['names without quotes', "{path: 'a.md'}", { path: 'a.md' }],
    ['comments', '{"path":"a.md" /* the "first" } */}', { path: 'a.md' }],
    ['a fence around it', '```json\n{"path":"a.md"}\n```', { path: 'a.md' }],
    ['quoted twice', '"{\\"path\\":\\"a.md\\"}"', { path: 'a.md' }],
    ['an empty object before it', '{}{"path":"a.md"}', { path: 'a.md' }],
  ])('JSON with %s → mended, raw kept', async (_what, raw, input) => {
    expect(await callOf(raw)).toEqual({ type: 'tool_use', id: 't', name: 'edit_file', input, raw });
  });

  it.each(['not json at all', '[1,2]', '"just words"', '42'])(
    '%s → {} with the flag, and checked as {}',
    async raw => {
      expect(await callOf(raw)).toMatchObject({
        input: {},
        raw,
        argsParseFailed: true,
        argErrors: ['the arguments: the required property "path" is missing'],
      });
    },
  );

  it.each([
    ['a number', '{"amount":1000}'],
    [
      'a list of edits',
      '{"path":"a.md","edits":[{"line":1,"text":"} x"},{"line":2,"text":"\\" ]}"}],"all":true}',
    ],
    ['a fence', '```json\n{"path":"a.md","content":"{\\"a\\":1}"}\n```'],
    ['single quotes', "{'path': 'it's {a}.md', 'lines': [1, 20]}"],
    ['quoted twice', '"{\\"path\\":\\"a.md\\",\\"line\\":12}"'],
  ])('WK5: %s, cut anywhere → it runs whole or not at all', (_what, text) => {
    const inputAt = (end: number) => {
      const call = { id: 't', name: 'edit_file', text: text.slice(0, end), cut: false };
      const { argsParseFailed, input } = toToolUse(call, []);
      return argsParseFailed ? null : input;
    };
    const whole = inputAt(text.length);
    expect(whole).not.toBeNull();
    for (let end = 1; end < text.length; end += 1) expect([null, whole]).toContainEqual(inputAt(end));
    expect(inputAt(text.length - 5)).toBeNull();
  });

  it.each([
    ['a list that goes on', '{"path":"a.md","edits":[{"line":1}, ...]}'],
    ['a name without a value', '{"path":"a.md","edits":,}'],
    ['a bracket of another kind', '{"path":"a.md","edits":[{"line":1}}'],
    ['a text without an end', '{"path":"a.md","content":"the first half'],
  ])('WK5: %s → it is not mended, and the model hears that it is not whole', async (_what, raw) => {
    expect(await callOf(raw)).toMatchObject({ input: {}, raw, argsParseFailed: true });
  });

  it('no text at all → {} without the flag: a call without arguments', async () => {
    expect(await callOf('', [tool('edit_file')])).toEqual({
      type: 'tool_use',
      id: 't',
      name: 'edit_file',
      input: {},
    });
  });

  it('reply cut in the last call → that call is not mended; the ones before are whole', async () => {
    const toolCalls = [
      { name: 'edit_file', arguments: '{"path":"a.md"}' },
      { name: 'edit_file', arguments: '{"path":"b' },
    ];
    const calls = await callsOf({ toolCalls, stopReason: 'max_tokens' });
    expect(calls[0]).not.toHaveProperty('argsParseFailed');
    expect(calls[1]).toMatchObject({ input: {}, raw: '{"path":"b', argsParseFailed: true });
  });
});

describe('FE1: numbers that a double can not hold', () => {
  const PAY = tool('edit_file', { properties: { order: { type: ['integer', 'string'] } } });

  it.each([
    ['plain', '{"order":12345678901234567890}', '12345678901234567890'],
    ['quoted twice', '"{\\"order\\":9007199254740993}"', '9007199254740993'],
    ['mended', "{'order': 1.00000000000000000001}", '1.00000000000000000001'],
    ['too large', '{"order":[{"id":1e400}]}', '1e400'],
  ])(
    '%s → the call does not run, and the model hears which number to write as a text',
    async (_how, raw, digits) => {
      const error = `${digits} has more digits than a number keeps: write it as a text in quotes, if the tool takes one.`;
      for (const validation of ['strict', 'delegate'] as const)
        expect(await callOf(raw, [{ ...PAY, validation }])).toMatchObject({ argErrors: [error] });
    },
  );

  it('as a text, or a number that a double holds → as it was written', async () => {
    const asText = await callOf('{"order":"12345678901234567890"}', [PAY]);
    expect(asText).toMatchObject({ input: { order: '12345678901234567890' } });
    expect(asText).not.toHaveProperty('argErrors');
    expect(await callOf('{"order":9007199254740992}', [PAY])).not.toHaveProperty('argErrors');
  });
});

describe('validation against the schema (C4)', () => {
  it('wrong arguments → errors with path, expected and got', async () => {
    const call = await callOf('{"edits":"all","mode":"x","extra":1}');
    expect(call?.argErrors).toEqual([
      'the arguments: the required property "path" is missing',
      'the arguments: unknown property "extra"; known: path, edits, mode',
      'edits: expected array, got string "all"',
      'mode: expected one of string "soft", string "hard", got string "x"',
    ]);
    expect(call?.input).toEqual({ edits: 'all', mode: 'x', extra: 1 });
  });

  it('error inside a list → path with its index', async () => {
    const call = await callOf('{"path":"a","edits":[{"line":1},{"line":"two"}]}');
    expect(call?.argErrors).toEqual(['edits.1.line: expected number, got string "two"']);
  });

  it.each([
    ['validation is delegated', { ...EDIT, validation: 'delegate' as const }],
    ['the schema cannot be used', { ...EDIT, inputSchema: { type: 'object', $ref: '#/nowhere' } }],
  ])('%s → not checked here', async (_why, offered) => {
    expect(await callOf('{"edits":"all"}', [offered])).not.toHaveProperty('argErrors');
  });

  it('schema of the 2020 dialect → checked', async () => {
    const schema = { ...EDIT.inputSchema, $schema: 'https://json-schema.org/draft/2020-12/schema' };
    expect((await callOf('{}', [{ ...EDIT, inputSchema: schema }]))?.argErrors).toHaveLength(1);
  });

  // gpt-oss by vLLM and Ollama (2025): a mark of its template stands behind the name.
  it.each([
    ['edit_file<|channel|>commentary', 'edit_file'],
    ['functions.edit_file<|channel|>json', 'edit_file'],
    ['functions.edit_file', 'edit_file'],
    ['no_such<|channel|>commentary', 'no_such'],
    ['<|channel|>', '<|channel|>'],
    ['tools:edit_file<|channel|>commentary', 'edit_file'],
  ])('WK17: the name %s → %s', async (written, expected) => {
    const [call] = await callsOf({ toolCalls: [{ name: written, arguments: '{"path":"a"}', id: 't' }] });
    expect(call).toMatchObject({ name: expected, input: { path: 'a' } });
  });

  it('a tool that has such a name itself → the call as it is (WK17)', async () => {
    const own = { ...EDIT, name: 'functions.edit_file' };
    const toolCalls = [{ name: own.name, arguments: '{"path":"a"}', id: 't' }];
    expect((await callsOf({ toolCalls }, [EDIT, own]))[0]?.name).toBe(own.name);
  });

  it('name that was not offered → left to the workflow', async () => {
    const [call] = await callsOf({ toolCalls: [{ name: 'no_such', arguments: '{"a":1}', id: 't' }] });
    expect(call).toEqual({ type: 'tool_use', id: 't', name: 'no_such', input: { a: 1 } });
  });
});
