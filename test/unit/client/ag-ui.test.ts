/** Runs in the words of AG-UI: each stream is held against the schemas of 1.0, and taken by the clients of both versions. */
import { describe, expect, test } from 'vitest';
import { preview } from '../../../src/base/text/preview.js';
import type { RunSnapshot } from '../../../src/client/index.js';
import type { RunEvent } from '../../../src/client/watch/run-event.js';
import type { Gate } from '../../../src/run/gates/gate.js';
import { NO_USAGE } from '../../../src/run/messages/message.js';
import type { JournalEvent, JournalPayloads, JournalType } from '../../../src/run/state/journal.js';
import {
  type AgUiEvent,
  agUiEvents,
  asksPerson,
  Conversation,
  interruptOf,
  patchOf,
  replyOf,
  stateOf,
} from '../../../src/vocabularies.js';
import { AG_UI_VERSIONS, clientAfter } from '../../support/ag-ui.js';

const RUN = 'run-1';

/** Numbered as they come. */
function story() {
  let seq = 0;
  return {
    happens<T extends JournalType>(
      type: T,
      payload: JournalPayloads[T],
      of: { path?: string } = {},
    ): RunEvent {
      seq += 1;
      return { seq, at: 0, type, ...payload, ...of } as unknown as JournalEvent;
    },
    says(offset: number, text: string, more: Partial<Extract<RunEvent, { type: 'text' }>> = {}): RunEvent {
      const call = { callId: 'c1', role: 'react', taskId: null, form: 'words' as const };
      return { type: 'text', ...call, attempt: 1, channel: 'text', offset, text, ...more };
    },
  };
}

const call = { callId: 'c1', taskId: null, role: 'react', model: 'openai/gpt-5', turn: 1 };
const begun = { ...call, round: 1, form: 'words', answers: true } as const;
const whole = { ...call, messageId: 'm1', usage: NO_USAGE, durationMs: 5 };
const answered = { ...whole, stopReason: 'end_turn', toolCalls: 0 } as const;
const SAID = { id: 'c1_1', name: 'search', arguments: '{"q":"pool"}' };
const toolUse = { callId: 'c2', taskId: null, turn: 1, tool: 'search' };

function toldOf(events: readonly RunEvent[]) {
  const words = agUiEvents(RUN);
  return events.flatMap(event => words(event));
}

const typesOf = (events: readonly { type: string }[]) => events.map(({ type }) => type);
const stream = (told: readonly AgUiEvent[]): AgUiEvent[] => [
  { type: 'RUN_STARTED', threadId: RUN, runId: 'r' },
  ...told,
  { type: 'RUN_FINISHED', threadId: RUN, runId: 'r', outcome: { type: 'success' } },
];

/** What a reply tells in pieces of ten characters, before its end. */
function piecesOf(text: string): string[] {
  const { happens, says } = story();
  const cuts = Array.from({ length: Math.ceil(text.length / 10) }, (_, at) => at * 10);
  const told = toldOf([
    happens('run_started', { mode: 'react', goal: 'Show it.' }),
    happens('model_call_started', begun),
    ...cuts.map(at => says(at, text.slice(at, at + 10))),
  ]);
  return told.flatMap(event => (event.type === 'TEXT_MESSAGE_CONTENT' ? [event.delta] : []));
}

test.each([
  [
    'content with a component',
    '{"content":[{"type":"component","component":"order-card","props":{"id":1}}]}',
  ],
  ['one component', '{"type":"component","component":"order-card","orderId":"A-1","summary":"On its way."}'],
  ['content in a fence', '```json\n{"content":[{"type":"text","value":"It is on its way."}]}'],
])('R4 AG-UI: %s as the answer → told as it comes', (_what, text) => {
  const pieces = piecesOf(text);
  expect(pieces.length).toBeGreaterThan(2);
  expect(pieces.join('')).toBe(text);
});

test.each([
  ['a form of roles', '{"type":"component","component":"planner-response","summary":"I plan.","todos":[]}'],
  ['an envelope', '{"thought":"Hm","action":"ASK","params":{"question":"Which?"}}'],
  ['other JSON', '{"answer":{"content":"It is on its way."}}'],
])('AG-UI: %s → not told while it is written', (_what, text) => {
  expect(piecesOf(text)).toEqual([]);
});

