/** `/chat`, asked by a client that is careless or hostile: nothing is told that is not so, and nothing is done twice. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createConsole } from '../../../packages/console/console.js';
import { preview } from '../../../src/base/index.js';
import { type RunEvent, type SteersmanClient, SteersmanError } from '../../../src/client/index.js';
import { NO_USAGE } from '../../../src/run/messages/message.js';
import {
  approvalGate,
  endItem,
  eventItem,
  type FakeRuns,
  fakeRuns,
  gateOpened,
  warning,
} from '../../support/fake-runs.js';
import { eventually } from '../../support/wait.js';

/** A console over these runs, by their ids. `start`: what a start begins. `starts`: what runs were started with. */
function chatOver(
  runs: Readonly<Record<string, FakeRuns>>,
  start = vi.fn(),
  starts: Readonly<Record<string, object>> = {},
) {
  const attach = async (id: string) => {
    const run = await runs[id]?.attach(id);
    if (run === undefined) throw new SteersmanError(`There is no run ${id}.`, '', 'not_found');
    return { ...run, id, startedWith: async () => starts[id] ?? null };
  };
  const client = { address: 'here:1', attach, start, async *list() {} } as unknown as SteersmanClient;
  const served = createConsole({ client: async () => client, workspace: '/work' });
  onTestFinished(() => served.close());
  const ask = async (path: string, body?: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const post = body !== undefined && {
      ...{ method: 'POST', headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    };
    const answer = await served.fetch(new Request(`http://here/chat${path}`, { ...post }));
    return { status: answer.status, text: await answer.text() };
  };
  return { ask, start };
}

const user = (id: string, text: unknown = `Text ${id}`) => ({
  ...{ id, role: 'user' },
  parts: [{ type: 'text', text }],
});
const said = (id: string, ...parts: object[]) => ({ id, role: 'assistant', parts });
const begun = (goal = 'Text u1') => eventItem(1, 'run_started', { goal, mode: 'react' } as never);
const ended = (seq: number, answer: string): RunEvent[] => [
  eventItem(seq, 'goal_ended', { number: 1, outcome: 'answered', cause: 'direct_answer', answer } as never),
  endItem(),
];

/** A run that has ended with this answer. */
function over(goal: string, answer: string): FakeRuns {
  const run = fakeRuns();
  run.happens(begun(goal), ...ended(2, answer));
  run.stands({ phase: 'ended', endedAt: '2026-01-01T00:01:00.000Z', outcome: 'answered', lastEventSeq: 2 });
  return run;
}

/** A run that waits at an approval. `answerGate`: what it says to answers. */
function asking(answerGate = vi.fn(async () => undefined)): FakeRuns {
  const run = fakeRuns({ answerGate });
  const gate = approvalGate();
  run.happens(begun(), gateOpened(2, gate));
  run.stands({ phase: 'waiting', gates: [gate], lastEventSeq: 2 });
  return run;
}

describe('answers of gates', () => {
  const GATE = 't:g1';

  test.each<[string, unknown, () => Promise<undefined>]>([
    ['that does not fit', { approved: 'maybe' }, async () => undefined],
    [
      'that no worker takes',
      { approved: true },
      async () => {
        throw new SteersmanError('No worker answers for the run t.', '', 'unserved');
      },
    ],
  ])(
    'POST /chat: an answer %s → an error, and the gate is not told as closed',
    async (_what, payload, answers) => {
      const { ask } = chatOver({ t: asking(vi.fn(answers)) });
      const { text } = await ask('', {
        ...{ id: 't', messages: [user('u1'), said('a')] },
        answers: [{ id: GATE, payload }],
      });
      expect(text).toContain('"type":"error"');
      expect(text).not.toContain('"closed":true');
    },
  );

  test('POST /chat: the same gate answered over and over in one request → asked of the run once', async () => {
    const answerGate = vi.fn(async () => undefined);
    const run = asking(answerGate);
    const { ask } = chatOver({ t: run });
    run.happens(...ended(3, 'Done.'));
    const answers = Array.from({ length: 500 }, () => ({ id: GATE, payload: { approved: true } }));
    await ask('', { id: 't', messages: [user('u1'), said('a')], answers });
    expect(answerGate).toHaveBeenCalledTimes(1);
  });

  test('POST /chat: an answer that comes second → its gate is closed, and the message goes on to the run’s end', async () => {
    const second = async () => {
      run.stands({ phase: 'execution', gates: [], lastEventSeq: 3 });
      throw new SteersmanError('It has its answer.', '', 'rejected');
    };
    const run = asking(vi.fn(second));
    const { ask } = chatOver({ t: run });
    const asked = ask('', {
      ...{ id: 't', messages: [user('u1'), said('a')] },
      answers: [{ id: GATE, payload: { approved: true } }],
    });
    run.happens(eventItem(3, 'gate_closed', { gateId: 'g1', by: 'user' } as never), ...ended(4, 'Done.'));
    const { text } = await asked;
    expect(text).toContain('It has its answer.');
    expect(text).toContain('"text":"Done."');
    expect(text).not.toContain('"closed":false');
  });

  test('POST /chat: an answer of another run’s gate → an error, and no run is asked', async () => {
    const answerGate = vi.fn(async () => undefined);
    const { ask } = chatOver({ t: asking(answerGate), other: asking(answerGate) });
    const { text } = await ask('', {
      ...{ id: 't', messages: [user('u1'), said('a')] },
      answers: [{ id: 'other:g1', payload: { approved: true } }],
    });
    expect(text).toContain('there is no interrupt other:g1');
    expect(answerGate).not.toHaveBeenCalled();
  });
});

describe('what is no request', () => {
  const part = (part: unknown) => ({ id: 't', messages: [{ id: 'u', role: 'user', parts: [part] }] });

  test.each<[string, unknown, number]>([
    ['a text without its text', part({ type: 'text' }), 400],
    ['a text that is an object', part({ type: 'text', text: { a: 1 } }), 400],
    ['a part that is null', part(null), 400],
    ['parts that are a text', { id: 't', messages: [{ id: 'u', role: 'user', parts: 'x' }] }, 400],
    ['a role that is not there', { id: 't', messages: [{ id: 'u', role: 'tool', parts: [] }] }, 400],
    ['an id that is a number', { id: 7, messages: [] }, 400],
    ['no JSON', '{"id":"t"', 400],
    ['20,000 levels', `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`, 400],
    ['ten megabytes', JSON.stringify({ id: 't', messages: [user('u', 'x'.repeat(10_000_000))] }), 413],
    ['an answer without a payload’s id', { id: 't', messages: [], answers: [{ payload: 1 }] }, 400],
  ])('POST /chat: %s → refused, and no run begins', async (_what, body, status) => {
    const { ask, start } = chatOver({});
    expect((await ask('', body)).status).toBe(status);
    expect(start).not.toHaveBeenCalled();
  });

  test.each<[string, number]>([
    ['since=-1', 400],
    ['since=1.5', 400],
    ['since=x', 400],
    ['since=1e99', 400],
    ['since=NaN', 400],
    ['since=Infinity', 400],
    ['since=9007199254740991', 200],
    ['since=7&since=-1', 200],
    ['since=0&run=nobody', 200],
  ])('GET /chat/{id}/stream: %s → %i, and an end', async (query, status) => {
    const { ask } = chatOver({ t: over('Text u1', 'The answer.') });
    const answer = await ask(`/t/stream?${query}`);
    expect(answer.status).toBe(status);
    if (status === 200) expect(answer.text.trim()).toMatch(/data: \[DONE\]$/);
  });
});

describe('a conversation of several runs', () => {
  const runsOf = (count: number, last: FakeRuns) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [
        at === 0 ? 't' : `t~${at + 1}`,
        at === count - 1 ? last : over(`Goal ${at + 1}`, `Answer ${at + 1}.`),
      ]),
    );

  test('POST /chat: a first request that comes again, of two messages of several lines → nothing is sent a second time (WB9)', async () => {
    const [first, second] = ['Paint it.\nAll of it.', `Then dry it.\n${'Slowly. '.repeat(40)}`];
    const goal = `${first}\n\n${second}`;
    const run = over(preview(goal), 'Done.');
    const { ask, start } = chatOver({ t: run }, vi.fn(), { t: { goal } });
    const { text } = await ask('', { id: 't', messages: [user('u1', first), user('u2', second)] });
    expect([run.asked, start.mock.calls]).toEqual([[], []]);
    expect(text).toContain('"text":"Done."');
  });

  test('POST /chat: the 105th run is at work → a message steers that, and starts none', async () => {
    const last = fakeRuns();
    last.happens(begun('Goal 105'));
    last.stands({ lastEventSeq: 1 });
    const { ask, start } = chatOver(runsOf(105, last));
    const asked = ask('', {
      ...{ id: 't', messages: [user('u105', 'Goal 105'), said('a105'), user('u106', 'And wide.')] },
    });
    await eventually(() => expect([last.asked.length, start.mock.calls.length]).not.toEqual([0, 0]));
    last.happens(...ended(2, 'It is.'));
    await asked;
    expect(last.asked).toEqual([['steer', 'And wide.', { id: 'u106' }]]);
    expect(start).not.toHaveBeenCalled();
  });

  test('GET /chat/{id}/stream: a message of an earlier run than the last → that message, not the last run’s under its id', async () => {
    const { ask } = chatOver(runsOf(3, over('Goal 3', 'The third.')));
    const { text } = await ask('/t/stream?since=0&message=m2&run=t~2');
    expect(text).toContain('"messageId":"m2"');
    expect(text).toContain('Answer 2.');
    expect(text).not.toContain('The third.');
  });
});

