/** Every handler of a run, and the reader of its start, is sent what is far too large. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { isRecord, jsonBytes } from '../../../../src/base/json/json.js';
import { EVENT_BYTES, INPUT_BYTES, PAYLOAD_BYTES, TOLD_BYTES } from '../../../../src/base/sizes/bounds.js';
import { BOUNDS, partBytes } from '../../../../src/conversation/state-bounds.js';
import { readStart } from '../../../../src/rules/agents/run-input.js';
import { withChild } from '../../../../src/run/agents/children.js';
import type { Gate, GateKind } from '../../../../src/run/gates/gate.js';
import { NO_USAGE } from '../../../../src/run/messages/message.js';
import { newGoal } from '../../../../src/run/state/goal.js';
import type { Run } from '../../../../src/workflows/run/run.js';
import { task } from '../../../support/core-values.js';
import { propertyRuns } from '../../../support/property-runs.js';
import { fileTool, runAtCalls } from '../../../support/small-run.js';

const SDK = '@temporalio/workflow';

interface Handler {
  kind: string;
  handle: (...input: unknown[]) => unknown;
  validate: (...input: unknown[]) => void;
}

let handlers: (run: Run) => Map<string, Handler>;

beforeAll(async () => {
  vi.resetModules();
  const found = new Map<string, Handler>();
  const setHandler = (
    { name, type }: { name: string; type: string },
    handle: Handler['handle'],
    { validator }: { validator?: Handler['validate'] } = {},
  ) => void found.set(name, { kind: type, handle, validate: validator ?? (() => {}) });
  const setDefaultSignalHandler = (handle: Handler['handle']) =>
    void found.set('', { kind: 'signal', handle, validate: () => {} });
  vi.doMock(SDK, async importActual => ({
    ...(await importActual<object>()),
    setHandler,
    setDefaultSignalHandler,
    // Of a run that a workflow started: only such a one has all of them.
    workflowInfo: () => ({ workflowId: 'w', runId: 'r', parent: { workflowId: 'p' } }),
  }));
  const { registerHandlers } = await import('../../../../src/workflows/handlers.js');
  handlers = run => {
    registerHandlers(run);
    return found;
  };
});

afterAll(() => {
  vi.doUnmock(SDK);
  vi.resetModules();
});

const SCHEMA = { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false };
const GATES: { [K in GateKind]: Extract<Gate, { kind: K }>['subject'] } = {
  approval: { tool: 'put', callId: 't1', arguments: '{}' },
  plan: { tasks: 1 },
  question: { role: 'planner' },
  route: { act: 'new_task', messageId: 'u1' },
  clientTool: { tool: 'shop', callId: 't2', arguments: '{}', idempotencyKey: 'k' },
  budget: { budget: 'turns', limit: 4, used: 4 },
  failure: { model: 'p/a', models: ['p/b'] },
  form: { server: 'files', tool: 'put', callId: 't1', schema: SCHEMA },
  step: { taskId: 'task-1', canReplan: false },
};

/** A sub-agent at a tool call, with a gate of each kind, a task and an agent of its own; `told`: what it says to others. */
function busyRun(): { run: Run; told: unknown[] } {
  const told: unknown[] = [];
  const { run } = runAtCalls([{ name: 'put', input: {} }], {
    pinned: { tools: [fileTool('put', {})].map(tool => ({ ...tool, inputSchema: SCHEMA })) },
    settings: { calledAs: 'agent/1' },
    ports: {
      tellCaller: message => void told.push(message),
      tellSubagent: (_id, message) => void told.push(message),
    },
  });
  const { state } = run;
  state.goal = newGoal(1, 'Do it.', { mode: 'team', startedAt: 0 });
  state.tasks = [task('task-1')];
  state.children = withChild(state.children, {
    id: 'search/1',
    agent: 'search',
    callId: 'c1',
    instruction: '',
  });
  state.features.apps = {
    shown: [{ callId: 'c1', server: 'files' }],
    calls: [],
    taken: { since: 0, count: 0 },
  };
  state.tools.inFlight = [{ callId: 'c1_1', index: 0 }];
  state.people.gates = Object.entries(GATES).map(([kind, subject]) => ({
    key: kind,
    gate: { id: kind, kind, title: '', body: '', subject, openedAt: 0, deadline: null } as Gate,
    answer: null,
  }));
  const [approval] = state.people.gates;
  if (approval)
    state.people.gates.push({
      ...approval,
      key: 'agent',
      gate: { ...approval.gate, id: 'agent' },
      agent: { id: 'search/1', gateId: 'g1' },
    });
  return { run, told };
}

function nameOf(value: unknown): string {
  return typeof value === 'string' ? value : 'other';
}

type Sent = [handler: string, ...input: unknown[]];

