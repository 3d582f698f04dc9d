import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunEnd } from '../../../src/client/record/run-end.js';
import { wordsOf } from '../../../src/client/vocabularies/stream-events.js';
import type { RunEvent } from '../../../src/client/watch/run-event.js';
import { NO_USAGE } from '../../../src/run/messages/message.js';
import type { JournalEvent, JournalPayloads, JournalType } from '../../../src/run/state/journal.js';
import {
  chunks,
  listenToStream,
  snapshots,
  streamEvents,
  turnEvents,
  type Vocabulary,
} from '../../../src/vocabularies.js';

function journal<T extends JournalType>(type: T, payload: JournalPayloads[T]): RunEvent {
  return { seq: 1, at: 0, type, ...payload } as unknown as JournalEvent;
}

function journalOf(type: JournalType, taskId: string): RunEvent {
  return { seq: 1, at: 0, type, taskId } as unknown as JournalEvent;
}

type Channel = 'text' | 'reasoning' | 'tool_input';
const piece = (offset: number, text: string, channel: Channel = 'text', attempt = 1): RunEvent => ({
  type: 'text',
  ...{ callId: 'c1', role: 'executor', taskId: 't1', form: 'words' },
  attempt,
  channel,
  offset,
  text,
});
const call = { callId: 'c1', taskId: 't1', role: 'executor', model: 'openai/gpt-5', turn: 3 };
const started = journal('model_call_started', { ...call, round: 1, form: 'words', answers: true });
const planning = journal('model_call_started', { ...call, callId: 'c0', round: 1, form: 'json' });
const planned = journal('model_call_ended', {
  ...call,
  callId: 'c0',
  messageId: 'm0',
  stopReason: 'end_turn',
  toolCalls: 0,
  usage: NO_USAGE,
  durationMs: 5,
  text: '{"component":"planner-response"}',
});
const answered = (answer: string) =>
  journal('goal_ended', { number: 1, outcome: 'completed', cause: 'verified', answer });
const ended = (text: string | undefined, more: Partial<JournalPayloads['model_call_ended']> = {}) =>
  journal('model_call_ended', {
    ...call,
    messageId: 'm1',
    stopReason: 'end_turn',
    toolCalls: 0,
    usage: NO_USAGE,
    durationMs: 5,
    ...(text === undefined ? {} : { text }),
    ...more,
  });
const SAID = { id: 'c1_1', name: 'read_file', arguments: '{"path":"a  b"}' };
const calls = (...said: JournalPayloads['model_call_ended']['calls'] & object) => ({
  ...({ stopReason: 'tool_use', toolCalls: said.length } as const),
  calls: said,
});
const toolStarted = journal('tool_call_started', {
  callId: 'c2',
  taskId: 't1',
  turn: 3,
  tool: 'read_file',
  arguments: '{"path":"a"}',
});
const toolEnded = journal('tool_call_ended', {
  callId: 'c2',
  taskId: 't1',
  turn: 3,
  messageId: 'm2',
  tool: 'read_file',
  ending: 'executed',
  isError: false,
  durationMs: 7,
  text: 'A',
});
const failedCall = journal('model_call_failed', {
  callId: 'c1',
  taskId: 't1',
  model: 'a/x',
  turn: 1,
  retryable: true,
  failure: 'model.connection',
  message: 'No.',
  next: 'next_model',
});
const end = (
  outcome: RunEnd['outcome'],
  result: object | null,
  { message = '', cause = null }: { message?: string; cause?: RunEnd['cause'] } = {},
): RunEvent => ({
  type: 'end',
  end: {
    id: 'r',
    runId: 'r1',
    status: 'completed',
    outcome,
    cause,
    basis: null,
    result: result as RunEnd['result'],
    failure: message === '' ? null : { type: 'run.failed', message },
  },
});

function said<T>(vocabulary: Vocabulary<T>, events: RunEvent[]): T[] {
  return events.flatMap(vocabulary);
}

