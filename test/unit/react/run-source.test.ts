/** A run as a page of React has it, over an API that is played here. */
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { RunSource } from '../../../packages/react/run-source.js';
import type { Frame } from '../../../packages/view/frames.js';
import type { RunEvent, RunSnapshot } from '../../../src/client/index.js';
import { NO_USAGE } from '../../../src/run/messages/message.js';
import { lookOf } from '../../support/fake-runs.js';
import { eventually } from '../../support/wait.js';

interface Asked {
  path: string;
  body: Record<string, unknown>;
}

/** A console that says these frames, and notes what it is asked. */
function playConsole(frames: () => Frame[]) {
  const asked: Asked[] = [];
  const pushes: ((...more: Frame[]) => void)[] = [];
  vi.stubGlobal(
    'fetch',
    async (url: string, { body = '{}', signal }: { body?: string; signal?: AbortSignal }) => {
      const path = new URL(url).pathname;
      asked.push({ path, body: JSON.parse(body) });
      if (path !== '/api/stream') return Response.json({ id: 'm-1', state: 'accepted', how: 'Soon.' });
      return new Response(
        new ReadableStream<Uint8Array>({
          start(controller) {
            const push = (...more: Frame[]) => {
              for (const frame of more)
                controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(frame)}\n\n`));
            };
            pushes.push(push);
            push(...frames());
            signal?.addEventListener('abort', () => controller.error(new Error('gone')));
          },
        }),
      );
    },
  );
  return { asked, push: (...more: Frame[]) => pushes.at(-1)?.(...more) };
}

afterEach(() => void vi.unstubAllGlobals());

const place = { url: 'http://here', token: 'secret' };
const call = { callId: 'c1', taskId: null, role: 'react', model: 'm', turn: 1, round: 1 };

function event(seq: number, type: string, more: object): Frame {
  return { type: 'event', run: 'run-1', event: { seq, at: seq, type, ...more } as unknown as RunEvent };
}

function snapshot(look: Partial<RunSnapshot>): Frame {
  return { type: 'snapshot', run: 'run-1', snapshot: { ...lookOf({}), inputs: {}, ...look } as RunSnapshot };
}

const BEGIN: Frame[] = [
  event(1, 'run_started', { goal: 'Is the pool long?', mode: 'react' }),
  event(2, 'model_call_started', { ...call, form: 'words', answers: true }),
  {
    type: 'event',
    run: 'run-1',
    event: {
      ...{ type: 'text', callId: 'c1', role: 'react', taskId: null, form: 'words', attempt: 1 },
      ...{ channel: 'text', offset: 0, text: 'It is 5' },
    },
  },
];

/** A source that somebody listens to. */
function listened(source: RunSource) {
  let changes = 0;
  const leave = source.subscribe(() => {
    changes += 1;
  });
  return { leave, changes: () => changes };
}

test('R10 a run that is followed → its messages and live text, the same object until something changes', async () => {
  const { push } = playConsole(() => [snapshot({ phase: 'execution', lastEventSeq: 2 }), ...BEGIN]);
  const source = new RunSource('run-1', place);
  const { leave } = listened(source);
  await eventually(() =>
    expect(source.state().live).toEqual([{ callId: 'c1', role: 'react', text: 'It is 5', reasoning: '' }]),
  );
  expect(source.state()).toBe(source.state());
  push(
    event(3, 'model_call_ended', {
      ...call,
      messageId: 'm',
      text: 'It is 50 m.',
      stopReason: 'end_turn',
      toolCalls: 0,
      usage: NO_USAGE,
      durationMs: 1,
    }),
    event(4, 'goal_ended', { number: 1, outcome: 'answered', cause: 'direct_answer', answer: 'It is 50 m.' }),
  );
  await eventually(() => expect(source.state().messages).toHaveLength(2));
  expect(source.state().messages).toMatchObject([
    { by: 'person', text: 'Is the pool long?' },
    { by: 'role', role: 'react', text: 'It is 50 m.' },
  ]);
  expect(source.state().connection).toBe('live');
  leave();
});

test('R10 nobody listens → the stream ends; somebody does again → it goes on from the last event', async () => {
  const { asked } = playConsole(() => [snapshot({ phase: 'execution' }), ...BEGIN]);
  const source = new RunSource('run-1', place);
  listened(source).leave();
  const again = listened(source);
  await eventually(() => expect(source.state().messages).toHaveLength(1));
  again.leave();
  const last = listened(source);
  await eventually(() => expect(asked.at(-1)?.body).toMatchObject({ runs: { 'run-1': { since: 2 } } }));
  last.leave();
});

test.each([
  ['with empty lines', '<!doctype html>\n\n<title>Sign in</title>\n\n'],
  ['of one line', '<!doctype html><title>Sign in</title>'],
])(
  'R10 the page of a login %s in place of the stream → away, never live, and asked less and less often',
  async (_what, html) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let asked = 0;
    vi.stubGlobal('fetch', async () => {
      asked += 1;
      return new Response(html, { headers: { 'content-type': 'text/html' } });
    });
    const source = new RunSource('run-1', place);
    const states = new Set<string>();
    const leave = source.subscribe(() => states.add(source.state().connection));
    await vi.advanceTimersByTimeAsync(20_000);
    leave();
    expect([...states]).toEqual(['away']);
    expect(asked).toBeLessThan(15);
  },
);

test('R10 a token that no header can have → refused', async () => {
  const { asked } = playConsole(() => []);
  const source = new RunSource('run-1', { ...place, token: 'ключ\n' });
  const { leave } = listened(source);
  await eventually(() => expect(source.state().connection).toBe('refused'));
  await expect(source.send('Hi.')).rejects.toMatchObject({ code: 'refused' });
  expect(asked).toEqual([]);
  leave();
});

test('R10 send: a run at work, and one that has answered → steering, then the next goal', async () => {
  const { asked, push } = playConsole(() => [snapshot({ phase: 'execution' }), ...BEGIN]);
  const source = new RunSource('run-1', place);
  const { leave } = listened(source);
  await eventually(() => expect(source.state().messages).toHaveLength(1));
  await source.send('Mind the depth.', { id: 'm1', when: 'interrupt' });
  push(
    event(3, 'goal_ended', { number: 1, outcome: 'answered', cause: 'direct_answer', answer: 'It is.' }),
    snapshot({ phase: 'idle', lastEventSeq: 3 }),
  );
  await eventually(() => expect(source.state().snapshot?.phase).toBe('idle'));
  await source.send('And wide?', { id: 'm2' });
  expect(asked.filter(({ path }) => path !== '/api/stream')).toEqual([
    { path: '/api/runs/run-1/steer', body: { id: 'm1', text: 'Mind the depth.', when: 'interrupt' } },
    { path: '/api/runs/run-1/follow-up', body: { id: 'm2', text: 'And wide?' } },
  ]);
  leave();
});

test('R10 answer and stop → what every face sends; an answer that does not fit is thrown, and not sent', async () => {
  const gate = { id: 'g1', kind: 'plan', title: 'A plan', deadline: null, subject: { tasks: [] } };
  const { asked } = playConsole(() => [snapshot({ phase: 'waiting', gates: [gate] as never })]);
  const source = new RunSource('run/1', place);
  const { leave } = listened(source);
  const own = new RunSource('run-1', place);
  const other = listened(own);
  await eventually(() => expect(own.state().gates).toHaveLength(1));
  await expect(own.answer('g1', { decision: 'deny' })).rejects.toThrow('Say what the plan should change');
  await own.answer('g1', { decision: 'approve' });
  await source.stop();
  expect(asked.filter(({ path }) => path !== '/api/stream')).toEqual([
    { path: '/api/runs/run-1/answer', body: { gateId: 'g1', decision: 'approve' } },
    { path: '/api/runs/run%2F1/stop', body: {} },
  ]);
  leave();
  other.leave();
});
