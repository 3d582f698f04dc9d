import type { ConnectionLike } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { LIST_HEADER, listLine } from '../../../packages/cli/verbs/list.js';
import { endLine } from '../../../packages/print/end-lines.js';
import { askRun } from '../../../src/client/connection/ask-run.js';
import type { Temporal } from '../../../src/client/connection/connect.js';
import { isFinalQueryError } from '../../../src/client/connection/grpc-errors.js';
import { type ListedRun, listedRun } from '../../../src/client/record/list-runs.js';
import type { RunEnd } from '../../../src/client/record/run-end.js';
import { readEnd } from '../../../src/client/record/run-end.js';
import { resultIn } from '../../../src/client/record/run-reader.js';
import { snapshotOf } from '../../../src/client/record/run-snapshot.js';
import { readRunStart } from '../../../src/client/record/run-start.js';
import { temporalClient } from '../../../src/shared/temporal/temporal-client.js';
import type { RunResult } from '../../../src/workflows/run/definitions.js';
import { stateQuery } from '../../../src/workflows/run/definitions.js';

const long = (value: number) => ({ toNumber: () => value });
const payload = (encoding: string, data: string): Payload => ({
  metadata: { encoding: Buffer.from(encoding) },
  data: Buffer.from(data),
});
const json = (value: unknown): Payload => defaultPayloadConverter.toPayload(value);
const encrypted = payload('binary/encrypted', 'x');

/** A run as the server tells of it. */
const raw = (workflowId: string, fields: Record<string, Payload>, status: number) => ({
  execution: { workflowId, runId: `${workflowId}-1` },
  type: { name: 'steersmanRun' },
  taskQueue: 'q',
  status,
  historyLength: long(3),
  startTime: {},
  memo: { fields },
});
const RUNNING = 1;
const COMPLETED = 2;

/** The local client with a server in memory, which answers with these. */
function serverWith(service: Record<string, unknown>): Temporal {
  const workflowService = Object.fromEntries(
    Object.entries(service).map(([name, answer]) => [name, async () => answer]),
  );
  const connection = {
    workflowService,
    withDeadline: (_: number, work: () => Promise<unknown>) => work(),
    options: {},
    plugins: [],
  } as unknown as ConnectionLike;
  const client = temporalClient({ connection });
  return { client, address: 'test:1', namespace: 'default', local: null, close: async () => {} };
}

describe('what this client can not decode', () => {
  test.each<[string, Payload]>([
    ['encrypted', encrypted],
    ['of no known encoding', { data: Buffer.from('x') }],
    ['broken JSON', payload('json/plain', '{oops')],
  ])(
    'list: a memo that is %s → that run is marked, the rest of it and the other runs are shown, each with its folder',
    async (_, bad) => {
      const { client } = serverWith({
        listWorkflowExecutions: {
          executions: [
            raw('good', { goal: json('count'), mode: json('team'), workspace: json('/w') }, RUNNING),
            raw('bad', { goal: bad, mode: json('team') }, RUNNING),
            raw('later', { goal: json('sum') }, RUNNING),
          ],
        },
      });
      const runs: ListedRun[] = [];
      for await (const info of client.workflow.list()) runs.push(listedRun(info));
      expect(runs.map(({ id, goal, mode, unreadable }) => ({ id, goal, mode, unreadable }))).toEqual([
        { id: 'good', goal: 'count', mode: 'team', unreadable: [] },
        { id: 'bad', goal: null, mode: 'team', unreadable: ['goal'] },
        { id: 'later', goal: 'sum', mode: null, unreadable: [] },
      ]);
      expect(runs.map(({ workspace }) => workspace)).toEqual(['/w', null, null]);
      expect(listLine({ ...runs[0], status: 'terminated' } as ListedRun, 0).indexOf('terminated')).toBe(
        LIST_HEADER.indexOf('status'),
      );
      expect(runs.map(run => listLine(run, 0))[1]).toMatch(/^bad .*running.*unreadable here: goal$/);
    },
  );

  test('show: neither memo nor result can be decoded → what the server knows is shown, and the rest named', async () => {
    const temporal = serverWith({
      describeWorkflowExecution: { workflowExecutionInfo: raw('r', { goal: encrypted }, COMPLETED) },
      getWorkflowExecutionHistory: {
        history: {
          events: [{ workflowExecutionCompletedEventAttributes: { result: { payloads: [encrypted] } } }],
        },
      },
    });
    const run = await temporal.client.workflow.getHandle('r').describe();
    const end = await readEnd(temporal, run);
    expect(snapshotOf({ run, view: null, end, kept: null })).toMatchObject({
      id: 'r',
      status: 'completed',
      goal: null,
      answer: null,
      unreadable: ['goal', 'result'],
    });
    expect(endLine(end)).toBe(
      'The run r was completed. Its result cannot be read here: it is encoded as binary/encrypted.',
    );
  });

  test('show: a run with sub-agents has ended, and no worker tells → its result tells of them (A11)', async () => {
    const children = [
      { id: 'search/1', agent: 'search', callId: 'c1', instruction: 'Look.', outcome: 'unverified' },
    ];
    const result = { outcome: 'answered', cause: 'direct_answer', text: 'Three.', children };
    const temporal = serverWith({
      describeWorkflowExecution: { workflowExecutionInfo: raw('r', {}, COMPLETED) },
      getWorkflowExecutionHistory: {
        history: {
          events: [{ workflowExecutionCompletedEventAttributes: { result: { payloads: [json(result)] } } }],
        },
      },
    });
    const run = await temporal.client.workflow.getHandle('r').describe();
    const end = await readEnd(temporal, run);
    expect(snapshotOf({ run, view: null, end, kept: null }).children).toEqual(children);
  });

  test('result: details and words of a failure can not be decoded → it is a failed run with what is readable', async () => {
    const temporal = serverWith({
      describeWorkflowExecution: { workflowExecutionInfo: raw('r', {}, 3) },
      getWorkflowExecutionHistory: {
        history: {
          events: [
            {
              workflowExecutionFailedEventAttributes: {
                failure: {
                  message: 'Encoded failure',
                  encodedAttributes: encrypted,
                  applicationFailureInfo: { type: 'other', details: { payloads: [encrypted] } },
                },
              },
            },
          ],
        },
      },
    });
    const run = await temporal.client.workflow.getHandle('r').describe();
    expect(await readEnd(temporal, run)).toMatchObject({
      outcome: 'failed',
      result: null,
      failure: { type: 'other', message: 'Encoded failure' },
    });
  });

  test('watch: an answer of the worker can not be decoded → no answer, and never will be', async () => {
    const temporal = serverWith({
      describeWorkflowExecution: { workflowExecutionInfo: raw('r', {}, RUNNING) },
      queryWorkflow: { queryResult: { payloads: [encrypted] } },
    });
    const error = await askRun(temporal, { id: 'r', timeoutMs: 60_000 }, stateQuery).catch(each => each);
    expect(error.message).toMatch(/encoded as binary\/encrypted/);
    expect(isFinalQueryError(error)).toBe(true);
  });
});