/** A reply cut into pieces: some are not seen, some come again with another attempt. */
const replies = fc.record({
  lost: fc.array(fc.string({ minLength: 1, maxLength: 5 }), { maxLength: 4 }),
  pieces: fc.array(fc.record({ text: fc.string({ minLength: 1, maxLength: 8 }), seen: fc.boolean() }), {
    maxLength: 8,
  }),
});

function eventsOf({ lost, pieces }: typeof replies extends fc.Arbitrary<infer R> ? R : never) {
  const whole = pieces.map(({ text }) => text).join('');
  const events: RunEvent[] = [started];
  let at = 0;
  for (const text of lost) {
    events.push(piece(at, text));
    at += text.length;
  }
  at = 0;
  for (const { text, seen } of pieces) {
    if (seen) events.push(piece(at, text, 'text', 2));
    at += text.length;
  }
  return { whole, events: [...events, ended(whole)] };
}

describe('streams of replies', () => {
  test('stream: any pieces, holes and a second attempt → after the last reset, the reply and nothing twice (V1, V8, C15)', () => {
    fc.assert(
      fc.property(replies, reply => {
        const { whole, events } = eventsOf(reply);
        let text = '';
        for (const event of said(streamEvents(), [...events, answered(whole)])) {
          if (event.type === 'reset') text = '';
          if (event.type === 'content') text += event.content;
        }
        expect(text).toBe(whole);
      }),
    );
  });

  test.each<[string, RunEvent[]]>([
    ['text', [piece(0, 'Half')]],
    ['reasoning alone', [piece(0, 'Hm', 'reasoning')]],
  ])(
    'stream: a call that failed behind its %s → taken back before another says anything (V1)',
    (_, pieces) => {
      const events = [started, ...pieces, failedCall, piece(4, ' late'), started, ended('Whole')];
      expect(said(streamEvents(), events).slice(1)).toEqual([
        { type: 'reset' },
        { type: 'content', content: 'Whole' },
        { type: 'done' },
      ]);
    },
  );

  test('stream: a reply whose text is kept no more → what was said of it stands (C15)', () => {
    expect(said(streamEvents(), [started, piece(0, 'All.'), ended(undefined)])).toEqual([
      { type: 'content', content: 'All.' },
      { type: 'done' },
    ]);
  });

  test('stream: reasoning, text, tool calls → each as its own event, calls as they were said, then done (V1)', () => {
    const other = { ...SAID, id: 'c1_2' };
    const events = [
      started,
      piece(0, 'Hm.', 'reasoning'),
      piece(0, 'I read.'),
      ended('I read. Wait.', { reasoning: 'Hm.', ...calls(SAID, other) }),
      toolStarted,
      toolEnded,
    ];
    const toldCall = ({ id, name, arguments: given }: typeof SAID) => ({
      ...{ id, type: 'function' },
      function: { name, arguments: given },
    });
    expect(said(streamEvents(), events)).toEqual([
      { type: 'reasoning', content: 'Hm.' },
      { type: 'content', content: 'I read.' },
      { type: 'content', content: ' Wait.' },
      { type: 'tool_calls', tool_calls: [toldCall(SAID), toldCall(other)] },
      { type: 'done' },
    ]);
  });

  test('stream: tool calls of a reply that is kept no more → each when it starts, as its event has it (V1)', () => {
    expect(said(streamEvents(), [started, ended(undefined, { toolCalls: 1 }), toolStarted])).toEqual([
      { type: 'done' },
      expect.objectContaining({ type: 'tool_calls' }),
    ]);
  });

  test.each<[string, RunEvent[]]>([
    ['none of it', []],
    ['its beginning', [piece(0, 'I th', 'reasoning')]],
    ['a part behind a hole', [piece(0, 'I', 'reasoning'), piece(3, 'hin', 'reasoning')]],
    ['all of it', [piece(0, 'I think.', 'reasoning')]],
  ])('stream: of the reasoning %s came live → all of it, once (V1, M12)', (_, pieces) => {
    const told = said(streamEvents(), [started, ...pieces, ended('Yes.', { reasoning: 'I think.' })]);
    const texts = told.map(event => (event.type === 'reasoning' ? event.content : event.type));
    expect(texts.join('').replace('contentdone', '')).toBe('I think.');
  });

  test.each([
    [
      'a reply in words → the answer as it comes, and once',
      [started, piece(0, 'It is '), ended('It is 42.\n'), answered('It is 42.')],
      'It is 42.\n',
    ],
    [
      'a verdict in JSON → the answer when the goal ends',
      [planning, planned, answered('It is 42.')],
      'It is 42.',
    ],
    [
      'an envelope in place of words → the answer that is in it',
      [started, piece(0, '{"action"'), ended('{"action":"ASK"}'), answered('Which?')],
      'Which?',
    ],
    [
      'words, and what the run adds → both, once',
      [started, ended('It is 42.'), answered('It is 42.\n\nNot done: b')],
      'It is 42.\n\nNot done: b',
    ],
    [
      'a call that failed amid its words → told anew, as a paragraph',
      [started, piece(0, 'It'), failedCall, started, ended('It is 42.'), answered('It is 42.')],
      'It\n\nIt is 42.',
    ],
    [
      'of a sub-agent → nothing',
      [{ ...started, path: 'a/1' }, { ...ended('Mine.'), path: 'a/1' }, answered('Ours.')],
      'Ours.',
    ],
  ] as [string, RunEvent[], string][])('words of the answer: %s (V1)', async (_name, given, text) => {
    async function* events() {
      yield* given;
    }
    const words: string[] = [];
    for await (const word of wordsOf(events())) words.push(word);
    expect(words.join('')).toBe(text);
  });

  test('stream: a reply that a person interrupted → stopped, and no call of it (V2)', () => {
    expect(said(streamEvents(), [started, piece(0, 'I'), ended('I', { stopReason: 'interrupted' })])).toEqual(
      [{ type: 'content', content: 'I' }, { type: 'stopped' }],
    );
  });

  test('listen: each part as it comes, done once a goal, a failure as an error; until the returned function is called (V1)', async () => {
    const heard: string[] = [];
    let failed: ((error: Error) => void) | undefined;
    const failure = new Promise<Error>(resolve => {
      failed = resolve;
    });
    async function* events() {
      yield* [started, ended('I look.', calls(SAID)), started, ended('All.'), answered('All. And more.')];
      yield* [journal('goal_ended', { number: 2, outcome: 'failed', cause: 'failed:tasks', answer: '' })];
      yield end('failed', null, { message: 'No model.' });
    }
    listenToStream(events(), {
      onContent: text => heard.push(text),
      onToolCalls: said => heard.push(...said.map(({ id }) => id)),
      onDone: () => heard.push('done'),
      onError: error => failed?.(error),
    });
    expect((await failure).message).toBe('No model.');
    expect(heard).toEqual(['I look.', 'c1_1', 'All.', ' And more.', 'done']);

    let ended2 = false;
    async function* endless() {
      try {
        for (;;) yield started;
      } finally {
        ended2 = true;
      }
    }
    listenToStream(endless(), {})();
    await expect.poll(() => ended2).toBe(true);
  });
});

