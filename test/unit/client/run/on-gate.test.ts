import { WorkflowUpdateFailedError, WorkflowUpdateRPCTimeoutOrCancelledError } from '@temporalio/client';
import { expect, onTestFinished, test } from 'vitest';
import { GATE_ANSWER_BYTES } from '../../../../src/base/sizes/bounds.js';
import type { ClientScope } from '../../../../src/client/connection/client-scope.js';
import type { Temporal } from '../../../../src/client/connection/connect.js';
import { RunReader } from '../../../../src/client/record/run-reader.js';
import { answerTools, onGate } from '../../../../src/client/run/on-gate.js';
import { Run } from '../../../../src/client/run/run-handle.js';
import { update } from '../../../../src/client/run/send.js';
import { clientTool } from '../../../../src/client/start/client-tools.js';
import { WORKFLOW_TYPE } from '../../../../src/run/agents/run-config.js';
import type { Gate } from '../../../../src/run/gates/gate.js';
import { submitToolResultUpdate } from '../../../../src/workflows/run/definitions.js';
import { approvalGate } from '../../../support/fake-runs.js';
import { eventually } from '../../../support/wait.js';

const question: Gate = { ...approvalGate('g2'), kind: 'question', subject: { role: 'planner' } };

/** A run on a server: `gates` are open, each change of them makes its history longer, and its journal tells of it. */
class FakeRun {
  readonly sent: unknown[] = [];
  /** The queries of the run as a whole that were asked. */
  readonly asked: string[] = [];
  #gates: Gate[] = [];
  readonly #journal: { seq: number; type: string; gateId: string }[] = [];
  #history = 1;
  #status = 'RUNNING';
  /** Thrown by the next queries. */
  readonly troubles: Error[] = [];