function aCall() {
  const { happens, says } = story();
  return [
    happens('run_started', { mode: 'react', goal: 'Is the pool long?' }),
    happens('model_call_started', begun),
    says(0, 'Let me', { channel: 'reasoning' }),
    says(6, ' think.', { channel: 'reasoning' }),
    says(0, 'I look'),
    says(6, ' it up.'),
    happens('model_call_ended', {
      ...{ ...whole, stopReason: 'tool_use', toolCalls: 1, calls: [SAID] },
      ...{ text: 'I look it up.', reasoning: 'Let me think.' },
    }),
    happens('tool_call_started', { ...toolUse, toolUseId: SAID.id, arguments: SAID.arguments }),
    happens('tool_call_ended', {
      ...{ ...toolUse, messageId: 'm2', ending: 'executed', isError: false, durationMs: 1, text: '50 m' },
    }),
    happens('model_call_started', { ...begun, callId: 'c3', turn: 2, round: 2 }),
    says(0, 'It is 50 m', { callId: 'c3' }),
    happens('model_call_ended', { ...answered, callId: 'c3', messageId: 'm3', text: 'It is 50 m long.' }),
    happens('goal_ended', {
      ...{ number: 1, outcome: 'answered', cause: 'direct_answer', answer: 'It is 50 m long.' },
    }),
  ];
}