test('stream: with roles → what each role writes, JSON included, then the answer that stands in none (CF10)', async () => {
  const verdict = '{"component":"verifier-response","summary":"It is 42."}';
  const judging = { ...call, callId: 'c2', role: 'verifier' };
  const events = [
    { ...planning, role: 'planner' } as RunEvent,
    { ...piece(0, '{"component"'), callId: 'c0' } as RunEvent,
    planned,
    started,
    ended('I read.', { reasoning: 'Hm.', ...calls(SAID) }),
    journal('model_call_started', { ...judging, round: 1, form: 'json' }),
    ended(verdict, judging),
    answered('It is 42.'),
  ];
  const heard: [string, string | undefined][] = [];
  async function* run() {
    yield* events;
  }
  await new Promise<void>(onDone =>
    listenToStream(run(), { onContent: (text, role) => heard.push([text, role]), onDone }, { roles: true }),
  );
  expect(heard).toEqual([
    ['{"component"', 'planner'],
    [':"planner-response"}', 'planner'],
    ['I read.', 'executor'],
    [verdict, 'verifier'],
    ['It is 42.', undefined],
  ]);
  expect(said(streamEvents({ roles: true }), events)).toContainEqual({
    type: 'reasoning',
    content: 'Hm.',
    role: 'executor',
  });
});