const ANSWERS: Record<string, (big: unknown) => unknown> = {
  'a gate': big => ({ gateId: big, decision: 'approve' }),
  'a kind': big => ({ gateId: 'approval', kind: big }),
  'a decision': big => ({ gateId: 'approval', decision: big }),
  'a reason': big => ({ gateId: 'agent', decision: 'deny', reason: big }),
  arguments: big => ({ gateId: 'approval', decision: 'approve', arguments: { a: big, [nameOf(big)]: big } }),
  'an answer': big => ({ gateId: 'question', text: big }),
  'a budget': big => ({ gateId: 'budget', decision: 'raise', to: big }),
  'a model': big => ({ gateId: 'failure', decision: 'other_model', model: big }),
  'a form': big => ({ gateId: 'form', decision: 'accept', content: { a: big, [nameOf(big)]: big } }),
  'a plan refused': big => ({ gateId: 'plan', decision: 'reject', reason: big }),
  'a plan': big => ({ gateId: 'plan', decision: 'edit', tasks: [{ id: big, description: big }] }),
  'what it needs': big => ({ gateId: 'plan', decision: 'edit', tasks: needy(big) }),
};

/** Tasks that need what is not there, or each other. */
function needy(big: unknown): unknown[] {
  const ids: unknown[] = Array.isArray(big) ? big.slice(0, 250) : [big];
  return ids.map((id, at) => ({
    id,
    description: 'd',
    dependencies: [ids.at(at - 1), ...ids],
    priority: id,
  }));
}

/** `big` in each position of what each handler takes. */
const INPUTS: Record<string, (big: unknown) => Sent[]> = {
  'anything at all': big =>
    [
      'steer',
      'followUp',
      'componentAction',
      'pause',
      'resume',
      'stop',
      'finish',
      'answer',
      'caller',
      'subagent',
      'form',
      'answerGate',
    ]
      .concat([
        'submitToolResult',
        'editPlan',
        'withdraw',
        'setBudget',
        'setModel',
        'join',
        'note',
        'state',
        'events',
        '',
      ])
      .concat(['modelRequest', 'toolRequest', 'formAnswer', 'transcript', 'trace', 'keepPage', 'messages'])
      .map(handler => [handler, big]),
  answers: big =>
    Object.values(ANSWERS).flatMap(answer => [
      ['answerGate', answer(big)],
      ['answer', answer(big)],
    ]),
  results: big => [
    ['submitToolResult', { gateId: big, content: 'a' }],
    ['submitToolResult', { callId: big, content: 'a' }],
    ['submitToolResult', { gateId: 'clientTool', content: big, isError: big }],
    ['submitToolResult', { gateId: 'clientTool', content: big }],
    ['claimToolCall', { gateId: big, by: big, takeOver: big }],
    ['claimToolCall', { gateId: 'clientTool', by: big }],
  ],
  notes: big => [
    ['note', { type: big, text: 'a' }],
    ['note', { type: 'CONTEXT_NOTE', text: big }],
  ],
  starts: big => [
    ['join', { id: big, text: big }],
    ['join', { id: 'a', text: big }],
  ],
  plans: big => [
    ['editPlan', { tasks: big }],
    ['editPlan', { tasks: needy(big) }],
    ['editPlan', { tasks: [{ id: 'a', description: 'd', dependencies: big }] }],
    [
      'editPlan',
      { tasks: [{ id: 'a', description: big, requiredCapabilities: big, completionCriteria: big }] },
    ],
    [
      'editPlan',
      {
        tasks: [
          { id: big, description: big },
          { id: big, description: big },
        ],
      },
    ],
  ],
  settings: big => [
    ['withdraw', { id: big }],
    ['setBudget', { [nameOf(big)]: 1 }],
    ['setBudget', { tokens: big }],
    ['setModel', { model: big }],
    ['setModel', { model: 'p/a', role: big }],
  ],
  messages: big => [
    ['steer', { id: big, text: 'a' }],
    ['steer', { id: 'a', text: big }],
    ['steer', { id: 'b', text: 'a', when: big }],
    ['steer', { id: 'c', text: 'a', to: big }],
    ['steer', { id: 'd', text: big, to: 'search/1' }],
    ['followUp', { id: big, text: big }],
    ['followUp', { id: 'e', text: big }],
    ['componentAction', { id: big, action: 'open', label: 'Open', data: big }],
    ['componentAction', { id: 'f', action: big, label: 'Open', data: {} }],
    ['componentAction', { id: 'g', action: 'open', label: big, data: {} }],
    ['componentAction', { id: 'h', action: 'open', label: 'Open', data: big }],
    ['pause', { reason: big }],
    ['resume', { reason: big }],
    ['stop', { reason: big }],
  ],
  agents: big => [
    ['subagent', { id: big, run: big, type: 'gate_closed', gateId: big, by: 'person', decision: big }],
    ...[
      ...[{ type: 'gate_closed', gateId: 'g1', by: 'person', decision: big }],
      ...[{ type: 'answer_refused', gateId: 'g1', why: big }],
      ...[{ type: 'answer_refused', gateId: big, why: big }],
      ...[{ type: 'message_read', messageId: big, by: big }],
      ...[{ type: 'message_withdrawn', messageId: big }],
      ...[{ type: 'paused', by: big }],
      ...[{ type: 'model_out', model: big, failure: big }],
      ...[{ type: 'model_back', model: big }],
      ...[{ type: 'not_taken', what: big, why: big, by: '' }],
      {
        type: 'message_refused',
        why: big,
        item: { id: big, text: big, kind: 'steer', when: 'skip', to: null, at: 0 },
      },
      {
        type: 'cancelled',
        rest: {
          usage: NO_USAGE,
          usageBy: [{ role: big, model: big, calls: 1 }],
          turns: 0,
          failedCalls: 0,
          unread: [],
        },
      },
      ...[{ id: big }, { title: big }, { body: big }, { from: { agent: big, run: big } }].map(part => ({
        type: 'gate_opened',
        gate: {
          id: 'g2',
          kind: 'question',
          title: 't',
          body: 'b',
          openedAt: 0,
          deadline: null,
          subject: { role: big },
          ...part,
        },
      })),
    ].map((message): Sent => ['subagent', { ...message, id: 'search/1', run: 'r' }]),
  ],
  apps: big => [
    ['callTool', big],
    ['callTool', { of: big, tool: 'put' }],
    ['callTool', { of: 'c1', tool: big }],
    ['callTool', { of: 'c1', tool: 'put', arguments: big }],
    ['callTool', { of: 'c1', tool: 'put', arguments: { [nameOf(big)]: big } }],
  ],
  callers: big => [
    ['caller', { type: big }],
    ['caller', { type: 'limits', limits: { tokens: big, [nameOf(big)]: 1 } }],
    ['caller', { type: 'model_chosen', model: 'p/a', role: big }],
    ['caller', { type: 'model_chosen', model: big, role: null }],
    ['caller', { type: 'models_out', out: { [nameOf(big)]: big } }],
    ['caller', { type: 'models_out', out: big }],
    ['caller', { type: 'withdraw', messageId: big }],
  ],
  forms: big => [
    ['form', { callId: big, attempt: 1, id: big, question: null }],
    ['form', { callId: 'c1_1', attempt: 1, id: 'f1', question: { message: big, schema: SCHEMA } }],
    [
      'form',
      { callId: 'c1_1', attempt: 1, id: 'f2', question: { message: 'm', schema: { properties: big } } },
    ],
  ],
  queries: big => [
    ['modelRequest', big, { from: big, headKey: big }],
    ['toolRequest', big],
    ['transcript', big, big],
  ],
};

