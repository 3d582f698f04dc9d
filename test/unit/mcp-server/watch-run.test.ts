import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Gate } from '../../../src/run/gates/gate.js';
import { task } from '../../support/core-values.js';
import { approvalGate, endItem, eventItem, fakeRuns, gateOpened, warning } from '../../support/fake-runs.js';
import { until } from '../../support/wait.js';
import { connected } from './connected.js';

const gate = approvalGate();
const CLOSED = { gateId: 'g1', kind: 'approval', by: 'person', decision: 'deny' } as const;

describe('watch_run', () => {
  test('watch_run: a run to its end → what happened, progress for each, and what to do next', async () => {
    const { call, runs } = await connected();
    runs.happens(warning(1), warning(2), endItem());
    runs.stands({ phase: 'ended', outcome: 'completed' });
    const progress: unknown[] = [];
    const { structuredContent } = await call(
      'watch_run',
      { id: 'run-1' },
      { onprogress: told => progress.push(told) },
    );
    expect(structuredContent).toMatchObject({
      ended: true,
      outcome: 'completed',
      cursor: 2,
      more: false,
      events: [
        { seq: 1, at: '1970-01-01T00:00:01.000Z', type: 'warning', text: 'warning: Warning 1' },
        { seq: 2 },
      ],
    });
    expect(structuredContent.next).toContain('get_result');
    expect(progress).toEqual([
      { progress: 1, message: 'warning: Warning 1' },
      { progress: 2, message: 'warning: Warning 2' },
    ]);
  });

  test('watch_run: since a cursor → only what came after it', async () => {
    const { call, runs } = await connected();
    runs.happens(warning(1), warning(2), warning(3), endItem());
    const { structuredContent } = await call('watch_run', { id: 'run-1', since: 2 });
    expect(structuredContent.events.map(({ seq }: { seq: number }) => seq)).toEqual([3]);
  });

  test('watch_run: a gate opens (TR12) → returned with all that it asks, and answered by nobody', async () => {
    const { call, runs } = await connected();
    runs.happens(warning(1), gateOpened(2, gate));
    runs.stands({ phase: 'waiting', gates: [gate], inputs: { g1: { path: 'a.txt' } }, lastEventSeq: 2 });
    const { structuredContent } = await call('watch_run', { id: 'run-1' });
    expect(structuredContent).toMatchObject({
      cursor: 2,
      gates: [
        {
          id: 'g1',
          kind: 'approval',
          choices: ['approve', 'deny', 'always'],
          arguments: null,
          withoutAnswer: 'denied',
        },
      ],
    });
    expect(structuredContent.next).toContain('answer_gate');
    expect(runs.asked).toEqual([]);
  });

  test('watch_run: a gate that shows a part of its arguments → all of them beside it', async () => {
    const { call, runs } = await connected();
    runs.happens(gateOpened(1, gate));
    const input = { path: 'a.txt', content: 'long' };
    runs.stands({ phase: 'waiting', gates: [gate], inputs: { g1: input }, lastEventSeq: 1 });
    const { structuredContent } = await call('watch_run', { id: 'run-1' });
    expect(structuredContent.gates[0].arguments).toEqual(input);
  });

  test('watch_run: a gate that is closed by now → the watch goes on', async () => {
    const { call, runs } = await connected();
    runs.happens(gateOpened(1, gate), warning(2), endItem());
    runs.stands({ lastEventSeq: 2 });
    const { structuredContent } = await call('watch_run', { id: 'run-1' });
    expect(structuredContent.cursor).toBe(2);
  });

  test('watch_run: the goal is answered and the run stays open → returned as idle', async () => {
    const { call, runs } = await connected();
    runs.happens(
      eventItem(1, 'goal_ended', { number: 1, outcome: 'completed', cause: 'verified', answer: '42' }),
    );
    runs.stands({ phase: 'idle', lastEventSeq: 1 });
    const { structuredContent } = await call('watch_run', { id: 'run-1' });
    expect(structuredContent).toMatchObject({ phase: 'idle', ended: false, cursor: 1 });
  });

  test('watch_run: nothing calls for the caller → returned when the time is over, the run left alone', async () => {
    const { call, runs } = await connected();
    runs.happens(warning(1));
    const { structuredContent } = await call('watch_run', { id: 'run-1', waitSeconds: 1 });
    expect(structuredContent).toMatchObject({
      ended: false,
      cursor: 1,
      next: 'It goes on: watch_run with since 1.',
    });
    expect(runs.watchers()).toBe(0);
    expect(runs.asked).toEqual([]);
  });

  test('watch_run: no worker answers for the run → says so, and what the user can do', async () => {
    const { call, runs } = await connected();
    runs.happens({ type: 'notice', text: 'Waiting for a worker …' });
    runs.stands({ phase: null });
    const { structuredContent } = await call('watch_run', { id: 'run-1', waitSeconds: 1 });
    expect(structuredContent.notices).toEqual(['Waiting for a worker …']);
    expect(structuredContent.next).toContain('--resume-open');
  });

  test('watch_run: more than one answer holds → told in pages, each event once', async () => {
    const { call, runs } = await connected();
    for (let seq = 1; seq <= 450; seq += 1) runs.happens(warning(seq));
    runs.happens(endItem());
    const seen: number[] = [];
    const pages: boolean[] = [];
    for (let since = 0, more = true; more; ) {
      const { structuredContent } = await call('watch_run', { id: 'run-1', since });
      seen.push(...structuredContent.events.map(({ seq }: { seq: number }) => seq));
      ({ cursor: since, more } = structuredContent);
      pages.push(more);
    }
    expect(seen).toEqual(Array.from({ length: 450 }, (_, index) => index + 1));
    expect(pages).toEqual([true, true, false]);
  });

  test('watch_run: events with long texts → fewer to an answer, none is lost', async () => {
    const { call, runs } = await connected();
    for (let seq = 1; seq <= 30; seq += 1) runs.happens(warning(seq, 'x'.repeat(5_000)));
    runs.happens(endItem());
    const { structuredContent, content } = await call('watch_run', { id: 'run-1' });
    expect(structuredContent).toMatchObject({ more: true, cursor: structuredContent.events.length });
    expect(content[0]?.text.length).toBeLessThan(30_000);
  });

  test('watch_run: the request is cancelled → the wait ends, the run is not asked to', async () => {
    const { call, runs } = await connected();
    const cancel = new AbortController();
    const watching = call('watch_run', { id: 'run-1' }, { signal: cancel.signal });
    watching.catch(() => {});
    await until('the run is watched', () => runs.watchers() === 1);
    cancel.abort();
    await expect(watching).rejects.toThrow();
    await until('nobody watches', () => runs.watchers() === 0);
    expect(runs.asked).toEqual([]);
  });

  test('watch_run: the server ends → the wait ends with what there is', async () => {
    const { call, runs, calls } = await connected();
    runs.happens(warning(1));
    const watching = call('watch_run', { id: 'run-1' });
    await until('the run is watched', () => runs.watchers() === 1);
    await calls.end();
    expect((await watching).structuredContent).toMatchObject({ cursor: 1, ended: false });
  });
});