describe('turns', () => {
  const usage = { ...NO_USAGE, inputTokens: 4 };

  test('turns: a run → start and end with model and provider, tools, steering, a switch, done (V4)', () => {
    const events = [
      started,
      ended('', { stopReason: 'tool_use', toolCalls: 1 }),
      toolEnded,
      journal('steering', { ids: ['u1'], skippedTools: ['write_file'] }),
      journal('provider_switch', { role: 'executor', fromModel: 'a/x', toModel: 'b/y', why: 'it failed' }),
      journal('gate_opened', {
        gateId: 'g1',
        kind: 'clientTool',
        title: 'T',
        body: 'ask_user {}',
        deadline: null,
        choices: [],
        call: { tool: 'ask_user', id: 'c1_9' },
      }),
      end('completed', { text: 'All.', goals: [{ turns: 5 }, { turns: 4 }], usage, outcome: 'completed' }),
    ];
    expect(said(turnEvents(), events)).toEqual([
      { type: 'turn_start', turn_number: 3, agent: 'executor' },
      {
        type: 'turn_end',
        turn_number: 3,
        agent: 'executor',
        stop_reason: 'tool_use',
        model: 'openai/gpt-5',
        provider: 'openai',
      },
      {
        type: 'tool_execution',
        turn_number: 3,
        tool_name: 'read_file',
        result: 'A',
        is_cut: false,
        is_error: false,
        duration_ms: 7,
      },
      { type: 'steering', message_ids: ['u1'], skipped_tools: ['write_file'] },
      { type: 'provider_switch', agent: 'executor', from_model: 'a/x', to_model: 'b/y', why: 'it failed' },
      {
        type: 'client_tool_request',
        gate_id: 'g1',
        tool_name: 'ask_user',
        tool_call_id: 'c1_9',
        request: 'ask_user {}',
      },
      { type: 'done', outcome: 'completed', final_text: 'All.', total_turns: 9, total_usage: usage },
    ]);
  });

  test.each([
    ['failed:model.rate_limited', true],
    ['failed:model.auth', false],
    ['failed:timedOut', true],
    ['failed:worker.lost', true],
    ['failed:run.busy', true],
    // A model that failed on the way, and another that went on, are not what it failed of.
    ['failed:tasks', false],
    [null, false],
  ] as const)(
    'turns: a run that ends with %s → an error that says whether it passes: %s (E3)',
    (cause, retryable) => {
      const events = [failedCall, started, ended('No.'), end('failed', null, { message: 'No.', cause })];
      expect(said(turnEvents(), events).at(-1)).toEqual({
        type: 'error',
        error: 'No.',
        is_retryable: retryable,
      });
    },
  );
});