function tellable(error: unknown): void {
  const isTold = isRecord(error) && (error.type === 'run.refused' || error.type === 'run.not_found');
  if (!isTold || !(error instanceof Error)) throw error;
  expect(jsonBytes(error.message)).toBeLessThanOrEqual(TOLD_BYTES);
}

/** Sends it as Temporal does, and holds what comes back, what others are told, and what is kept. */
function send([name, ...input]: Sent): void {
  const { run, told } = busyRun();
  const { state } = run;
  const { lastSeq } = state.log.journal;
  const handler = handlers(run).get(name);
  if (!handler) throw new Error(`there is no handler ${name}`);
  const given = name === '' ? [nameOf(input[0]), ...input] : input;
  try {
    handler.validate(...given);
    const result = handler.handle(...given);
    expect(jsonBytes(result)).toBeLessThanOrEqual(PAYLOAD_BYTES / 2);
  } catch (error) {
    expect(handler.kind).not.toBe('signal');
    tellable(error);
  }
  for (const message of told) expect(jsonBytes(message)).toBeLessThanOrEqual(INPUT_BYTES);
  expect(state.log.journal.lastSeq - lastSeq).toBeLessThanOrEqual(20);
  for (const event of state.log.journal.events) {
    expect(jsonBytes(event)).toBeLessThanOrEqual(EVENT_BYTES);
    if (event.type === 'signal_ignored' || event.type === 'receipt')
      expect(jsonBytes(event)).toBeLessThanOrEqual(TOLD_BYTES + 2_500);
  }
  const sizes = partBytes(state);
  for (const [part, bytes] of Object.entries(sizes))
    expect([part, bytes <= BOUNDS[part as keyof typeof sizes]]).toEqual([part, true]);
}

