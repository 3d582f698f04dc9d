/** Runs in the words of the AI SDK: each chunk is held against its own schema, and taken by its own reader. */
import { readUIMessageStream, type UIMessage, type UIMessageChunk, uiMessageChunkSchema } from 'ai';
import { describe, expect, test } from 'vitest';
import type { AgUiEvent } from '../../../packages/ag-ui/events.js';
import { interruptOf } from '../../../packages/ag-ui/interrupts.js';
import {
  agUiRequest,
  CHAT_REQUEST,
  type ChatRequest,
  closedGate,
  placeChunk,
  type UiChunkOptions,
  UiChunks,
} from '../../../packages/ai-sdk-ui/index.js';

async function checked(chunks: readonly object[]): Promise<UIMessageChunk[]> {
  const schema = uiMessageChunkSchema();
  const read: UIMessageChunk[] = [];
  for (const chunk of chunks) {
    const told = await schema.validate?.(JSON.parse(JSON.stringify(chunk)));
    if (!told?.success) throw told?.error ?? new Error(`no schema took ${JSON.stringify(chunk)}`);
    read.push(told.value);
  }
  return read;
}

/** The steps of the message that was read last. */
let steps = 0;

/** The message that a client has after these events, which continue `message`. */
async function messageAfter(
  events: readonly AgUiEvent[],
  options: UiChunkOptions = {},
  message?: UIMessage,
): Promise<UIMessage> {
  const chunks = new UiChunks(options);
  const all = await checked(events.flatMap(event => chunks.take(event)));
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of all) controller.enqueue(chunk);
      controller.close();
    },
  });
  let last: UIMessage | undefined;
  const read = readUIMessageStream({ stream, terminateOnError: true, ...(message && { message }) });
  for await (const each of read) last = each;
  if (last === undefined) throw new Error('no message was told');
  steps = last.parts.filter(({ type }) => type === 'step-start').length;
  return { ...last, parts: last.parts.filter(({ type }) => type !== 'step-start') };
}