describe('snapshots', () => {
  test('snapshots: pieces → each event has all of the text so far; complete with what it leads to (V5, C15)', () => {
    const events = [
      started,
      piece(0, 'Hm.', 'reasoning'),
      piece(0, 'I r'),
      piece(3, 'ead.'),
      ended('I read.', { reasoning: 'Hm. So.', ...calls(SAID, { ...SAID, id: 'c1_2' }) }),
    ];
    const told = said(snapshots(), events);
    expect(told.map(({ type, data }) => [type, data.content, data.reasoning_content])).toEqual([
      ['AGENT_START', '', null],
      ['LLM_CHUNK', '', 'Hm.'],
      ['LLM_CHUNK', 'I r', 'Hm.'],
      ['LLM_CHUNK', 'I read.', 'Hm.'],
      ['LLM_COMPLETE', 'I read.', 'Hm. So.'],
      ['AGENT_COMPLETE', 'I read.', 'Hm. So.'],
    ]);
    const { routing, tool_calls } = told.at(-1)?.data ?? {};
    expect(routing).toEqual({ type: 'tool_call', tool_name: 'read_file', params: { path: 'a  b' } });
    expect(tool_calls?.map(({ id }) => id)).toEqual(['c1_1', 'c1_2']);
  });

  test.each([
    [
      'a sub-agent',
      { ...SAID, name: 'call_subagent', arguments: '{"agent_name":"search","instruction":"Find it."}' },
      { type: 'subagent', target: 'search', instruction: 'Find it.' },
    ],
    [
      'a tool with arguments that nobody can read',
      { ...SAID, arguments: '{"path":' },
      { type: 'tool_call', tool_name: 'read_file', params: {} },
    ],
  ])('snapshots: a reply that calls %s → its routing says so (G8)', (_, call, routing) => {
    expect(said(snapshots(), [started, ended('', calls(call))]).at(-1)?.data.routing).toEqual(routing);
  });

  test('snapshots: what the tools of a role answered → told with its next replies, anew with each invocation (G8)', () => {
    const goesOn = journal('model_call_started', { ...call, round: 2, form: 'words' });
    const ran = { ...toolStarted, toolUseId: 'c1_1', arguments: SAID.arguments } as RunEvent;
    const events = [started, ended('', calls(SAID)), ran, toolEnded, goesOn, ended('Yes.'), started];
    const told = said(snapshots(), events).filter(({ type }) => type !== 'LLM_COMPLETE');
    const tool_call_id = 'c1_1';
    const interaction = {
      tool_call_id,
      tool_name: 'read_file',
      params: { path: 'a  b' },
      result: 'A',
      cut: false,
      success: true,
    };
    expect(told.map(({ type, data }) => [type, data.tool_interactions])).toEqual([
      ['AGENT_START', []],
      ['AGENT_COMPLETE', []],
      ['AGENT_START', [interaction]],
      ['AGENT_COMPLETE', [interaction]],
      ['AGENT_START', []],
    ]);
  });

  test('snapshots: a sub-agent at work meanwhile → its own events with its path, and those of its caller go on (CF7)', () => {
    const of = (event: RunEvent): RunEvent => ({ ...event, agent: 'search', path: 'search/1' });
    const events = [
      started,
      piece(0, 'I '),
      of(started),
      of(piece(0, 'Fo')),
      piece(2, 'ask.'),
      of(ended('Found.')),
    ];
    const told = said(snapshots(), events);
    expect(told.map(({ type, path = '', data }) => [type, path, data.content])).toEqual([
      ['AGENT_START', '', ''],
      ['LLM_CHUNK', '', 'I '],
      ['AGENT_START', 'search/1', ''],
      ['LLM_CHUNK', 'search/1', 'Fo'],
      ['LLM_CHUNK', '', 'I ask.'],
      ['LLM_COMPLETE', 'search/1', 'Found.'],
      ['AGENT_COMPLETE', 'search/1', 'Found.'],
    ]);
  });

  test('snapshots: a message skips the calls of a reply → it is complete all the same (V5)', () => {
    const skipped = journal('steering', { ids: ['u1'], skippedTools: ['read_file'] });
    const told = said(snapshots(), [started, ended('I read.', calls(SAID)), skipped]);
    expect(told.map(({ type }) => type)).toEqual(['AGENT_START', 'LLM_COMPLETE', 'AGENT_COMPLETE']);
  });

  test('snapshots: a reply without tools, and one that failed → complete at once; not a success, with the error as content (V5, E6)', () => {
    const told = said(snapshots(), [started, ended('Yes.'), started, failedCall, piece(0, 'Late')]);
    expect(told.at(-1)?.data.content).toBe('No.');
    expect(told.map(({ type, data }) => [type, data.success])).toEqual([
      ['AGENT_START', true],
      ['LLM_COMPLETE', true],
      ['AGENT_COMPLETE', true],
      ['AGENT_START', true],
      ['AGENT_COMPLETE', false],
    ]);
  });
});