describe('list: why a run ended, and when it began', () => {
  const end = (fields: Record<string, Payload>) =>
    listWith({ ...raw('r', fields, COMPLETED), searchAttributes: { indexedFields: {} } });
  async function listWith(execution: object): Promise<ListedRun | undefined> {
    const { client } = serverWith({ listWorkflowExecutions: { executions: [execution] } });
    for await (const info of client.workflow.list()) return listedRun(info);
    return undefined;
  }

  test('its memo tells → outcome and cause, without a search attribute', async () => {
    const run = await end({ outcome: json('unverified'), cause: json('turn_cap') });
    expect(run).toMatchObject({ outcome: 'unverified', cause: 'turn_cap' });
  });

  test.each([
    ['completed', 'verified'],
    ['answered', 'direct_answer'],
    ['unverified', null],
    ['open', null],
  ])('only the search attribute says %s → the usual cause of that: %s', async (shown, cause) => {
    const indexedFields = { AgentOutcome: json(shown) };
    const run = await listWith({ ...raw('r', {}, COMPLETED), searchAttributes: { indexedFields } });
    expect(run).toMatchObject({ outcome: shown === 'open' ? null : shown, cause });
  });

  test.each([
    ['terminated', 5, 'completed', null],
    ['timed out', 7, 'unverified', null],
    ['failed', 3, 'completed', 'failed'],
    ['cancelled', 4, 'open', 'cancelled'],
  ])(
    'Temporal says that it %s → what it had shown before does not count',
    async (_, status, shown, outcome) => {
      const indexedFields = { AgentOutcome: json(shown) };
      const run = await listWith({ ...raw('r', {}, status), searchAttributes: { indexedFields } });
      expect(run?.outcome).toBe(outcome);
    },
  );

  test('it is kept open, and its last goal ended unverified → that, without a cause', async () => {
    const indexedFields = { AgentOutcome: json('unverified'), AgentPhase: json('idle') };
    const run = await listWith({ ...raw('r', {}, RUNNING), searchAttributes: { indexedFields } });
    expect(run).toMatchObject({ outcome: 'unverified', cause: null, phase: 'idle' });
  });

  test('it continued as new → it began with its first part', async () => {
    const startedAt = '2026-01-31T00:00:00.000Z';
    expect(await end({ startedAt: json(startedAt) })).toMatchObject({ startedAt });
  });

  test('nobody tells → none', async () => {
    expect(await end({})).toMatchObject({ cause: null });
  });
});

describe('what a run was started with', () => {
  const settings = { mode: 'react', workspace: '/w', autoApprove: false, attended: true };
  const begunWith = (...payloads: Payload[]) =>
    serverWith({
      describeWorkflowExecution: { workflowExecutionInfo: raw('r', {}, COMPLETED) },
      getWorkflowExecutionHistory: {
        history: { events: [{ workflowExecutionStartedEventAttributes: { input: { payloads } } }] },
      },
    });

  test('the first event has it → its goal and settings', async () => {
    expect(await readRunStart(begunWith(json({ goal: 'Go', settings })), 'r')).toEqual({
      ...{ goal: 'Go', settings, messages: [] },
    });
  });

  test.each([
    ['it is encrypted', [encrypted]],
    ['it is none', []],
  ])('%s → none', async (_, payloads) => {
    expect(await readRunStart(begunWith(...payloads), 'r')).toBeNull();
  });
});

test('CF8 resultIn: a run that could not begin → its result says what it died of', () => {
  const failure = { type: 'run.bad_input', message: 'The run cannot start: there is no role nobody.' };
  const result = { outcome: 'failed', text: '' } as RunResult;
  const end: RunEnd = {
    ...{ id: 'r', runId: 'r', status: 'failed', outcome: 'failed', cause: null, basis: null },
    ...{ result, failure },
  };
  expect(resultIn(end)).toMatchObject({ outcome: 'failed', failure });
  expect(resultIn({ ...end, failure: null })).not.toHaveProperty('failure');
});