/** Characters by the bytes that they take as JSON: 1, 3, 6, 2, 4, 6 for half a pair; and a blank. */
const UNITS = ['w', '帆', '\u0001', '"', '😀', '\ud800', ' ', '`'] as const;

function nested(depth: number, make: (inner: unknown) => unknown): unknown {
  let value: unknown = 'x';
  for (let level = 0; level < depth; level += 1) value = make(value);
  return value;
}

const each = (count: number, make: (at: number) => unknown) =>
  Array.from({ length: count }, (_, at) => make(at));

/** Values by how large they are. */
const BIG: Record<string, (count: number, unit: string) => unknown> = {
  'a text': (count, unit) => unit.repeat(count),
  'names in a list': (count, unit) => each(count, at => `${unit}${at}`),
  'long names in a list': (count, unit) => each(Math.ceil(count / 200), at => `${at}${unit.repeat(400)}`),
  'the same in a list': (count, unit) => each(count, () => unit),
  'objects in a list': count => each(count, () => ({})),
  'an object of many members': (count, unit) =>
    Object.fromEntries(each(count, at => [`${unit}${at}`, at]) as []),
  'lists in each other': count => nested(count, inner => [inner]),
  'objects in each other': count => nested(count, inner => ({ a: inner })),
  'no text by itself': () => ({ toString: 1, valueOf: 1 }),
  'a number': count => count * 1e300,
  nothing: () => null,
};

const big = fc.tuple(
  fc.constantFrom(...Object.keys(BIG)),
  fc.constantFrom(1, 60, 3_000, 60_000, 300_000),
  fc.constantFrom(...UNITS),
);

function bigOf([kind, count, unit]: [string, number, string]): unknown {
  return BIG[kind]?.(count, unit);
}

describe('what is far too large', () => {
  test('every handler that a run has → is sent it', () => {
    const known = new Set(Object.values(INPUTS).flatMap(make => make('a').map(([name]) => name)));
    expect([...known].sort()).toEqual([...handlers(busyRun().run).keys()].sort());
  });

  test('an answer from the caller: the id of a gate of 1.5 MB → told to nobody (ST4)', () => {
    const { run, told } = busyRun();
    handlers(run)
      .get('answer')
      ?.handle({ gateId: 'a'.repeat(1_500_000), decision: 'approve' });
    expect(told).toEqual([]);
  });

  test('an answer from the caller: one that does not fit → told to the caller, which opens the gate again (A7)', () => {
    const { run, told } = busyRun();
    handlers(run).get('answer')?.handle({ gateId: 'approval', decision: 'perhaps' });
    expect(told).toEqual([
      { type: 'answer_refused', gateId: 'approval', why: expect.stringContaining('perhaps') },
    ]);
  });

  test('editPlan: 1.4 MB of tasks that need what is not there → refused by its size, in a sentence (ST4)', () => {
    const dependencies = Array.from({ length: 700 }, (_, n) => `u${n}`);
    const tasks = Array.from({ length: 200 }, (_, n) => ({ id: `t${n}`, description: 'd', dependencies }));
    const refused = () => handlers(busyRun().run).get('editPlan')?.validate({ tasks });
    expect(refused).toThrow(/^The input has \d+ bytes, and at most \d+ are taken/);
  });

  test('any handler, any position in what it takes → what comes back, what others are told and what is kept stay within their bounds (ST4)', () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(INPUTS)), big, fc.nat(), (kind, value, which) => {
        const all = INPUTS[kind]?.(bigOf(value)) ?? [];
        const one = all[which % all.length];
        if (one) send(one);
      }),
      { numRuns: propertyRuns(150), endOnFailure: true },
    );
  });

  test('every handler, every position: nested without end → refused or ignored, never a failure (ST4)', () => {
    const deep = BIG['objects in each other']?.(300_000, '');
    for (const make of Object.values(INPUTS)) for (const one of make(deep)) send(one);
  });

  test('a start: any position in it → refused in sentences of bounded length, or read (ST5)', () => {
    const positions = [
      (value: unknown) => value,
      (value: unknown) => ({ goal: value, [nameOf(value)]: 1, settings: value }),
      ...[
        'mode',
        'role',
        'workspace',
        'model',
        'limits',
        'context',
        'allowTools',
        'clientTools',
        'other',
      ].map(name => (value: unknown) => ({
        goal: 'g',
        settings: { mode: 'team', role: 'a', approvePlan: true, onStepFailure: 'ask', [name]: value },
      })),
    ];
    fc.assert(
      fc.property(fc.nat(positions.length - 1), big, (at, value) => {
        const read = readStart(positions[at]?.(bigOf(value)));
        if (!read.ok) expect(jsonBytes(read.errors.join(' '))).toBeLessThanOrEqual(TOLD_BYTES);
      }),
      { numRuns: propertyRuns(100), endOnFailure: true },
    );
  });
});