describe('chunks', () => {
  test.each([
    ['end_turn', 'stop'],
    ['tool_use', 'tool_calls'],
    ['max_tokens', 'length'],
    ['content_filter', 'content_filter'],
    ['refusal', 'content_filter'],
    ['interrupted', 'cancelled'],
  ] as const)('chunks: a reply that ends with %s → %s (M13)', (stopReason, finish_reason) => {
    expect(said(chunks(), [started, ended('', { stopReason })])).toEqual([
      { type: 'reply_end', agent: 'executor', finish_reason },
    ]);
  });

  test('chunks: a reply that its model declined amid its words → taken back, then its end (V6, M13)', () => {
    const declined = journal('model_call_failed', {
      ...call,
      retryable: false,
      failure: 'model.refused',
      message: 'No.',
      next: 'next_model',
    });
    expect(said(chunks(), [started, piece(0, 'Half'), declined])).toEqual([
      { type: 'answer', agent: 'executor', text: 'Half' },
      { type: 'reset', agent: 'executor' },
      { type: 'reply_end', agent: 'executor', finish_reason: 'content_filter' },
    ]);
  });

  test('chunks: reasoning is a thought, JSON for the run is not told, words are the answer; tools and the end (V6)', () => {
    const json = journal('model_call_started', { ...call, round: 1, taskId: null, form: 'json' });
    const events = [
      json,
      piece(0, 'Hm.', 'reasoning'),
      ended('{}'),
      toolStarted,
      { type: 'tool_progress', callId: 'c2', tool: 'read_file', progress: 1, total: 2 } as const,
      toolEnded,
      started,
      piece(0, 'All.'),
      ended('All.'),
      end('completed', { text: 'All.' }),
    ];
    expect(said(chunks(), events)).toEqual([
      { type: 'thought', agent: 'executor', text: 'Hm.' },
      { type: 'reply_end', agent: 'executor', finish_reason: 'stop' },
      { type: 'tool', id: 'c2', name: 'read_file', status: 'running', text: '{"path":"a"}' },
      { type: 'tool_progress', id: 'c2', name: 'read_file', progress: 1, total: 2 },
      { type: 'tool', id: 'c2', name: 'read_file', status: 'done', text: 'A' },
      { type: 'answer', agent: 'executor', text: 'All.' },
      { type: 'reply_end', agent: 'executor', finish_reason: 'stop' },
      { type: 'final', outcome: 'completed', text: 'All.' },
    ]);
  });
});