describe.each(AG_UI_VERSIONS)('AG-UI %s', version => {
  test('a reply as it comes, its thoughts, its call → the messages that a client has in the end', async () => {
    const client = await clientAfter(version, stream(toldOf(aCall())));
    expect(client.messages).toMatchObject([
      { role: 'reasoning', content: 'Let me think.' },
      {
        role: 'assistant',
        content: 'I look it up.',
        toolCalls: [{ id: 'run-1/c1_1', function: { name: 'search', arguments: '{"q":"pool"}' } }],
      },
      { role: 'tool', toolCallId: 'run-1/c1_1', content: '50 m' },
      { role: 'assistant', content: 'It is 50 m long.' },
    ]);
  });

  test.each([
    ['{"q": "po', '{"unreadable":"{\\"q\\": \\"po"}'],
    ['', '{}'],
    ['{"n": 12345678901234567890}', '{"n": 12345678901234567890}'],
  ])('SU5: arguments of a call as the model wrote them, %j → JSON', async (written, told) => {
    const { happens } = story();
    const events = toldOf([
      happens('model_call_started', begun),
      happens('model_call_ended', {
        ...{
          ...whole,
          stopReason: 'tool_use',
          toolCalls: 1,
          text: '',
          calls: [{ ...SAID, arguments: written }],
        },
      }),
    ]);
    const { messages } = await clientAfter(version, stream(events));
    expect(messages).toMatchObject([{ toolCalls: [{ function: { arguments: told } }] }]);
  });

  test('a model call that is made again → another message, and the snapshot leaves the first out', async () => {
    const { happens, says } = story();
    const told = toldOf([
      happens('model_call_started', begun),
      says(0, 'The pol'),
      says(0, 'The pool', { attempt: 2 }),
      happens('model_call_ended', { ...answered, text: 'The pool.' }),
    ]);
    expect(told).toContainEqual({
      ...{ type: 'CUSTOM', name: 'steersman.reset', value: { messageIds: ['run-1/c1'] } },
    });
    const conversation = new Conversation();
    for (const each of told) conversation.take(each);
    const messages = conversation.with([{ id: 'run-1/c1', role: 'assistant', content: 'The pol' }]);
    const client = await clientAfter(version, stream([...told, { type: 'MESSAGES_SNAPSHOT', messages }]));
    expect(client.messages).toMatchObject([{ id: 'run-1/c1~2', content: 'The pool.' }]);
  });

  test('a sub-agent of a sub-agent → its words say whose they are, and each is told to end', async () => {
    const { happens } = story();
    const top = happens('subagent_started', { id: 'lead/1', role: 'lead', callId: 'c2' });
    const inner = story();
    const deep = story();
    const at = { path: 'lead/1' };
    const below = { path: 'lead/1/search/1' };
    const done = { outcome: 'answered', cause: 'direct_answer' } as const;
    const told = toldOf([
      top,
      inner.happens('subagent_started', { id: 'search/1', role: 'search', callId: 'c9' }, at),
      deep.happens('model_call_started', begun, below),
      deep.happens('model_call_ended', { ...answered, text: 'Found.' }, below),
      inner.happens(
        'subagent_ended',
        { id: 'search/1', role: 'search', callId: 'c9', outcome: 'failed', cause: null },
        at,
      ),
      happens('subagent_ended', { id: 'lead/1', role: 'lead', callId: 'c2', ...done }),
    ]);
    expect(told[0]).toStrictEqual({ type: 'SUBAGENT_STARTED', subagentRunId: 'run-1/lead/1', name: 'lead' });
    expect(told[1]).toMatchObject({
      ...{ subagentRunId: 'run-1/lead/1/search/1', parentSubagentRunId: 'run-1/lead/1' },
    });
    expect(typesOf(told.slice(-2))).toEqual(['SUBAGENT_ERROR', 'SUBAGENT_FINISHED']);
    expect(told.at(-2)).toMatchObject({ message: 'The sub-agent was lost.', code: 'failed' });
    const client = await clientAfter(version, stream(told));
    expect(client.messages).toMatchObject([{ content: 'Found.', subagentRunId: 'run-1/lead/1/search/1' }]);
  });

  test('a sub-agent that a call of a tool began → names the call', () => {
    const { happens } = story();
    const told = toldOf([
      happens('model_call_started', begun),
      happens('model_call_ended', { ...whole, stopReason: 'tool_use', toolCalls: 1, calls: [SAID] }),
      happens('tool_call_started', { ...toolUse, toolUseId: SAID.id, arguments: SAID.arguments }),
      happens('subagent_started', { id: 'lead/1', role: 'lead', callId: 'c2' }),
    ]);
    expect(told.at(-1)).toMatchObject({ type: 'SUBAGENT_STARTED', parentToolCallId: 'run-1/c1_1' });
  });

  test('a reply that only thinks before it calls a tool → its thought is ended before the call', async () => {
    const { happens, says } = story();
    const told = toldOf([
      happens('model_call_started', begun),
      says(0, 'I must look.', { channel: 'reasoning' }),
      happens('model_call_ended', {
        ...{
          ...whole,
          stopReason: 'tool_use',
          toolCalls: 1,
          calls: [SAID],
          text: '',
          reasoning: 'I must look.',
        },
      }),
    ]);
    expect(typesOf(told).slice(2, 6)).toEqual([
      ...['REASONING_MESSAGE_CONTENT', 'REASONING_MESSAGE_END', 'REASONING_END', 'TOOL_CALL_START'],
    ]);
    const client = await clientAfter(version, stream(told));
    expect(client.messages).toMatchObject([{ role: 'reasoning' }, { toolCalls: [{ id: 'run-1/c1_1' }] }]);
  });

  test.each([
    ['thinks', 'reasoning', ['REASONING_MESSAGE_END', 'REASONING_END', 'SUBAGENT_ERROR']],
    ['speaks', 'text', ['TEXT_MESSAGE_END', 'SUBAGENT_ERROR']],
  ] as const)(
    'a sub-agent that is lost while it %s → what it said is ended before it',
    async (_what, channel, ends) => {
      const { happens } = story();
      const inner = story();
      const at = { path: 'lead/1' };
      const told = toldOf([
        happens('subagent_started', { id: 'lead/1', role: 'lead', callId: 'c2' }),
        inner.happens('model_call_started', begun, at),
        inner.says(0, 'Half a ', { channel, ...at }),
        happens('subagent_ended', {
          ...{ id: 'lead/1', role: 'lead', callId: 'c2', outcome: 'lost', cause: null },
        }),
      ]);
      expect(typesOf(told).slice(-ends.length)).toEqual(ends);
      const [end] = told.slice(-ends.length);
      expect(end).toMatchObject({ subagentRunId: 'run-1/lead/1' });
      expect((await clientAfter(version, stream(told))).messages).toMatchObject([{ content: 'Half a ' }]);
    },
  );

  test('a client that comes while a reply and a sub-agent are at work → it gets both whole, and they are ended for it', async () => {
    const { happens, says } = story();
    const conversation = new Conversation();
    const begin = [
      happens('run_started', { mode: 'react', goal: 'Look.' }),
      happens('subagent_started', { id: 'search/1', role: 'search', callId: 'c2' }),
      happens('model_call_started', begun),
      says(0, 'Half a '),
    ];
    for (const event of begin) conversation.hear(RUN, event);
    for (const each of toldOf(begin)) conversation.take(each);
    const messages = conversation.with([]);
    const again = [...conversation.openAgain()];
    const client = await clientAfter(
      version,
      stream([{ type: 'MESSAGES_SNAPSHOT', messages }, ...again, ...conversation.closing()]),
    );
    expect(client.messages).toMatchObject([
      { id: 'run-1/goal', role: 'user', content: 'Look.' },
      { id: 'run-1/c1', role: 'assistant', content: 'Half a ' },
    ]);
  });
});