  set(...gates: Gate[]): void {
    const told = (type: string, those: Gate[], others: Gate[]) => {
      for (const { id: gateId, kind } of those.filter(gate => !others.includes(gate)))
        this.#journal.push(Object.assign({ seq: this.#journal.length + 1, at: 0, type, gateId }, { kind }));
    };
    told('gate_closed', this.#gates, gates);
    told('gate_opened', gates, this.#gates);
    this.#gates = gates;
    this.goesOn();
  }

  /** Something else happens. */
  goesOn(): void {
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
      query: async ({ name }: { name: string }, since = 0) => {
        const trouble = this.troubles.shift();
        if (trouble) throw trouble;
        if (name === 'toolRequest') return { path: 'whole.txt' };
        this.asked.push(name === 'events' ? `events after ${since}` : name);
        const journal = this.#journal;
        if (name === 'state') return { gates: this.#gates, internals: { lastEventSeq: journal.length } };
        return { events: journal.slice(since), more: false, missed: 0, previousRunId: null, open: true };
      },
      result: async () => ({ outcome: 'completed', text: 'Done.' }),
      executeUpdate: async ({ name }: { name: string }, { args: [input] }: { args: unknown[] }) => {
        this.sent.push(name === 'claimToolCall' ? { claimed: input } : input);
        const answer = this.answers.shift();
        if (answer instanceof Error) throw answer;
        return answer ?? { run: true };
      },
    };
    const client = {
      workflow: { getHandle: () => handle },
      withDeadline: (_: number, work: () => unknown) => work(),
    };
    const temporal = { client, local: null } as unknown as Temporal;
    const closing = this.closing.signal;
    return { temporal, kept: null, project: null, closing, report: line => this.reported.push(line) };
  }

  /** What its readers share. */
  get looks(): RunReader {
    return new RunReader(this.scope.temporal, 'r');
  }

  readonly closing = new AbortController();
  /** To the next updates; an error is thrown. */
  readonly answers: unknown[] = [];
  readonly reported: string[] = [];
}

const clientGate = (claimedBy?: string): Gate => ({
  ...approvalGate('g5'),
  kind: 'clientTool',
  subject: {
    ...{ tool: 'mail', callId: 'c1_1', arguments: '{}', idempotencyKey: 'chain-1-c1_1' },
    ...(claimedBy && { claimedBy }),
  },
});

/** A client with one tool, whose calls are counted. */
function mailing(run: FakeRun, result: unknown = 'sent') {
  const mailed: string[] = [];
  const mail = clientTool({
    name: 'mail',
    description: '',
    run: (_, { idempotencyKey, values }) => {
      mailed.push(idempotencyKey);
      expect(values).toEqual({ user: 'mia' });
      return result;
    },
  });
  answerTools(run.scope, run.looks, { tools: [mail], values: { user: 'mia' } });
  return mailed;
}

const ids = { id: 'r', runId: 'part', taskQueue: 'q', workspace: null };

const refusedUpdate = (why: string) => new WorkflowUpdateFailedError('refused', new Error(why));
const by = expect.stringMatching(/^\d+-[0-9a-f]{8}$/);

const unheard = (error: Error) => {
  throw error;
};

test.concurrent('onGate: a gate that is open and one that comes → each is handed over once, and its signal aborted when it is closed', async () => {
  const run = new FakeRun();
  const taken: { id: string; signal: AbortSignal }[] = [];
  const approval = approvalGate('g1');
  run.set(approval);
  const stop = onGate(run.scope, run.looks, ({ id }, { signal }) => void taken.push({ id, signal }), unheard);
  await eventually(() => expect(taken).toHaveLength(1));
  run.set(approval, question);
  await eventually(() => expect(taken).toHaveLength(2));
  run.set(question);
  await eventually(() => expect(taken[0]?.signal.aborted).toBe(true));
  expect(taken.map(({ id, signal }) => [id, signal.aborted])).toEqual([
    ['g1', true],
    ['g2', false],
  ]);
  run.end();
  await eventually(() => expect(taken[1]?.signal.aborted).toBe(true));
  stop();
});

test.concurrent('onGate: no worker answers for a while → asked again until one does', async () => {
  const run = new FakeRun();
  const taken: string[] = [];
  run.troubles.push(Object.assign(new Error('deadline'), { code: 4 }));
  run.set(approvalGate('g1'));
  const stop = onGate(run.scope, run.looks, ({ id }) => void taken.push(id), unheard);
  await eventually(() => expect(taken).toEqual(['g1']));
  stop();
});

test.concurrent('onGate: the events of the run are followed too → both by one reading: no page of events is asked for twice, and how it stands only where a gate opens', async () => {
  const run = new FakeRun();
  const [told, taken]: [string[], string[]] = [[], []];
  const held = new Run(run.scope, ids);
  const stop = held.onGate(({ id }) => void taken.push(id));
  const following = (async () => {
    for await (const { type } of held.events({ live: false })) told.push(type);
  })();
  await eventually(() => expect(run.asked).toContain('events after 0'));
  run.goesOn();
  await eventually(() => expect(run.asked.filter(what => what === 'events after 0').length).toBe(2));
  run.set(question);
  await eventually(() => expect(taken).toEqual(['g2']));
  run.set();
  await eventually(() => expect(told).toEqual(['gate_opened', 'gate_closed']));
  run.end();
  await following;
  expect(run.asked.filter(what => what === 'state')).toHaveLength(2);
  expect(run.asked.filter(what => what === 'events after 1')).toHaveLength(1);
  stop();
});

test.concurrent('onGate: what the handler returns → the answer, with all arguments shown to it; nothing → it stays open', async () => {
  const run = new FakeRun();
  const seen: unknown[] = [];
  run.set(approvalGate('g1'), question);
  const stop = onGate(
    run.scope,
    run.looks,
    gate => {
      seen.push([gate.id, gate.input]);
      return gate.kind === 'approval' ? { decision: 'approve' } : null;
    },
    unheard,
  );
  await eventually(() => expect(run.sent).toEqual([{ gateId: 'g1', decision: 'approve' }]));
  await eventually(() => expect(seen).toHaveLength(2));
  expect(seen).toEqual(
    expect.arrayContaining([
      ['g1', { path: 'whole.txt' }],
      ['g2', null],
    ]),
  );
  stop();
  expect(run.reported).toEqual([]);
});

test.concurrent.each([
  [
    'the handler throws',
    () => {
      throw new Error('no idea');
    },
    /g2 \(question\): its handler failed: no idea/,
  ],
  [
    'the run refuses the answer',
    () => ({ decision: 'deny' as const }),
    /the run refuses the answer: no text/,
  ],
])('onGate: %s → the result of the run throws why, and so do its events', async (_, handler, why) => {
  const run = new FakeRun();
  run.set(question);
  run.answers.push(refusedUpdate('no text'));
  const held = new Run(run.scope, ids);
  const stop = held.onGate(handler);
  await expect(held.result()).rejects.toThrow(why);
  await expect(held.events().next()).rejects.toThrow(why);
  stop();
});

test.concurrent('onGate: handlers by kind → each gate to its own, to the default where there is none', async () => {
  const run = new FakeRun();
  run.set(approvalGate('g1'), question);
  const handlers = { approval: () => ({ decision: 'approve' as const }), default: () => ({ text: 'Blue.' }) };
  const stop = onGate(run.scope, run.looks, handlers, unheard);
  const sent = [
    { gateId: 'g1', decision: 'approve' },
    { gateId: 'g2', text: 'Blue.' },
  ];
  await eventually(() => expect(run.sent).toHaveLength(2));
  expect(run.sent).toEqual(expect.arrayContaining(sent));
  stop();
});

test.concurrent.each(['ended', 'closed with the client'] as const)(
  'onGate: it is %s while the handler thinks → its signal is aborted, and nothing is sent',
  async how => {
    const run = new FakeRun();
    run.set(question);
    let thinking: AbortSignal | null = null;
    const stop = onGate(
      run.scope,
      run.looks,
      async (_, { signal }) => {
        thinking = signal;
        await new Promise(resolve => signal.addEventListener('abort', resolve));
        return { text: 'too late' };
      },
      unheard,
    );
    await eventually(() => expect(thinking).not.toBeNull());
    if (how === 'ended') stop();
    else run.closing.abort();
    await eventually(() => expect(thinking?.aborted).toBe(true));
    expect([run.sent, run.reported]).toEqual([[], []]);
  },
);

test.concurrent('client tools: a call → claimed, run with its key, and its result given', async () => {
  const run = new FakeRun();
  run.set(clientGate());
  const mailed = mailing(run);
  await eventually(() => expect(run.sent).toHaveLength(2));
  expect(run.sent).toEqual([
    { claimed: { gateId: 'g5', by, takeOver: false } },
    { gateId: 'g5', content: 'sent', isError: false },
  ]);
  expect(mailed).toEqual(['chain-1-c1_1']);
  run.closing.abort();
});

test.concurrent('client tools: another client has claimed the call → not run', async () => {
  const run = new FakeRun();
  run.answers.push(refusedUpdate('7-ab has begun mail'));
  run.set(clientGate());
  const mailed = mailing(run);
  await eventually(() => expect(run.reported).toEqual(['Gates of r: 7-ab has begun mail']));
  expect([mailed, run.sent.length]).toEqual([[], 1]);
  run.closing.abort();
});

test.concurrent('client tools: it was claimed before this client came → taken over, and run only where the run says so', async () => {
  const run = new FakeRun();
  run.answers.push({ run: false });
  run.set(clientGate('7-ab'));
  const mailed = mailing(run);
  await eventually(() => expect(run.sent).toEqual([{ claimed: { gateId: 'g5', by, takeOver: true } }]));
  run.set(question, { ...clientGate(), id: 'g6' });
  await eventually(() => expect(mailed).toHaveLength(1));
  expect(run.sent[1]).toEqual({ claimed: { gateId: 'g6', by, takeOver: false } });
  run.closing.abort();
});

test.concurrent.each([
  ['a text', 'x'.repeat(60_000)],
  ['data', { pages: Array.from({ length: 5_000 }, (_, page) => ({ page, text: 'seen' })) }],
])('client tools: a result that is more than a run takes, %s → cut, with a mark', async (_, result) => {
  const run = new FakeRun();
  run.set(clientGate());
  mailing(run, result);
  await eventually(() => expect(run.sent).toHaveLength(2));
  const [, sent] = run.sent;
  expect(sent).toMatchObject({
    content: expect.stringMatching(/… \[cut: \d+ characters\]$/),
    isError: false,
  });
  expect(JSON.stringify(sent).length).toBeLessThanOrEqual(GATE_ANSWER_BYTES);
  run.closing.abort();
});

test.concurrent('client tools: no worker answers for a moment → the result is given again', async () => {
  const run = new FakeRun();
  run.answers.push({ run: true }, new WorkflowUpdateRPCTimeoutOrCancelledError('late'));
  run.set(clientGate());
  const mailed = mailing(run);
  await eventually(() => expect(run.sent).toHaveLength(3));
  expect(run.sent[2]).toEqual(run.sent[1]);
  expect([mailed.length, run.reported]).toEqual([1, []]);
  run.closing.abort();
});

test.concurrent('client tools: the run refuses the result → that is the result, with the reason, and the client is told', async () => {
  const run = new FakeRun();
  run.answers.push({ run: true }, refusedUpdate('The input is nested deeper than 100 levels.'));
  run.set(clientGate());
  mailing(run);
  await eventually(() => expect(run.reported).toEqual([expect.stringContaining('nested deeper')]));
  expect(run.sent[2]).toMatchObject({
    content: expect.stringMatching(/call ran.*nested deeper/),
    isError: true,
  });
  run.closing.abort();
});

test.concurrent('an update that is too large → refused here, for the run would stand still with it', async () => {
  const run = new FakeRun();
  const asked = update(run.scope.temporal, 'r', submitToolResultUpdate, {
    gateId: 'g5',
    content: 'x'.repeat(3_000_000),
  });
  await expect(asked).rejects.toMatchObject({
    code: 'rejected',
    message: expect.stringContaining('3000028 bytes'),
  });
  expect(run.sent).toEqual([]);
});

test('note: a key of this process stands in it → it is sent without the key (TR4)', async () => {
  process.env.ACME_API_KEY = 'acme-0123456789abcdef';
  onTestFinished(() => {
    delete process.env.ACME_API_KEY;
  });
  const run = new FakeRun();
  run.answers.push({ seq: 7 });
  const note = { type: 'TOOL_LOG', text: 'Called with acme-0123456789abcdef.' } as const;
  expect(await new Run(run.scope, ids).note(note)).toBe(7);
  expect(run.sent).toEqual([{ type: 'TOOL_LOG', text: 'Called with [secret ACME_API_KEY].' }]);
});