describe('thoughts and steps', () => {
  const kinds = (events: RunEvent[]) =>
    said(chunks(), events).flatMap(chunk =>
      'text' in chunk && chunk.type !== 'tool' ? [`${chunk.type}: ${chunk.text}`] : [chunk.type],
    );

  test('chunks: words beside tool calls → taken back as an answer, told as a thought (V6)', () => {
    const events = [
      started,
      piece(0, 'Hm.', 'reasoning'),
      piece(0, 'I look'),
      ended('I look.', { reasoning: 'Hm.', ...calls(SAID) }),
    ];
    expect(kinds(events)).toEqual([
      'thought: Hm.',
      'answer: I look',
      'reset',
      'thought: Hm.',
      'thought: I look.',
      'reply_end',
    ]);
  });

  test.each([
    [
      'that came with the end of the reply → a thought at once',
      started,
      'I look.',
      ['thought: I look.', 'reply_end'],
    ],
    ['of a role that replies in JSON → a thought', planning, 'I look.', ['thought: I look.', 'reply_end']],
    ['that are JSON for the run → not told', planning, '{"action":"x"}', ['reply_end']],
  ])('chunks: words beside tool calls %s (V6)', (_, began, text, told) => {
    expect(kinds([began, ended(text, { callId: began === planning ? 'c0' : 'c1', ...calls(SAID) })])).toEqual(
      told,
    );
  });

  test('chunks: a plan → its step is named before what belongs to it, also where steps take turns (V6)', () => {
    const began = (taskId: string) => journal('task_started', { taskId, description: `Do ${taskId}` });
    const reply = (taskId: string, callId: string): RunEvent[] => [
      journal('model_call_started', { ...call, taskId, callId, round: 1, form: 'words', answers: true }),
      ended(`${callId}.`, { taskId, callId }),
    ];
    const events = [
      began('t1'),
      began('t2'),
      ...reply('t1', 'a'),
      ...reply('t1', 'b'),
      ...reply('t2', 'c'),
      ...reply('t1', 'd'),
    ];
    const told = said(chunks(), events).filter(({ type }) => type === 'step' || type === 'answer');
    const step = (id: string) => ({ type: 'step', id, description: `Do ${id}` });
    const answer = (text: string) => ({ type: 'answer', agent: 'executor', text });
    expect(told).toEqual([
      ...[step('t1'), answer('a.'), answer('b.')],
      ...[step('t2'), answer('c.')],
      ...[step('t1'), answer('d.')],
    ]);
  });
});