describe('AG-UI: what of the messages of a client is new', () => {
  function conversation() {
    const known = new Conversation();
    const events = aCall();
    for (const event of events) known.hear(RUN, event);
    for (const each of toldOf(events)) known.take(each);
    known.hear(RUN, story().happens('receipt', { id: 'u2', state: 'accepted', how: '', text: 'Mind it' }));
    return known;
  }
  const user = (id: string, content: string) => ({ id, role: 'user', content });
  const reply = { id: 'run-1/c3', role: 'assistant', content: 'It is 50 m long.' };
  const goal = user('u1', 'Is the pool long?');

  test.each([
    ['the goal alone', [goal], []],
    ['the goal under the id that the run gave it', [user('run-1/goal', 'other')], []],
    ['a message with a receipt', [goal, user('u2', 'Mind it')], []],
    ['one behind it', [goal, user('u2', 'Mind it'), user('u3', 'And?')], ['And?']],
    [
      'the words of the goal once more, after its answer',
      [goal, reply, user('u4', goal.content)],
      [goal.content],
    ],
    ['what came before the answer', [user('u0', 'Before'), goal, reply], []],
    ['two at once', [goal, reply, user('u5', 'One'), user('u6', 'Two')], ['One', 'Two']],
    ['a message with a receipt, without the goal', [user('u2', 'Mind it'), user('u3', 'And?')], ['And?']],
    [
      'an answer of another agent',
      [user('u0', 'Before'), { ...reply, id: 'elsewhere' }, user('u3', 'And?')],
      ['And?'],
    ],
    [
      'the result of a tool that the run knows',
      [user('u0', 'Before'), { id: 'run-1/m2', role: 'tool', content: '50 m' }, user('u3', 'And?')],
      ['And?'],
    ],
    ['what is no word of a person', [goal, { id: 's1', role: 'system', content: 'Be brief' }], []],
    ['nothing', [], []],
  ])('%s → what the run has not got', (_what, messages, texts) => {
    expect(
      conversation()
        .unheard(messages)
        .map(({ text }) => text),
    ).toEqual(texts);
  });

  const LONG = `Measure the pool.\n\n${'Take each side twice, and the mean of both. '.repeat(8)}`;

  test.each([
    ['a goal of several lines', LONG, [user('u7', LONG)], [], false],
    ['another with the same beginning', LONG, [user('u7', `${LONG} Hurry.`)], [`${LONG} Hurry.`], true],
    [
      'a goal of two messages',
      `${LONG}\n\nAnd the pier.\nBoth ends.`,
      [user('u7', LONG), user('u8', 'And the pier.\nBoth ends.'), user('u9', 'Thanks.')],
      ['Thanks.'],
      false,
    ],
    ['a part of that goal', `${LONG}\n\nThanks.`, [user('u7', LONG)], [LONG], true],
  ])('%s → sent and shown once, by the whole text', (_what, goal, client, texts, isShown) => {
    const known = new Conversation();
    known.begin(RUN, goal);
    known.hear(RUN, story().happens('run_started', { mode: 'react', goal: preview(goal) }));
    expect(known.unheard(client).map(({ text }) => text)).toEqual(texts);
    const ids = known.with(client).map(message => (message as { id: string }).id);
    expect(ids.includes(`${RUN}/goal`)).toBe(isShown);
  });

  test('a goal of which only its line is known → found by that line', () => {
    const known = new Conversation();
    known.hear(RUN, story().happens('run_started', { mode: 'react', goal: preview(LONG) }));
    expect(known.unheard([user('u7', LONG)])).toEqual([]);
  });

  test.each([
    ['0.x', { type: 'binary', mimeType: 'image/png', data: 'aGk=', filename: 'pier.png' }, 'pier.png'],
    ['1.0', { type: 'image', source: { type: 'data', value: 'aGk=', mimeType: 'image/png' } }, 'picture 1'],
    ['an address of data', { type: 'image_url', url: 'data:image/png;base64,aGk=' }, 'picture 1'],
  ])('a message of a picture alone, %s → its picture, with words for it (CF11)', (_form, part, name) => {
    const message = { id: 'u9', role: 'user', content: [part] };
    const picture = { name, mimeType: 'image/png', base64: 'aGk=' };
    expect(conversation().unheard([message])).toEqual([
      { id: 'u9', text: 'See the picture.', pictures: [picture] },
    ]);
    const linked = { id: 'u9', role: 'user', content: [{ type: 'image', url: 'https://a.example/b.png' }] };
    expect(conversation().unheard([linked])).toEqual([{ id: 'u9', text: '', pictures: [] }]);
  });

  test('messages that a client has → keep their ids and their order, and what it lacks comes behind', () => {
    const own = { id: 'x', role: 'activity', content: {} };
    const ids = conversation()
      .with([own, goal, reply])
      .map(message => (message as { id: string }).id);
    expect(ids.slice(0, 3)).toEqual(['x', 'u1', 'run-1/c3']);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).not.toContain('run-1/goal');
  });

  test.each([
    ['a message that became the next goal', true, ['u9']],
    ['a start that met the run', false, ['run-1/goal-text-2']],
  ])('%s → it is there once, and whole', (_what, hasReceipt, ids) => {
    const { happens } = story();
    const long = 'Then paint it in the colour of the sea, as far down as the ladder goes.';
    const known = new Conversation();
    if (hasReceipt)
      known.hear(RUN, happens('receipt', { id: 'u9', state: 'queued', how: '', text: 'Then paint it in…' }));
    known.hear(RUN, happens('goal_started', { number: 2, text: long }));
    expect(known.with([])).toEqual(ids.map(id => ({ id, role: 'user', content: long })));
    expect(known.unheard([user(hasReceipt ? 'u9' : 'mine', long)])).toEqual([]);
  });
});

