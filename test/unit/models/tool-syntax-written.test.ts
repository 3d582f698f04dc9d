/** Calls that models write as text although they have an interface for them: each form as it was seen. */
import { describe, expect, it } from 'vitest';
import { parseWrittenCalls } from '../../../src/models/tool-syntax/written-calls.js';
import { startEventEndpoint } from '../../support/event-endpoint.js';
import { runCall, tool } from '../../support/model-calls.js';

const SCHEMA = { type: 'object', properties: { query: { type: 'string' }, path: { type: 'string' } } };
const TOOLS = [tool('search', SCHEMA), tool('read', SCHEMA)];
const JSON_CALL = '{"name": "search", "arguments": {"query": "cats"}}';

const FORMS: [string, string][] = [
  ['Hermes, Qwen', `<tool_call>\n${JSON_CALL}\n</tool_call>`],
  ['Qwen without its end', `<tool_call>\n${JSON_CALL}`],
  [
    'Qwen Coder',
    '<tool_call>\n<function=search>\n<parameter=query>\ncats\n</parameter>\n</function>\n</tool_call>',
  ],
  ['Llama 3.1', '<function=search>{"query": "cats"}</function>'],
  [
    'Claude',
    '<function_calls>\n<invoke name="search">\n<parameter name="query">cats</parameter>\n</invoke>\n</function_calls>',
  ],
  [
    'MiniMax',
    '<minimax:tool_call>\n<invoke name="search">\n<parameter name="query">cats</parameter>\n</invoke>\n</minimax:tool_call>',
  ],
  [
    'DeepSeek DSML',
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="search">\n<｜DSML｜parameter name="query" string="true">cats</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
  ],
  [
    'DeepSeek',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>search\n```json\n{"query": "cats"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  ],
  [
    'DeepSeek 3.1',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>search<｜tool▁sep｜>{"query": "cats"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  ],
  ['GLM', '<tool_call>search\n<arg_key>query</arg_key>\n<arg_value>cats</arg_value>\n</tool_call>'],
  [
    'Kimi',
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.search:0<|tool_call_argument_begin|>{"query": "cats"}<|tool_call_end|><|tool_calls_section_end|>',
  ],
  ['Mistral', `[TOOL_CALLS][${JSON_CALL}]`],
  ['Mistral, newer', '[TOOL_CALLS]search[ARGS]{"query": "cats"}'],
  ['Llama 3', '<|python_tag|>{"name": "search", "parameters": {"query": "cats"}}'],
  ['bare JSON', '{"type": "function", "name": "search", "parameters": {"query": "cats"}}'],
  ['bare list', `[${JSON_CALL}]`],
  [
    'as on the wire',
    '{"tool_calls": [{"type": "function", "function": {"name": "search", "arguments": "{\\"query\\":\\"cats\\"}"}}]}',
  ],
  ['Granite', `<|tool_call|>[${JSON_CALL}]`],
  ['Phi', `functools[${JSON_CALL}]`],
  [
    'gpt-oss',
    '<|channel|>commentary to=functions.search <|constrain|>json<|message|>{"query": "cats"}<|call|>',
  ],
  ['pythonic', '[search(query="cats")]'],
  ['Llama 4', '<|python_start|>[search(query="cats")]<|python_end|>'],
  ['Gemma', '```tool_code\nprint(search(query="cats"))\n```'],
  ['ReAct', 'Action: search\nAction Input: {"query": "cats"}'],
  ['a tag of its own', '<search>\n<query>cats</query>\n</search>'],
  ['a function', 'functions.search({"query": "cats"})'],
  ['the tool under `tool`', '{"tool": "search", "args": {"query": "cats"}}'],
  ['parallel', '{"tool_uses": [{"recipient_name": "functions.search", "parameters": {"query": "cats"}}]}'],
  [
    'Command',
    '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "search", "parameters": {"query": "cats"}}]<|END_ACTION|>',
  ],
];

describe('calls in the text of a reply', () => {
  it.each(
    FORMS.flatMap(([who, text]) => [
      [who, text, ''],
      [who, `I look it up.\n\n${text}\n`, 'I look it up.'],
    ]),
  )('%s: %s → read (FE2)', (_who, text, said) => {
    const parsed = parseWrittenCalls(text, TOOLS);
    expect(parsed.calls.map(({ name, arguments: args }) => [name, JSON.parse(args)])).toEqual([
      ['search', { query: 'cats' }],
    ]);
    expect(parsed.text).toBe(said);
  });

  it('two at once → both (FE2)', () => {
    const text = `<tool_call>${JSON_CALL}</tool_call>\n<tool_call>{"name": "read", "arguments": {"path": "a"}}</tool_call>`;
    expect(parseWrittenCalls(text, TOOLS).calls.map(({ name }) => name)).toEqual(['search', 'read']);
  });

  it.each([
    ['in a fence', `Write it so:\n\`\`\`json\n${JSON_CALL}\n\`\`\``],
    ['in a fence of XML', `\`\`\`xml\n<tool_call>\n${JSON_CALL}\n</tool_call>\n\`\`\``],
    ['in code', `Such a call is \`${JSON_CALL}\``],
    ['quoted', `The log says:\n> <tool_call>${JSON_CALL}</tool_call>`],
    ['within a text', `The model wrote <tool_call>${JSON_CALL}</tool_call> and stopped there.`],
    ['of a tool that is not offered', '{"name": "delete", "arguments": {}}'],
    ['JSON that is no call', '{"name": "search", "value": 3}'],
    ['a list of words', '["search", "read"]'],
    ['words', 'I would search(for) it.'],
    ['nothing', ''],
  ])('%s → stays text (FE2)', (_what, text) =>
    expect(parseWrittenCalls(text, TOOLS)).toEqual({ text, calls: [] }),
  );
});

describe('a reply with one', () => {
  const events = [
    {
      choices: [
        { index: 0, delta: { content: `<tool_call>${JSON_CALL}</tool_call>` }, finish_reason: 'stop' },
      ],
    },
  ];
  it('the run does not know the model so → it is told, and nothing is read (FE2)', async () => {
    const { baseUrl } = await startEventEndpoint(events);
    const reply = await runCall({ baseUrl, head: { tools: TOOLS } });
    expect(reply).toMatchObject({ stopReason: 'end_turn', calledInText: ['search'] });
    expect(reply.content.map(({ type }) => type)).toEqual(['text']);
  });

  it('no call was wanted → text (FE2)', async () => {
    const { baseUrl } = await startEventEndpoint(events);
    expect(
      (await runCall({ baseUrl, head: { tools: TOOLS, toolChoice: 'none' } })).calledInText,
    ).toBeUndefined();
  });
});