describe('tasks side by side', () => {
  const of = (event: RunEvent, more: object): RunEvent => ({ ...event, ...more }) as RunEvent;
  const one = { callId: 'c1', taskId: 't1' };
  const two = { callId: 'c5', taskId: 't2' };
  const calling = (id: string) => calls({ ...SAID, id });
  const tool = (taskId: string, callId: string) => [
    of(toolStarted, { callId, taskId }),
    of(toolEnded, { callId, taskId, turn: taskId === 't1' ? 4 : 3 }),
  ];
  /** Both reply at once, the second is whole first, and both call a tool. */
  const events = [
    of(started, one),
    of(started, two),
    of(piece(0, 'One '), one),
    of(piece(0, 'Two '), two),
    of(piece(4, 'boat'), one),
    of(ended('Two boats.', calling('c6')), two),
    ...tool('t2', 'c6'),
    of(ended('One boat.', { ...calling('c2'), turn: 4 }), one),
    ...tool('t1', 'c2'),
  ];

  test('stream: two replies at once → one after the other, whole, each with its tool calls (V1, C21)', () => {
    const told = said(streamEvents(), events).map(event =>
      event.type === 'content'
        ? event.content
        : event.type === 'tool_calls'
          ? event.tool_calls[0]?.id
          : 'done',
    );
    expect(told).toEqual(['One ', 'boat', '.', 'c2', 'done', 'Two ', 'boats.', 'c6', 'done']);
  });

  test('snapshots: two replies at once → each complete, with its own text and tool (V5, C21)', () => {
    const told = said(snapshots(), [...events.slice(0, -2), ended('', { taskId: 't9', callId: 'c9' })]);
    const complete = told.filter(({ type }) => type === 'LLM_COMPLETE' || type === 'AGENT_COMPLETE');
    expect(complete.map(({ type, data }) => [type, data.content, data.routing !== null])).toEqual([
      ['LLM_COMPLETE', 'One boat.', false],
      ['AGENT_COMPLETE', 'One boat.', true],
    ]);
    const all = said(snapshots(), events).filter(({ type }) => type === 'AGENT_COMPLETE');
    expect(all.map(({ data }) => data.content)).toEqual(['One boat.', 'Two boats.']);
  });

  test('chunks: two replies at once → the text of one behind that of the other, and nothing lost (V6, C21)', () => {
    const texts = said(chunks(), events).flatMap(chunk =>
      chunk.type === 'thought' ? [chunk.text] : chunk.type === 'reply_end' ? ['|'] : [],
    );
    expect(texts.join('')).toBe('One boat.|Two boats.|');
  });

  test('turns: two replies at once → each with a number of its own, from its start to its tools (V4, C21)', () => {
    const told = said(turnEvents(), events).map(event =>
      'turn_number' in event ? `${event.type} ${event.turn_number}` : event.type,
    );
    expect(told).toEqual([
      ...['turn_start 3', 'turn_end 3'],
      ...['turn_start 4', 'turn_end 4', 'tool_execution 4'],
      'tool_execution 3',
    ]);
  });

  test.each<[string, RunEvent[], string]>([
    ['it waits at a gate', [journalOf('gate_opened', 't1')], 'One boat.|Two boats.|'],
    ['the run is paused', [journal('paused', { reason: '' })], 'One boat.|Two boats.|'],
    ['the run goes on by itself', [of(started, { callId: 'c9', taskId: null })], 'One boat.|Two boats.|'],
    ['its call is made again', [of(started, { callId: 'c9', taskId: 't1' })], 'One boat.|'],
    ['nothing has come of it yet', [], 'One boat.|'],
  ])('a reply that calls tools, and %s → the next is told, or waits (C21)', (_name, next, text) => {
    const upTo = [...events.slice(0, -2), ...next];
    const told = said(streamEvents(), upTo).flatMap(event =>
      event.type === 'content' ? [event.content] : event.type === 'done' ? ['|'] : [],
    );
    expect(told.join('')).toBe(text);
  });

  test('the end of a reply is lost with other events → all that waits is told (C21)', () => {
    const [first, second, ...rest] = events.slice(0, 6);
    const late = of(journal('paused', { reason: '' }), { seq: 99 });
    const told = said(
      streamEvents(),
      [first, second, ...rest, late].filter(event => event !== undefined),
    );
    expect(told.filter(({ type }) => type === 'content').at(-1)).toEqual({
      type: 'content',
      content: 'boats.',
    });
  });

  test('any order of two that reply at once → each reply once and whole, with its own tools (C21)', () => {
    const branch = (task: string, words: readonly string[]): RunEvent[] =>
      words.flatMap((word, index) => {
        const call = { callId: `${task}-${index}`, taskId: task };
        const whole = ended(`${task} ${word}.`, calling(`${task}-${index}_1`));
        return [
          of(started, call),
          of(piece(0, `${task} `), call),
          of(whole, call),
          ...tool(task, `${task}-tool-${index}`),
        ];
      });
    const words = fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(words, words, fc.infiniteStream(fc.boolean()), (mine, yours, turns) => {
        const [left, right] = [branch('t1', mine), branch('t2', yours)];
        const mixed: RunEvent[] = [];
        for (const first of turns) {
          const next = (first ? left : right).shift() ?? left.shift() ?? right.shift();
          if (!next) break;
          mixed.push(next);
        }
        const told = said(streamEvents(), [...mixed, end('completed', null)]);
        const replies = told.map(event => (event.type === 'content' ? event.content : event.type)).join('|');
        for (const [task, given] of [
          ['t1', mine],
          ['t2', yours],
        ] as const)
          expect(replies.match(new RegExp(`${task} \\|?[ab]\\.\\|tool_calls\\|done`, 'g'))).toHaveLength(
            given.length,
          );
        expect(told.filter(({ type }) => type === 'tool_calls')).toHaveLength(mine.length + yours.length);
      }),
    );
  });
});