const base = { id: 'g1', title: 'May it?', body: '', openedAt: 0, deadline: 1_000 };
const gates = {
  approval: { ...base, kind: 'approval', subject: { tool: 'write', callId: 'c1_1', arguments: '{}' } },
  plan: { ...base, kind: 'plan', subject: { tasks: 2 } },
  question: { ...base, kind: 'question', subject: { role: 'planner' } },
  route: { ...base, kind: 'route', subject: { act: 'replan', messageId: 'm' } },
  budget: { ...base, kind: 'budget', subject: { budget: 'tokens', limit: 1, used: 1 } },
  failure: { ...base, kind: 'failure', subject: { model: 'a/b', models: [] } },
  step: { ...base, kind: 'step', subject: { taskId: 't1', canReplan: true } },
  offer: {
    ...base,
    kind: 'form',
    subject: {
      ...{ server: 's', tool: 't', callId: 'c' },
      schema: { type: 'object', properties: { decision: { type: 'string' }, comment: { type: 'string' } } },
    },
  },
  form: {
    ...base,
    kind: 'form',
    subject: { server: 's', tool: 't', callId: 'c', schema: { type: 'object' } },
  },
} satisfies Record<string, Gate>;

describe('AG-UI: gates as interrupts', () => {
  test.each(AG_UI_VERSIONS)(
    'all of them → a client of %s has them, each with what it takes',
    async version => {
      const interrupts = Object.values(gates).map(gate => interruptOf(RUN, gate));
      const events = stream([]).slice(0, 1);
      const client = await clientAfter(version, [
        ...events,
        { type: 'RUN_FINISHED', threadId: RUN, runId: 'r', outcome: { type: 'interrupt', interrupts } },
      ]);
      expect(client.pendingInterrupts).toEqual(interrupts);
      expect(interrupts[0]).toMatchObject({
        ...{ id: 'run-1:g1', reason: 'tool_call', toolCallId: 'run-1/c1_1' },
        expiresAt: '1970-01-01T00:00:01.000Z',
      });
    },
  );

  const resolved = (payload: unknown) => ({ status: 'resolved' as const, payload });
  test.each<[keyof typeof gates, ReturnType<typeof resolved> | { status: 'cancelled' }, unknown]>([
    ['approval', resolved({ approved: true }), { decision: 'approve' }],
    ['approval', resolved(true), { decision: 'approve' }],
    ['approval', resolved({ approved: true, always: true }), { decision: 'always' }],
    [
      'approval',
      resolved({ approved: true, editedArgs: { a: 1 } }),
      { decision: 'approve', arguments: { a: 1 } },
    ],
    [
      'approval',
      resolved({ approved: true, except: { 2: 'Keep it.' } }),
      { decision: 'approve', except: { 2: 'Keep it.' } },
    ],
    ['approval', resolved({ approved: false, reason: 'No.' }), { decision: 'deny', reason: 'No.' }],
    ['approval', resolved({ decision: 'deny', reason: 'No.' }), { decision: 'deny', reason: 'No.' }],
    ['approval', resolved('yes'), null],
    ['approval', resolved(undefined), null],
    ['approval', { status: 'cancelled' }, { decision: 'deny', reason: 'The person gave no answer.' }],
    ['plan', resolved({ approved: false }), { decision: 'reject', reason: 'The person said no.' }],
    ['plan', resolved({ approved: true }), { decision: 'approve' }],
    ['plan', resolved({ decision: 'deny', reason: 'Less.' }), { decision: 'reject', reason: 'Less.' }],
    ['plan', resolved({ decision: 'reject' }), { decision: 'reject' }],
    ['route', resolved({ approved: true, always: true }), { decision: 'approve' }],
    ['route', resolved({ approved: true, reason: 'Keep t3.' }), { decision: 'approve', reason: 'Keep t3.' }],
    ['route', resolved({ approved: false, reason: 'No.' }), { decision: 'deny', reason: 'No.' }],
    ['question', resolved({ text: 'Blue' }), { text: 'Blue' }],
    ['question', resolved('Blue'), { text: 'Blue' }],
    ['question', resolved({}), null],
    ['budget', resolved({ decision: 'raise', to: 5 }), { decision: 'raise', to: 5 }],
    ['budget', resolved({ approved: true }), null],
    ['budget', { status: 'cancelled' }, { decision: 'wrap_up' }],
    ['failure', { status: 'cancelled' }, { decision: 'stop' }],
    ['step', resolved({ decision: 'skip' }), { decision: 'skip' }],
    ['form', resolved({ name: 'Ann' }), { decision: 'accept', content: { name: 'Ann' } }],
    ['form', resolved({ decision: 'decline' }), { decision: 'decline' }],
    ['form', { status: 'cancelled' }, { decision: 'cancel' }],
    [
      'offer',
      resolved({ decision: 'decline', comment: 'Too much.' }),
      { decision: 'accept', content: { decision: 'decline', comment: 'Too much.' } },
    ],
  ])('%s, resumed by %j → %j', (kind, resumed, reply) => {
    const gate: Gate = gates[kind];
    expect(asksPerson(gate) && replyOf(gate, resumed)).toEqual(reply);
  });
});