describe('a run with more events than the console has in memory', () => {
  const warnings = (from: number) => Array.from({ length: 5_100 }, (_, at) => warning(from + at));
  const reply = (seq: number, text: string): RunEvent[] => {
    const call = { callId: `c${seq}`, taskId: null, role: 'react', model: 'm', turn: 1, round: 1 };
    const more = { messageId: `m${seq}`, text, stopReason: 'end_turn', toolCalls: 0, durationMs: 1 };
    return [
      eventItem(seq, 'model_call_started', { ...call, form: 'words', answers: true } as never),
      eventItem(seq + 1, 'model_call_ended', { ...call, ...more, usage: NO_USAGE } as never),
    ];
  };

  test('GET /chat/{id}/stream: a message that begins before them → all of it, once', async () => {
    const run = fakeRuns();
    run.happens(begun(), ...reply(2, 'The first words.'), ...warnings(4), ...ended(5_104, 'The last words.'));
    const endedAt = '2026-01-01T00:01:00.000Z';
    run.stands({ phase: 'ended', endedAt, outcome: 'answered', lastEventSeq: 5_104 });
    const { ask } = chatOver({ t: run });
    const { text } = await ask('/t/stream?since=1&message=m-1&run=t');
    for (const words of ['The first words.', 'The last words.'])
      expect(text.split(`"delta":"${words}"`)).toHaveLength(2);
    expect((await ask('/t/stream?since=3&message=m-1&run=t')).text).not.toContain('The first words.');
  });

  test('POST /chat: a second message, without an answer of the run before it → that alone steers', async () => {
    const run = fakeRuns();
    run.happens(begun(), ...warnings(2));
    run.stands({ lastEventSeq: 5_101 });
    const { ask } = chatOver({ t: run });
    const asked = ask('', { id: 't', messages: [user('u1'), user('u2', 'And wide.')] });
    await vi.waitFor(() => expect(run.asked.length).toBeGreaterThan(0), { timeout: 10_000 });
    run.happens(...ended(5_102, 'It is.'));
    await asked;
    expect(run.asked).toEqual([['steer', 'And wide.', { id: 'u2' }]]);
  });
});
