/** What a server asks during a call: the fake one, in a process of its own, over the activity that runs make. */
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import {
  type AskPerson,
  formHandler,
  type PersonQuestion,
} from '../../../src/activities/tools/server-requests.js';
import type { CallToolInput, CallToolResult } from '../../../src/activities/types.js';
import { CallTimer } from '../../../src/mcp/connection/answer-watch.js';
import type { McpPool } from '../../../src/mcp/connection/pool.js';
import type { FormAnswer } from '../../../src/run/gates/gate.js';
import { personAsker } from '../../../src/worker/serve/person-asker.js';
import { type FakeMcp, fakeMcp, startFakeMcpHttp } from '../../support/fake-mcp-server.js';
import { poolOf, toolCaller } from '../../support/tool-calls.js';
import { eventually, until } from '../../support/wait.js';

let fake: FakeMcp;
let pool: McpPool;

beforeEach(() => {
  fake = fakeMcp();
  pool = poolOf(fake.stdioEntry());
});
afterEach(async () => {
  await pool.close();
  fake.remove();
});

function caller(askPerson: AskPerson, redact = (text: string) => text) {
  const call = toolCaller(pool, 'order', { askPerson: () => askPerson, redact });
  return (input: Partial<CallToolInput> = {}): Promise<CallToolResult> =>
    call({ timeoutMs: 60_000, idempotent: false, asksForMs: 60_000, ...input });
}

const said = ({ content }: CallToolResult): unknown => {
  const [part] = content;
  return part && 'text' in part && part.text !== undefined ? JSON.parse(part.text) : null;
};

test('form: a server asks during a call → its words and schema go to a person, the answer to the server (T20)', async () => {
  const asked: PersonQuestion[] = [];
  const call = caller(
    async question => {
      asked.push(question);
      return { kind: 'form', decision: 'accept', content: { size: 4 } };
    },
    text => text.replaceAll('hunter2', '[secret]'),
  );
  const result = await call({ arguments: { message: 'Which size, hunter2?' } });
  expect(asked).toMatchObject([
    {
      callId: 'c1',
      waitMs: 60_000,
      question: { message: 'Which size, [secret]?', schema: { required: ['size'] } },
    },
  ]);
  expect(said(result)).toEqual({ action: 'accept', content: { size: 4 } });
});

test('form: a server over HTTP asks twice → the end of an answer’s own request does not end the call', async () => {
  const { child, url } = await startFakeMcpHttp(fake);
  const far = poolOf({ url });
  const ask: AskPerson = async () => ({ kind: 'form', decision: 'accept', content: { size: 4 } });
  const call = toolCaller(far, 'order', { askPerson: () => ask });
  const result = await call({ idempotent: false, asksForMs: 60_000, arguments: { times: 2 } });
  await far.close();
  child.kill('SIGKILL');
  expect(said(result)).toEqual({ action: 'accept', content: { size: 4 } });
});

test('SU2 form: a person accepts it by a word → the defaults that were shown go to the server, but what was given counts', async () => {
  const asked = {
    message: 'Which?',
    schema: {
      type: 'object',
      properties: {
        size: { type: 'integer', default: 4 },
        ok: { type: 'boolean', default: false },
        colour: { type: 'string', enum: ['red'], default: 'unseen' },
        list: { type: 'array', items: { enum: ['a', 'b'] }, default: ['a', 'unseen'] },
        free: { type: 'string' },
      },
    },
  };
  const answered = async (content: Record<string, unknown>) => {
    const askPerson: AskPerson = async () => ({ kind: 'form', decision: 'accept', content });
    const handle = formHandler({ askPerson: () => askPerson }, {
      callId: 'c1',
      asksForMs: 1_000,
    } as CallToolInput);
    return handle?.(asked, new AbortController().signal);
  };
  const content = { size: 4, ok: false, list: ['a'] };
  expect(await answered({})).toEqual({ action: 'accept', content });
  expect(await answered({ size: 7, free: 'x' })).toEqual({
    action: 'accept',
    content: { ...content, size: 7, free: 'x' },
  });
});

test.each([['decline'], ['cancel']] as const)(
  'form: a person says %s → so does the server',
  async decision => {
    expect(said(await caller(async () => ({ kind: 'form', decision }))())).toEqual({ action: decision });
  },
);

test('form: a server asks again and again → after twenty nobody is asked any more in this call', async () => {
  const ask = vi.fn<AskPerson>(async () => ({ kind: 'form', decision: 'decline' }));
  expect(said(await caller(ask)({ arguments: { times: 22 } }))).toEqual({ action: 'cancel' });
  expect(ask).toHaveBeenCalledTimes(20);
});