describe('progress', () => {
  afterEach(() => void vi.useRealTimers());

  test('watch_run: a long silence → a sign of life all the same', async () => {
    const { call, runs } = await connected();
    vi.useFakeTimers({ toFake: ['setInterval', 'setTimeout'] });
    let told = 0;
    const watching = call(
      'watch_run',
      { id: 'run-1' },
      {
        onprogress: () => {
          told += 1;
        },
      },
    );
    while (runs.watchers() === 0) await Promise.resolve();
    await vi.advanceTimersByTimeAsync(31_000);
    expect(told).toBe(3);
    runs.happens(endItem());
    await watching;
  });
});

describe('a person behind the client', () => {
  const waiting = {
    phase: 'waiting',
    gates: [gate],
    inputs: { g1: { path: 'a.txt' } },
    lastEventSeq: 1,
  } as const;

  test('watch_run: the person accepts the form → the answer is theirs, and the watch goes on', async () => {
    const runs = fakeRuns();
    const questions: string[] = [];
    const { call } = await connected({
      runs,
      person: message => {
        questions.push(message);
        runs.happens(warning(2));
        void until('it is answered', () => runs.asked.length > 0).then(() => runs.happens(endItem()));
        return { action: 'accept', content: { decision: 'deny', reason: 'Not there' } };
      },
    });
    runs.happens(gateOpened(1, gate));
    runs.stands({ ...waiting, gates: [gate] });
    const { structuredContent } = await call('watch_run', { id: 'run-1' });
    expect(runs.asked).toEqual([['answerGate', 'g1', { decision: 'deny', reason: 'Not there' }]]);
    expect(questions).toHaveLength(1);
    expect(questions[0]).toContain('"path": "a.txt"');
    expect(structuredContent.cursor).toBe(2);
  });

  test.each([
    ['declines', { action: 'decline' as const }],
    ['closes the form', { action: 'cancel' as const }],
    ['accepts without a decision', { action: 'accept' as const, content: {} }],
    ['decides what is no choice', { action: 'accept' as const, content: { decision: 'yes' } }],
  ])('watch_run: the person %s → the gate stays open, and the caller is told', async (_, said) => {
    const runs = fakeRuns();
    const { call } = await connected({ runs, person: () => said });
    runs.happens(gateOpened(1, gate));
    runs.stands({ ...waiting, gates: [gate] });
    const { structuredContent } = await call('watch_run', { id: 'run-1' });
    expect(runs.asked).toEqual([]);
    expect(structuredContent.gates).toHaveLength(1);
  });

  test('watch_run: the time is over while the form is open → it is withdrawn, the gate stays open', async () => {
    const runs = fakeRuns();
    let withdrawn = false;
    const { call } = await connected({
      runs,
      person: (_, signal) =>
        new Promise(resolve => {
          signal.addEventListener('abort', () => {
            withdrawn = true;
            resolve({ action: 'cancel' });
          });
        }),
    });
    runs.happens(gateOpened(1, gate));
    runs.stands({ ...waiting, gates: [gate] });
    const { structuredContent } = await call('watch_run', { id: 'run-1', waitSeconds: 1 });
    expect(structuredContent.gates).toHaveLength(1);
    await until('the form is withdrawn', () => withdrawn);
    expect(runs.asked).toEqual([]);
  });

  /** A person who looks at the form until it is withdrawn. */
  const looking = (withdrawn: () => void) => (_: string, signal: AbortSignal) =>
    new Promise<{ action: 'cancel' }>(resolve => {
      signal.addEventListener('abort', () => {
        withdrawn();
        resolve({ action: 'cancel' });
      });
    });

  test.each([
    ['is closed elsewhere', [eventItem(2, 'gate_closed', CLOSED), warning(3), endItem()], 3],
    ['is of a run that ends', [endItem()], 1],
  ])(
    'WB10 watch_run: a gate whose form is open %s → the form is withdrawn, and the watch goes on to the end',
    async (_what, happened, cursor) => {
      const runs = fakeRuns();
      let forms = 0;
      let withdrawn = 0;
      const person = looking(() => {
        withdrawn += 1;
      });
      const { call } = await connected({
        runs,
        person: (message, signal) => {
          forms += 1;
          const answer = person(message, signal);
          runs.stands({ phase: 'ended', outcome: 'completed', gates: [], lastEventSeq: cursor });
          runs.happens(...happened);
          return answer;
        },
      });
      runs.happens(gateOpened(1, gate));
      runs.stands({ ...waiting, gates: [gate] });
      const { structuredContent } = await call('watch_run', { id: 'run-1' });
      expect(structuredContent).toMatchObject({ ended: true, cursor, gates: [] });
      await until('the form is withdrawn', () => withdrawn === 1);
      expect([forms, runs.asked]).toEqual([1, []]);
      expect(runs.watchers()).toBe(0);
    },
  );

  test('WB10 watch_run: the gate of a plan that holds a part of it → the form has all tasks', async () => {
    const description = `Copy it. ${'Look at it. '.repeat(60)}Then delete the disk.`;
    const plan: Gate = {
      ...{ id: 'g2', kind: 'plan', title: 'Carry out?', body: '- a: Copy it. … [cut', openedAt: 0 },
      ...{ deadline: null, subject: { tasks: 1 } },
    };
    const runs = fakeRuns();
    const questions: string[] = [];
    const { call } = await connected({
      runs,
      person: message => {
        questions.push(message);
        return { action: 'decline' };
      },
    });
    runs.happens(gateOpened(1, plan));
    runs.stands({ ...waiting, gates: [plan], tasks: [task('a', { description })] });
    await call('watch_run', { id: 'run-1' });
    expect(questions[0]).toContain('Then delete the disk.');
  });

  test('WB3 watch_run: options stand by letters in the form → a letter is the option, a figure is that', async () => {
    const options = ['None', 'All of them'];
    const question: Gate = {
      ...{ id: 'g3', kind: 'question', title: 'How many shall I delete?', openedAt: 0, deadline: null },
      ...{ body: 'How many shall I delete?\n\n- a) None\n- b) All of them', subject: { role: 'r', options } },
    };
    for (const [typed, text] of [
      ['2', '2'],
      ['b', 'All of them'],
    ] as const) {
      const runs = fakeRuns();
      const { call } = await connected({
        runs,
        person: () => {
          void until('it is answered', () => runs.asked.length > 0).then(() => runs.happens(endItem()));
          return { action: 'accept', content: { text: typed } };
        },
      });
      runs.happens(gateOpened(1, question));
      runs.stands({ ...waiting, gates: [question] });
      await call('watch_run', { id: 'run-1' });
      expect(runs.asked).toEqual([['answerGate', 'g3', { text }]]);
      await call('answer_gate', { id: 'run-1', gateId: 'g3', text: typed });
      expect(runs.asked.at(-1)).toEqual(['answerGate', 'g3', { text }]);
    }
  });

  test('watch_run: arguments too long to be shown whole → no form asks for consent to them', async () => {
    const runs = fakeRuns();
    let forms = 0;
    const { call } = await connected({
      runs,
      person: () => {
        forms += 1;
        return { action: 'decline' };
      },
    });
    runs.happens(gateOpened(1, gate));
    runs.stands({ ...waiting, gates: [gate], inputs: { g1: { content: 'x'.repeat(50_000) } } });
    await call('watch_run', { id: 'run-1' });
    expect(forms).toBe(0);
  });
});