describe('AG-UI: the state of a run', () => {
  const look = {
    ...{ id: RUN, goal: 'Look.', mode: 'plan', phase: 'execution', paused: false, outcome: null },
    ...{ children: [], gates: [], artifacts: [], usage: null },
    tasks: [
      { id: 't1', description: 'One', status: 'pending' },
      { id: 't2', description: 'Two', status: 'pending' },
    ],
  };
  const at = (more: object) => stateOf({ ...look, ...more } as unknown as RunSnapshot);

  test('a task that has ended → a patch of that task alone', () => {
    const [one, two] = look.tasks;
    const tasks = [{ ...one, status: 'completed' }, two];
    expect(patchOf(at({}), at({ tasks }))).toEqual([
      { op: 'replace', path: '/tasks/0', value: { id: 't1', description: 'One', status: 'completed' } },
    ]);
  });

  test.each<[string, Record<string, unknown>, Record<string, unknown>, unknown]>([
    ['nothing', { a: 1 }, { a: 1 }, []],
    ['a longer list', { a: [1] }, { a: [1, 2] }, [{ op: 'replace', path: '/a', value: [1, 2] }]],
    ['a new field', {}, { 'a/b~c': 1 }, [{ op: 'add', path: '/a~1b~0c', value: 1 }]],
    ['a field that has gone', { a: 1 }, {}, [{ op: 'remove', path: '/a' }]],
    ['null in place of no items', { a: [] }, { a: null }, [{ op: 'replace', path: '/a', value: null }]],
    ['null in place of a value', { a: 1 }, { a: null }, [{ op: 'replace', path: '/a', value: null }]],
  ])('%s → its patch', (_what, before, after, patch) => {
    expect(patchOf(before, after)).toEqual(patch);
  });
});