test('form: one that is too large to be shown → nobody is asked; words that are too long are cut before they are sent', async () => {
  const ask = vi.fn<AskPerson>(async () => ({ kind: 'form', decision: 'decline' }));
  const call = caller(ask);
  expect(said(await call({ arguments: { title: 'x'.repeat(10_000) } }))).toEqual({ action: 'cancel' });
  expect(ask).not.toHaveBeenCalled();
  await call({ arguments: { message: 'x'.repeat(100_000) } });
  const { message } = ask.mock.calls[0]?.[0].question ?? { message: '' };
  expect(message).toMatch(/x… \[cut: 96\d{3} characters\]$/);
  expect(message.length).toBeLessThanOrEqual(4_000);
});

test('form: nobody attends → declined at once, and nobody is asked', async () => {
  const ask = vi.fn<AskPerson>();
  const unattended = { asksForMs: undefined } as unknown as Partial<CallToolInput>;
  expect(said(await caller(ask)(unattended))).toEqual({ action: 'decline' });
  expect(ask).not.toHaveBeenCalled();
});

test('form: two calls at a server at the same time → cancelled, for nobody can tell whose it is', async () => {
  const call = caller(async () => ({ kind: 'form', decision: 'accept', content: { size: 1 } }));
  const other = call({ tool: 'slow', serverToolName: 'slow', arguments: { gate: 'g' }, idempotent: true });
  await until('the other is under way', () => fake.events().some(({ tool }) => tool === 'slow'));
  expect(said(await call())).toEqual({ action: 'cancel' });
  fake.openGate('g');
  await other;
});

test('form: a person takes longer than the tool may → the time of the call stands still', async () => {
  let answer: ((given: FormAnswer) => void) | undefined;
  const call = caller(() => new Promise(resolve => (answer = resolve)));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
  const running = call({ timeoutMs: 60_000, asksForMs: 3_600_000 });
  await until('it asks', () => answer);
  vi.advanceTimersByTime(600_000);
  answer?.({ kind: 'form', decision: 'cancel' });
  expect((await running).ending).toBe('executed');
});

test('call timer: it stands still between pause and resume, and ends nothing once it is stopped', () => {
  vi.useFakeTimers();
  try {
    const ended = vi.fn();
    const timer = new CallTimer(100, ended);
    vi.advanceTimersByTime(60);
    timer.pause();
    vi.advanceTimersByTime(1_000);
    timer.resume();
    vi.advanceTimersByTime(39);
    expect(ended).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(ended).toHaveBeenCalledTimes(1);
    const other = new CallTimer(100, ended);
    other.pause();
    other.stop();
    other.resume();
    vi.advanceTimersByTime(1_000);
    expect(ended).toHaveBeenCalledTimes(1);
  } finally {
    vi.useRealTimers();
  }
});

interface Told {
  signals: unknown[];
  queries: string[];
}

function runThatAnswers(answers: (FormAnswer | null)[]): Told & Parameters<typeof personAsker>[0] {
  const told: Told = { signals: [], queries: [] };
  const handle = {
    ...told,
    signal: async (_definition: unknown, input: unknown) => void told.signals.push(input),
    query: async (_definition: unknown, id: string) => {
      told.queries.push(id);
      return answers[told.queries.length - 1] ?? null;
    },
  };
  return handle as never;
}

const QUESTION = { callId: 'c1', question: { message: 'Which?', schema: {} }, waitMs: 60_000 };

test('person asker: a signal opens the gate, queries look until there is an answer; each form has its id', async () => {
  const run = runThatAnswers([
    null,
    { kind: 'form', decision: 'decline' },
    { kind: 'form', decision: 'cancel' },
  ]);
  const ask = personAsker(run, 2, 1);
  const never = new AbortController().signal;
  expect(await ask(QUESTION, never)).toEqual({ kind: 'form', decision: 'decline' });
  expect(await ask(QUESTION, never)).toEqual({ kind: 'form', decision: 'cancel' });
  expect(run.queries).toEqual(['c1:2:1', 'c1:2:1', 'c1:2:2']);
  expect(run.signals).toMatchObject([
    { callId: 'c1', attempt: 2, id: '1', question: { message: 'Which?' } },
    { id: '2' },
  ]);
});

test.each([
  ['the server asks no more', { abort: true, waitMs: 60_000 }, { by: 'superseded' }, 'cancel'],
  ['nobody has answered in time', { abort: false, waitMs: 20 }, { by: 'timeout' }, 'decline'],
])(
  'person asker: %s → the run is told, and the server has its answer',
  async (_, { abort, waitMs }, ended, decision) => {
    const run = runThatAnswers([]);
    const stop = new AbortController();
    const answer = personAsker(run, 1, 1)({ ...QUESTION, waitMs }, stop.signal);
    await eventually(() => expect(run.queries.length).toBeGreaterThan(0));
    if (abort) stop.abort();
    expect(await answer).toEqual({ kind: 'form', decision });
    expect(run.signals.at(-1)).toMatchObject({ id: '1', question: null, ...ended });
  },
);
