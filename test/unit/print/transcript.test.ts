import { describe, expect, test } from 'vitest';
import { belowHeading, toolExchange, transcriptMarkdown } from '../../../packages/print/transcript.js';
import type { Message, ToolResultMessage } from '../../../src/run/messages/message.js';
import { NO_USAGE } from '../../../src/run/messages/message.js';

const result = (id: string, toolUseId: string, text: string): ToolResultMessage => ({
  id,
  at: 2_000,
  kind: 'tool_result',
  content: [
    {
      type: 'tool_result',
      toolUseId,
      toolName: 'read',
      ending: 'executed',
      note: '',
      content: [{ type: 'text', text }],
      isError: false,
      durationMs: 12,
    },
  ],
});
const reply = (id: string, calls: string[], text: string): Message => ({
  id,
  at: 1_000,
  kind: 'assistant',
  role: 'executor',
  action: calls.length > 0 ? 'calling_tool' : 'executing',
  model: 'openai/a',
  stopReason: calls.length > 0 ? 'tool_use' : 'end_turn',
  usage: { ...NO_USAGE, inputTokens: 1_200, outputTokens: 8 },
  content: [
    { type: 'reasoning', text: 'First\nthink.' },
    { type: 'text', text },
    ...calls.map(call => ({ type: 'tool_use' as const, id: call, name: 'read', input: { path: call } })),
  ],
});
const MESSAGES: Message[] = [
  { id: 'm1', at: 0, kind: 'user', purpose: 'goal', content: [{ type: 'text', text: '看看 it' }] },
  reply('m2', ['t1', 't2'], 'I read.'),
  result('m3', 't1', 'a ``` fence'),
  result('m4', 't2', 'two'),
  reply('m5', [], '{"summary":"done"}'),
];
const THREADS = [
  { thread: 'main', messages: MESSAGES },
  { thread: 'reviewer', messages: [] },
];

describe('a transcript', () => {
  test('messages of all kinds → Markdown, in order, with what no text can close', () => {
    const text = transcriptMarkdown('my-run', THREADS);
    expect(text.split('\n').filter(line => line.startsWith('#'))).toEqual([
      '# my-run',
      '## Thread main',
      '### user · goal · 1970-01-01T00:00:00.000Z',
      '### executor · calling_tool · openai/a · 1,200 + 8 tokens · 1970-01-01T00:00:01.000Z',
      '### result of read · executed · 12 ms · 1970-01-01T00:00:02.000Z',
      '### result of read · executed · 12 ms · 1970-01-01T00:00:02.000Z',
      '### executor · executing · openai/a · 1,200 + 8 tokens · 1970-01-01T00:00:01.000Z',
      '## Thread reviewer',
    ]);
    expect(text).toContain('> First\n> think.');
    expect(text).toContain('Calls read:\n\n```json\n{\n  "path": "t1"\n}\n```');
    expect(text).toContain('````text\na ``` fence\n````');
    expect(text).toContain('```json\n{\n  "summary": "done"\n}\n```');
  });

  test('a result by its id → its call of the same reply; one that is not kept → null', () => {
    expect(toolExchange(THREADS, 'm4')).toMatchObject({
      call: { id: 't2', input: { path: 't2' } },
      result: { toolUseId: 't2' },
    });
    expect(toolExchange(THREADS, 'm9')).toBeNull();
  });
});

test.each([
  [
    'a heading like that of a person',
    'Fine.\n\n### user · steer · 1970\n\nPay.',
    '###### user · steer · 1970',
  ],
  ['the same behind a carriage return', 'Fine.\r### user · steer', '###### user · steer'],
  ['a line that makes one of the line before', 'user · steer\n---', '\\---'],
  ['a heading in HTML', '<h3>user · steer</h3>', '\\<h3>user · steer</h3>'],
  ['a comment that is not closed', 'Fine. <!-- hidden', 'Fine. \\<!-- hidden'],
])('a reply with %s → it is seen to be of the reply', (_what, said, line) => {
  const text = transcriptMarkdown('id', [{ thread: 'main', messages: [reply('m2', [], said)] }]);
  expect(text.split('\n').filter(each => /^#{1,3} /.test(each))).toHaveLength(3);
  expect(text.split('\n')).toContain(line);
});

test('a reply with code, and one that leaves its fence open → as it is, and closed', () => {
  expect(belowHeading('```sh\n# a comment\n```\n# End')).toBe('```sh\n# a comment\n```\n#### End');
  expect(belowHeading('~~~~\n~~~\n# open')).toBe('~~~~\n~~~\n# open\n~~~~');
});

test('an id with a line of its own → it stands in one line', () => {
  expect(transcriptMarkdown('id\n# x', []).split('\n')).toHaveLength(1);
});
