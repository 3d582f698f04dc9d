import { expect, test, vi } from 'vitest';
import type { ClientScope } from '../../../../src/client/runs/client-scope.js';
import type { Temporal } from '../../../../src/client/runs/connect.js';
import { watchGates } from '../../../../src/client/runs/gate-watch.js';
import { onGate } from '../../../../src/client/runs/on-gate.js';
import type { Gate } from '../../../../src/core/gates/gate.js';
import { WORKFLOW_TYPE } from '../../../../src/workflows/messages.js';
import { approvalGate } from '../../../support/fake-runs.js';

const question: Gate = { ...approvalGate('g2'), kind: 'question', subject: { role: 'planner' } };

/** A run on a server: `gates` are open, each change of them makes its history longer. */
class FakeRun {
  readonly sent: unknown[] = [];
  #gates: Gate[] = [];
  #history = 1;
  #status = 'RUNNING';
  /** Thrown by the next queries. */
  readonly troubles: Error[] = [];

  set(...gates: Gate[]): void {
    this.#gates = gates;
    this.#history += 1;
  }

  end(): void {
    this.#status = 'COMPLETED';
  }

  get scope(): ClientScope {
    const handle = {
      describe: async () => {
        const [type, status, raw] = [WORKFLOW_TYPE, { name: this.#status }, { pendingWorkflowTask: null }];
        const ids = { workflowId: 'r', runId: 'part', taskQueue: 'q' };
        return { type, status, raw, historyLength: this.#history, ...ids };
      },
      query: async ({ name }: { name: string }) => {
        const trouble = this.troubles.shift();
        if (trouble) throw trouble;
        return name === 'state' ? { gates: this.#gates } : { path: 'whole.txt' };
      },
      executeUpdate: async (_: unknown, { args }: { args: unknown[] }) => void this.sent.push(args[0]),
    };
    const client = {
      workflow: { getHandle: () => handle },
      withDeadline: (_: number, work: () => unknown) => work(),
    };
    const temporal = { client, local: null } as unknown as Temporal;
    const closing = this.closing.signal;
    return { temporal, home: '/none', closing, report: line => this.reported.push(line) };
  }

  readonly closing = new AbortController();
  readonly reported: string[] = [];
}

const until = (condition: () => void) => vi.waitFor(condition, { timeout: 30_000 });

test('gates: one that is open and one that comes → each is handed over once, and aborted when it is closed', async () => {
  const run = new FakeRun();
  const taken: { id: string; signal: AbortSignal }[] = [];
  const ending = new AbortController();
  run.set(approvalGate('g1'));
  const watch = watchGates(
    run.scope.temporal,
    'r',
    ({ id }, signal) => taken.push({ id, signal }),
    ending.signal,
  );
  await until(() => expect(taken).toHaveLength(1));
  run.set(approvalGate('g1'), question);
  await until(() => expect(taken).toHaveLength(2));
  run.set(question);
  await until(() => expect(taken[0]?.signal.aborted).toBe(true));
  expect(taken.map(({ id, signal }) => [id, signal.aborted])).toEqual([
    ['g1', true],
    ['g2', false],
  ]);
  run.end();
  await watch;
  expect(taken[1]?.signal.aborted).toBe(true);
});

test('gates: no worker answers for a while → asked again until one does', async () => {
  const run = new FakeRun();
  const taken: string[] = [];
  run.troubles.push(Object.assign(new Error('deadline'), { code: 4 }));
  run.set(approvalGate('g1'));
  const watch = watchGates(run.scope.temporal, 'r', ({ id }) => taken.push(id), new AbortController().signal);
  await until(() => expect(taken).toEqual(['g1']));
  run.end();
  await watch;
});

test('onGate: what the handler returns → the answer, with all arguments shown to it; nothing → it stays open', async () => {
  const run = new FakeRun();
  const seen: unknown[] = [];
  run.set(approvalGate('g1'), question);
  const stop = onGate(run.scope, 'r', gate => {
    seen.push([gate.id, gate.input]);
    return gate.kind === 'approval' ? { decision: 'approve' } : null;
  });
  await until(() => expect(run.sent).toEqual([{ gateId: 'g1', decision: 'approve' }]));
  await until(() => expect(seen).toHaveLength(2));
  expect(seen).toEqual(
    expect.arrayContaining([
      ['g1', { path: 'whole.txt' }],
      ['g2', null],
    ]),
  );
  stop();
  expect(run.reported).toEqual([]);
});

test('onGate: the handler throws → told to the client, the next gate is handed over all the same', async () => {
  const run = new FakeRun();
  run.set(question);
  const stop = onGate(run.scope, 'r', gate => {
    if (gate.id === 'g2') throw new Error('no idea');
    return { decision: 'deny' };
  });
  await until(() => expect(run.reported).toEqual(['Gates of r: no idea']));
  run.set(question, approvalGate('g3'));
  await until(() => expect(run.sent).toEqual([{ gateId: 'g3', decision: 'deny' }]));
  stop();
});

test.each(['ended', 'closed with the client'] as const)(
  'onGate: it is %s while the handler thinks → its signal is aborted, and nothing is sent',
  async how => {
    const run = new FakeRun();
    run.set(question);
    let thinking: AbortSignal | null = null;
    const stop = onGate(run.scope, 'r', async (_, { signal }) => {
      thinking = signal;
      await new Promise(resolve => signal.addEventListener('abort', resolve));
      return { text: 'too late' };
    });
    await until(() => expect(thinking).not.toBeNull());
    if (how === 'ended') stop();
    else run.closing.abort();
    await until(() => expect(thinking?.aborted).toBe(true));
    expect([run.sent, run.reported]).toEqual([[], []]);
  },
);