const BEGUN: AgUiEvent = { type: 'RUN_STARTED', threadId: 't', runId: 'r' };
const text = (messageId: string, ...deltas: string[]): AgUiEvent[] => [
  { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant', name: 'react' },
  ...deltas.map(delta => ({ type: 'TEXT_MESSAGE_CONTENT' as const, messageId, delta })),
  { type: 'TEXT_MESSAGE_END', messageId },
];
const call = (toolCallId: string, toolCallName: string, delta: string): AgUiEvent[] => [
  { type: 'TOOL_CALL_START', toolCallId, toolCallName, parentMessageId: 'm1' },
  { type: 'TOOL_CALL_ARGS', toolCallId, delta },
  { type: 'TOOL_CALL_END', toolCallId },
];
const result = (toolCallId: string, content: string): AgUiEvent => ({
  ...{ type: 'TOOL_CALL_RESULT', messageId: `${toolCallId}/r`, toolCallId, content, role: 'tool' },
});
const interrupt = {
  ...{ id: 'run-1:g1', reason: 'tool_call', message: 'May it?', toolCallId: 'run-1/c1', metadata: {} },
};
const asks: AgUiEvent = {
  ...{ type: 'RUN_FINISHED', threadId: 't', runId: 'r' },
  outcome: { type: 'interrupt', interrupts: [interrupt] },
};

describe('chunks of a run', () => {
  test('thoughts, words, a call with its result, the plan → parts of one message', async () => {
    const told: AgUiEvent[] = [
      BEGUN,
      { type: 'STATE_SNAPSHOT', snapshot: { run: 'run-1' } },
      { type: 'REASONING_START', messageId: 'th' },
      { type: 'REASONING_MESSAGE_START', messageId: 'th', role: 'reasoning' },
      { type: 'REASONING_MESSAGE_CONTENT', messageId: 'th', delta: 'Hm.' },
      { type: 'REASONING_MESSAGE_END', messageId: 'th' },
      { type: 'REASONING_END', messageId: 'th' },
      ...text('m1', 'I look', ' it up.'),
      ...call('run-1/c1', 'search', '{"q":"pool"}'),
      result('run-1/c1', '50 m'),
      {
        type: 'ACTIVITY_SNAPSHOT',
        messageId: 'run-1/plan',
        activityType: 'PLAN',
        content: { tasks: [{ id: 'a', status: 'pending' }] },
      },
      {
        type: 'ACTIVITY_DELTA',
        messageId: 'run-1/plan',
        activityType: 'PLAN',
        patch: [{ op: 'replace', path: '/tasks/0/status', value: 'completed' }],
      },
      { type: 'CUSTOM', name: 'steersman.receipt', value: { id: 'u1', state: 'applied' } },
      {
        ...BEGUN,
        type: 'RUN_FINISHED',
        result: { run: 'run-1', outcome: 'answered', text: 'x' },
        outcome: { type: 'success' },
      },
    ];
    const { parts, metadata } = await messageAfter(told);
    expect(parts).toMatchObject([
      { type: 'reasoning', text: 'Hm.', state: 'done' },
      {
        type: 'text',
        text: 'I look it up.',
        state: 'done',
        providerMetadata: { steersman: { role: 'react' } },
      },
      {
        type: 'dynamic-tool',
        toolName: 'search',
        state: 'output-available',
        input: { q: 'pool' },
        output: '50 m',
      },
      { type: 'data-plan', data: { tasks: [{ id: 'a', status: 'completed' }] } },
    ]);
    expect(parts).toHaveLength(4);
    expect(metadata).toMatchObject({ steersman: { run: 'run-1', outcome: 'answered' } });
  });

  test('an approval → asked at its call; answered, the result comes to the same message', async () => {
    const before = await messageAfter([BEGUN, ...call('run-1/c1', 'write', '{}'), asks]);
    expect(before.parts).toMatchObject([
      { type: 'dynamic-tool', state: 'approval-requested', approval: { id: 'run-1:g1' } },
      { type: 'data-gate', data: { message: 'May it?', closed: false } },
    ]);
    const [part] = before.parts;
    Object.assign(part ?? {}, { state: 'approval-responded', approval: { id: 'run-1:g1', approved: true } });
    const { input, knownCalls, isContinued, answered } = agUiRequest(
      CHAT_REQUEST.parse({
        id: 't',
        messages: [
          { id: 'u', role: 'user', parts: [] },
          { ...before, id: 'a' },
        ],
      }),
    );
    expect(input.resume).toEqual([
      { interruptId: 'run-1:g1', status: 'resolved', payload: { approved: true } },
    ]);
    expect([knownCalls, isContinued, answered]).toEqual([['run-1/c1'], true, ['run-1:g1']]);
    const after = await messageAfter(
      [BEGUN, result('run-1/c1', 'done'), ...text('m2', 'It is written.')],
      { knownCalls },
      before,
    );
    expect(after.parts).toMatchObject([
      { type: 'dynamic-tool', state: 'output-available', output: 'done' },
      { type: 'data-gate' },
      { type: 'text', text: 'It is written.' },
    ]);
  });

  test('an approval of several calls → asked of the message, not at the first of them as if it were about that alone', async () => {
    const gate = interruptOf('run-1', {
      ...{ id: 'g1', kind: 'approval', title: 'Make these 2 changes?', body: '1. edit "a"\n\n2. edit "b"' },
      ...{ openedAt: 1, deadline: null },
      subject: {
        ...{ tool: 'edit', callId: 'c1', arguments: '{}' },
        calls: ['a', 'b'].map((path, at) => ({ tool: 'edit', callId: `c${at + 1}`, path })),
      },
    });
    const outcome = { type: 'interrupt' as const, interrupts: [gate] };
    const asked = { ...BEGUN, type: 'RUN_FINISHED' as const, outcome };
    const { parts } = await messageAfter([BEGUN, ...call('run-1/c1', 'edit', '{"path":"a"}'), asked]);
    expect(parts).toMatchObject([
      { type: 'dynamic-tool', state: 'input-available' },
      { type: 'data-gate', data: { message: expect.stringContaining('2. edit "b"'), closed: false } },
    ]);
  });

  test.each<[string, AgUiEvent[]]>([
    ['a result of a call that the message lacks', [BEGUN, result('run-1/c9', 'x'), ...text('m', 'Yes.')]],
    [
      'a sub-agent',
      [
        BEGUN,
        ...text('s', 'Mine.').map(each => ({ ...each, subagentRunId: 'run-1/s/1' }) as AgUiEvent),
        ...text('m', 'Yes.'),
      ],
    ],
    [
      'words whose beginning was told before',
      [
        BEGUN,
        { type: 'TEXT_MESSAGE_CONTENT', messageId: 'x', delta: 'rest' },
        { type: 'TEXT_MESSAGE_END', messageId: 'x' },
        ...text('m', 'Yes.'),
      ],
    ],
  ])('%s → nothing that a client would refuse', async (_what, told) => {
    const { parts } = await messageAfter(told);
    expect(parts).toMatchObject([{ type: 'text', text: 'Yes.' }]);
  });

  test('two replies, the first with a call → a step each, so that a client sees that the call is of the first', async () => {
    await messageAfter([
      BEGUN,
      ...text('m1', 'I look.'),
      ...call('c', 'locate', '{}'),
      ...text('m2', 'Found.'),
    ]);
    expect(steps).toBe(2);
  });

  test('a gate that is closed, the place of a message → chunks as the schema has them', async () => {
    expect(await checked([closedGate('g'), placeChunk(7)])).toHaveLength(2);
  });

  test('tools of the client → not called by the run, and their results are brought', async () => {
    const tools = [{ name: 'locate' }];
    const { clientTools } = agUiRequest({ id: 't', messages: [], tools });
    const { parts } = await messageAfter(
      [BEGUN, ...call('c', 'locate', '{}'), ...call('d', 'search', '{}')],
      { clientTools },
    );
    expect(parts.map(part => 'providerExecuted' in part && part.providerExecuted)).toEqual([undefined, true]);
    const done = {
      type: 'dynamic-tool',
      toolName: 'locate',
      toolCallId: 'c',
      state: 'output-available',
      input: {},
      output: { at: 'sea' },
    };
    const { input } = agUiRequest({ id: 't', tools, messages: [message('a', 'assistant', done)] });
    expect(input.messages).toMatchObject([
      { role: 'assistant', toolCalls: [{ id: 'c' }] },
      { role: 'tool', toolCallId: 'c', content: '{"at":"sea"}' },
    ]);
  });

  test('a picture in a message → as AG-UI has it, beside the text', () => {
    const url = 'data:image/png;base64,iVBORw0KGgo=';
    const { input } = agUiRequest({
      id: 't',
      messages: [
        {
          id: 'u',
          role: 'user',
          parts: [
            { type: 'text', text: 'See:' },
            { type: 'file', mediaType: 'image/png', filename: 'a.png', url },
            { type: 'file', mediaType: 'image/png', url: 'https://example.org/a.png' },
          ],
        },
      ],
    });
    expect(input.messages[0]?.content).toEqual([
      { type: 'text', text: 'See:' },
      { type: 'binary', mimeType: 'image/png', filename: 'a.png', url },
    ]);
  });

  test('answers of other gates → resumed by their ids', () => {
    const answers = [
      { id: 'g1', payload: { text: 'Blue' } },
      { id: 'g2', cancelled: true as const },
    ];
    expect(agUiRequest({ id: 't', messages: [], answers }).input.resume).toEqual([
      { interruptId: 'g1', status: 'resolved', payload: { text: 'Blue' } },
      { interruptId: 'g2', status: 'cancelled' },
    ]);
  });
});

function message(
  id: string,
  role: 'assistant',
  ...parts: { type: string }[]
): ChatRequest['messages'][number] {
  return { id, role, parts };
}
