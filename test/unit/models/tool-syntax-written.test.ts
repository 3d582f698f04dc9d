/** Calls that models write as text although they have an interface for them: each form as it was seen. */
import { describe, expect, it } from 'vitest';
import type { ToolCallCodec } from '../../../src/models/tool-syntax/codec.js';
import { CODECS } from '../../../src/models/tool-syntax/codecs.js';
import { parseWrittenCalls } from '../../../src/models/tool-syntax/written-calls.js';
import { WRITTEN_LESSON } from '../../../src/run/models/lessons.js';
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
  ['Gemini', '```tool_code\nprint(default_api.search(query="cats"))\n```'],
  ['Gemini, a list', '[default_api.search(query="cats")]'],
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

/** As a reader met them, each at an endpoint. */
const MET: [string, string][] = [
  [
    'Hermes at vLLM',
    'I look first.\n<tool_call>\n{"name": "read", "arguments": {"path": "notes.txt"}}\n</tool_call>',
  ],
  [
    'Qwen Coder at Ollama, without a beginning',
    '<function=read>\n<parameter=path>\nnotes.txt\n</parameter>\n</function>\n</tool_call>',
  ],
  ['Llama at Groq', '<function=read>{"path": "notes.txt"}</function>'],
  ['Mistral at vLLM', '[TOOL_CALLS]read[ARGS]{"path": "notes.txt"}'],
  [
    'Mistral at llama.cpp',
    '[TOOL_CALLS] [{"name": "read", "arguments": {"path": "notes.txt"}, "id": "VvvODy9mT"}]',
  ],
  ['Llama 3.2 at Ollama', '{"name": "read", "parameters": {"path": "notes.txt"}}'],
  ['Llama 4 at vLLM', '[read(path="notes.txt")]'],
  [
    'DeepSeek V3 at SGLang',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read\n```json\n{"path": "notes.txt"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  ],
  [
    'DeepSeek V3.1 at vLLM',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read<｜tool▁sep｜>{"path": "notes.txt"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  ],
  [
    'Kimi K2 at vLLM',
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{"path": "notes.txt"}<|tool_call_end|><|tool_calls_section_end|>',
  ],
  [
    'GLM at SGLang',
    '<tool_call>read\n<arg_key>path</arg_key>\n<arg_value>notes.txt</arg_value>\n</tool_call>',
  ],
  [
    'gpt-oss at Ollama',
    '<|channel|>commentary to=functions.read <|constrain|>json<|message|>{"path":"notes.txt"}<|call|>',
  ],
  [
    'DeepSeek V3.2',
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="read">\n<｜DSML｜parameter name="path" string="true">notes.txt</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
  ],
];

/** Read only where the model is to call natively. */
const NATIVE: [string, string][] = [
  ['LM Studio', `[TOOL_REQUEST]\n${JSON_CALL}\n[END_TOOL_REQUEST]`],
  ['Nemotron', `<TOOLCALL>[${JSON_CALL}]</TOOLCALL>`],
  ['LongCat', `<longcat_tool_call>${JSON_CALL}</longcat_tool_call>`],
  ['a tag of the old name', `<function_call>${JSON_CALL}</function_call>`],
  [
    'Seed-OSS',
    '<seed:tool_call>\n<function=search>\n<parameter=query>cats</parameter>\n</function>\n</seed:tool_call>',
  ],
  [
    'Step',
    '<steptml:toolcall><steptml:invoke name="search"><steptml:parameter name="query">cats</steptml:parameter></steptml:invoke></steptml:toolcall>',
  ],
  [
    'DeepSeek DSML, in plain bars',
    '<|DSML|function_calls>\n<|DSML|invoke name="search">\n<|DSML|parameter name="query" string="true">cats</|DSML|parameter>\n</|DSML|invoke>\n</|DSML|function_calls>',
  ],
  [
    'MiniMax M3, its separators between the tags',
    ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="search">]<]minimax[>[<query>cats]<]minimax[>[</query>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>',
  ],
  ['OLMo', '<function_calls>\nsearch(query="cats")\n</function_calls>'],
  ['Gemma 4', '<|tool_call>call:search{query:<|"|>cats<|"|>}<tool_call|>'],
  ['FunctionGemma', '<start_function_call>call:search{query:<escape>cats<escape>}<end_function_call>'],
  [
    'a result that the model made up',
    `<tool_call>${JSON_CALL}</tool_call>\n<tool_response>\nThree cats.\n</tool_response>\nThere are three cats.`,
  ],
];

const XML = CODECS.xml as ToolCallCodec;

describe.each([
  ['natively', parseWrittenCalls],
  ['as XML', XML.parse],
])('calls that were met, of a model that is to call %s', (_how, parse) => {
  it.each(MET)('%s: %s → read (FE2)', (_who, text) => {
    const { calls } = parse(text, TOOLS);
    expect(calls.map(({ name, arguments: args }) => [name, JSON.parse(args)])).toEqual([
      ['read', { path: 'notes.txt' }],
    ]);
  });

  it.each(FORMS)('%s → read (FE2)', (_who, text) =>
    expect(parse(text, TOOLS).calls.map(({ name }) => name)).toEqual(['search']),
  );
});

describe('calls in the text of a reply', () => {
  it.each(
    [...FORMS, ...NATIVE].flatMap(([who, text]) => [
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

  it('Gemma 4, two calls, with quotes, braces and lists in their texts → both, as written (FE2)', () => {
    const text =
      '<|tool_call>call:search{query:<|"|>a "b", c: {d}\n<|"|>,tags:[<|"|>x<|"|>,<|"|>y: z<|"|>],most:3}<tool_call|><|tool_call>call:read{path:<|"|>a<|"|>}<tool_call|>';
    expect(
      parseWrittenCalls(text, TOOLS).calls.map(({ name, arguments: args }) => [name, JSON.parse(args)]),
    ).toEqual([
      ['search', { query: 'a "b", c: {d}\n', tags: ['x', 'y: z'], most: 3 }],
      ['read', { path: 'a' }],
    ]);
  });

  it('Gemma 4 right behind a sentence → read (FE2)', () => {
    const parsed = parseWrittenCalls('I look.<|tool_call>call:read{path:<|"|>a<|"|>}<tool_call|>', TOOLS);
    expect(parsed).toMatchObject({ text: 'I look.', calls: [{ name: 'read', arguments: '{"path":"a"}' }] });
  });

  const MARKED = '<tools><ToolCall/></tools> <|im_end|> [TOOL_REQUEST] [ARGS]';
  it.each([
    ['bare JSON', `{"name": "search", "arguments": {"query": "${MARKED}"}}`],
    ['Mistral', `[TOOL_CALLS]search[ARGS]{"query": "${MARKED}"}`],
    ['Granite', `<|tool_call|>[{"name": "search", "arguments": {"query": "${MARKED}"}}]<|end_of_text|>`],
    ['Llama 4', `<|python_start|>[search(query="${MARKED}")]<|python_end|>`],
    ['OLMo', `<function_calls>\nsearch(query="${MARKED}")\n</function_calls>`],
  ])('%s with the marks of calls in an argument → they stay in it (FE2)', (_who, text) => {
    const { calls } = parseWrittenCalls(text, TOOLS);
    expect(calls.map(({ arguments: args }) => JSON.parse(args))).toEqual([{ query: MARKED }]);
  });

  it.each([
    ['Hermes', '<tool_call>{"name": "open_file", "arguments": {"path": "a"}}</tool_call>'],
    ['Gemma 4', '<|tool_call>call:open_file{path:<|"|>a<|"|>}<tool_call|>'],
    ['Mistral', '[TOOL_CALLS]open_file[ARGS]{"path":"a"}'],
    [
      'Kimi',
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.open_file:0<|tool_call_argument_begin|>{"path":"a"}<|tool_call_end|><|tool_calls_section_end|>',
    ],
    ['LM Studio', '[TOOL_REQUEST]{"name": "open_file", "arguments": {"path": "a"}}[END_TOOL_REQUEST]'],
  ])(
    '%s, a tool that is not offered, in marks that only calls have → a call, which is answered as such (FE2)',
    (_who, text) => {
      const { calls } = parseWrittenCalls(`I look.\n${text}`, TOOLS);
      expect(calls.map(({ name, arguments: args }) => [name, JSON.parse(args)])).toEqual([
        ['open_file', { path: 'a' }],
      ]);
    },
  );

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
    ['a tag of no tool', '<open_file>\n<path>a</path>\n</open_file>'],
    ['a function that is not offered', '<function=open_file>{"path": "a"}</function>'],
    ['a list of words in marks', '[TOOL_CALLS] are marks of Mistral.'],
    ['a tag of calls with words', '<tool_call>\nsome words\n</tool_call>'],
    ['Gemma’s words without its marks', 'call:search{query:"cats"}'],
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

  const thought = (reasoning_content: string, content: string) => [
    { choices: [{ index: 0, delta: { reasoning_content, content }, finish_reason: 'stop' }] },
  ];
  const WRITTEN = `I look it up.\n<tool_call>${JSON_CALL}</tool_call>`;

  it('it ends the thinking, and nothing follows → told the first time, then read (FE2)', async () => {
    const { baseUrl } = await startEventEndpoint(thought(WRITTEN, ''));
    const call = { baseUrl, head: { tools: TOOLS } };
    expect(await runCall(call)).toMatchObject({ stopReason: 'end_turn', calledInText: ['search'] });
    const { stopReason, content } = await runCall({ ...call, lessons: [WRITTEN_LESSON] });
    expect(stopReason).toBe('tool_use');
    expect(content).toMatchObject([
      { type: 'reasoning', text: WRITTEN },
      { type: 'tool_use', name: 'search', input: { query: 'cats' } },
    ]);
  });

  it('it ends the thinking, and an answer follows → the answer (FE2)', async () => {
    const { baseUrl } = await startEventEndpoint(thought(WRITTEN, 'Three.'));
    const reply = await runCall({ baseUrl, head: { tools: TOOLS }, lessons: [WRITTEN_LESSON] });
    expect(reply).toMatchObject({ stopReason: 'end_turn' });
    expect(reply.calledInText).toBeUndefined();
  });

  it('no call was wanted → text (FE2)', async () => {
    const { baseUrl } = await startEventEndpoint(events);
    expect(
      (await runCall({ baseUrl, head: { tools: TOOLS, toolChoice: 'none' } })).calledInText,
    ).toBeUndefined();
  });
});
