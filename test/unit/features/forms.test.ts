import { expect, test } from 'vitest';
import type { CallToolInput, CallToolResult } from '../../../src/activities/types.js';
import { formAnswer, hearForm } from '../../../src/features/forms/feature.js';
import type { RunSettings } from '../../../src/run/agents/run-config.js';
import type { CallOptions } from '../../../src/workflows/run/ports.js';
import type { Run } from '../../../src/workflows/run/run.js';
import { runNextCalls } from '../../../src/workflows/turn/tools/run-tools.js';
import { answer, fileTool, runAtCalls } from '../../support/small-run.js';

const SCHEMA = {
  type: 'object',
  properties: { size: { type: 'integer', title: 'Size', minimum: 1 }, gift: { type: 'boolean' } },
  required: ['size'],
};
const asks = (more: object = {}) => ({
  callId: 'c2',
  attempt: 1,
  id: '1',
  question: { message: 'Which size?\n```\n**Approve all** is safe.', schema: SCHEMA },
  ...more,
});

/** Runs a call of `put`, during which the test acts. */
async function during(
  act: (run: Run, given: { input: CallToolInput; options: CallOptions }) => void,
  settings: Partial<RunSettings> = {},
) {
  let clock = 1_000;
  const executed: CallToolResult = { ending: 'executed', content: [], isError: false, durationMs: 1 };
  const { run } = runAtCalls([{ name: 'put', input: {} }], {
    pinned: { tools: [fileTool('put')] },
    settings: { autoApprove: true, attended: true, ...settings },
    ports: {
      now: () => (clock += 10),
      callTool: async (input, options) => {
        act(run, { input, options });
        return { ok: true, value: executed };
      },
    },
  });
  const { batch } = run.state.cursor.position.turns;
  if (batch) await runNextCalls(run, batch);
  const closed = run.state.log.journal.events.filter(({ type }) => type === 'gate_closed');
  return { run, closed };
}

const heldOf = ({ memory: { features } }: Run) => (features.get('forms') as Map<string, unknown>).size;
const gatesOf = ({ state }: Run) => state.people.gates.map(({ gate }) => gate);

test('form: a server asks during a call → a gate with its words as its own; the answer closes it, and is the form’s (T20)', async () => {
  const { run, closed } = await during(run => {
    hearForm(run, asks());
    const [gate] = gatesOf(run);
    expect(gate).toMatchObject({ kind: 'form', title: 'The tool server files asks you' });
    expect(gate?.body).toContain(
      '````\nWhich size?\n```\n**Approve all** is safe.\n- size (integer): Size\n',
    );
    expect(gate?.body).toContain('- gift (boolean, optional)');
    expect(formAnswer(run, 'c2:1:1')).toBeNull();
    expect(run.state.goal.waitingSince).not.toBeNull();
    expect(() => answer(run, { gateId: gate?.id, decision: 'accept', content: { size: 'XL' } })).toThrow(
      /size/,
    );
    answer(run, { gateId: gate?.id, decision: 'accept', content: { size: 4 } });
    expect(run.state.goal.waitingSince).toBeNull();
    expect(formAnswer(run, 'c2:1:1')).toEqual({ kind: 'form', decision: 'accept', content: { size: 4 } });
    expect(gatesOf(run)).toEqual([]);
    expect(run.state.goal.waitingSince).toBeNull();
  });
  expect(closed).toMatchObject([{ kind: 'form', by: 'person', decision: 'accept' }]);
  expect(run.state.goal.waitedMs).toBeGreaterThan(0);
  expect(heldOf(run)).toBe(0);
});

test.each<[string, (run: Run) => void, object]>([
  ['the call ends', () => {}, { by: 'superseded' }],
  ['the server asks no more', run => hearForm(run, asks({ question: null })), { by: 'superseded' }],
  ['its time is over', run => hearForm(run, asks({ question: null, by: 'timeout' })), { by: 'timeout' }],
])(
  'form: %s, and nobody has answered → the gate is closed, and the goal’s time goes on',
  async (_, act, end) => {
    const { run, closed } = await during(run => {
      hearForm(run, asks());
      act(run);
    });
    expect(closed).toMatchObject([end]);
    expect([gatesOf(run), heldOf(run), run.state.goal.waitingSince]).toEqual([[], 0, null]);
  },
);

test('form: a later try of the call asks → what the try before it asked is closed', async () => {
  await during(run => {
    hearForm(run, asks());
    hearForm(run, asks({ attempt: 2 }));
    expect(gatesOf(run)).toHaveLength(1);
    expect([formAnswer(run, 'c2:1:1'), formAnswer(run, 'c2:2:1')]).toEqual([
      { kind: 'form', decision: 'cancel' },
      null,
    ]);
  });
});

test('form: a stop comes while it is open → cancelled', async () => {
  await during(run => {
    hearForm(run, asks());
    run.state.people.stop = { at: 1, reason: '' };
    expect(formAnswer(run, 'c2:1:1')).toEqual({ kind: 'form', decision: 'cancel' });
  });
});

test.each<[string, unknown]>([
  ['of no call that runs', asks({ callId: 'c99' })],
  ['with a schema of 10 KB', asks({ question: { message: '', schema: { title: 'x'.repeat(10_000) } } })],
  ['with a long id', asks({ id: '1'.repeat(101) })],
  ['without words', asks({ question: { message: 1, schema: SCHEMA } })],
  ['that nests deeply', asks({ more: JSON.parse('['.repeat(200) + ']'.repeat(200)) })],
  ['that is none', { callId: 'c2' }],
  ['that is no object', 'ask'],
])('form: one %s → ignored, and cancelled where it is asked for', async (_, message) => {
  await during(run => {
    hearForm(run, message);
    expect(gatesOf(run)).toEqual([]);
    expect(run.state.log.journal.events.at(-1)).toMatchObject({ type: 'signal_ignored', signal: 'form' });
    expect(formAnswer(run, 'c2:1:1')).toEqual({ kind: 'form', decision: 'cancel' });
  });
});

test.each([
  [true, 60_000, 150_000],
  [false, undefined, 90_000],
])(
  'form: somebody attends: %s → a person may be waited for %s ms',
  async (attended, asksForMs, timeoutMs) => {
    await during(
      (run, { input, options }) => {
        expect([input.asksForMs, options.timeoutMs]).toEqual([asksForMs, timeoutMs]);
        hearForm(run, asks());
        if (!attended) expect(formAnswer(run, 'c2:1:1')).toEqual({ kind: 'form', decision: 'decline' });
      },
      { attended },
    );
  },
);
