/** Tools that the client runs: one after the other, and what is known of one whose result does not come. */
import { expect, test } from 'vitest';
import type { ToolPolicy } from '../../../src/run/tools/tool.js';
import { requestStop, takeClaim } from '../../../src/workflows/inbox/inbox-handlers.js';
import { claimReader } from '../../../src/workflows/inbox/read-input.js';
import type { Ports } from '../../../src/workflows/run/ports.js';
import type { Run } from '../../../src/workflows/run/run.js';
import { supersedeCalls } from '../../../src/workflows/turn/tools/finish-call.js';
import { runNextCalls } from '../../../src/workflows/turn/tools/run-tools.js';
import { answer, fileTool, runAtCalls, type SmallRun } from '../../support/small-run.js';

const shop = { ...fileTool('shop'), origin: { type: 'client' as const } };
const inShop = (n: number) => ({ name: 'shop', input: { n } });
const atShop = (calls: Parameters<typeof runAtCalls>[0], policy: Partial<ToolPolicy> = {}) => {
  const tool = { ...shop, policy: { ...shop.policy, ...policy } };
  return runAtCalls(calls, { pinned: { tools: [tool, fileTool('put')] } });
};

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate);
}

async function workOff({ run }: SmallRun): Promise<void> {
  const { turns } = run.state.cursor.position;
  while (turns.batch) await runNextCalls(run, turns.batch);
}

/** Does it when the gate is open. */
async function whenAsked(small: SmallRun, act: (run: Run) => void): Promise<void> {
  const working = workOff(small);
  await until(() => small.run.state.people.gates.length > 0);
  act(small.run);
  await working;
}

test('client tools: after a call that asks, and beside each other → the gate of each opens when the call before has its result (T11)', async () => {
  const small = atShop([{ name: 'put', input: { path: 'a' } }, inShop(1), inShop(2)]);
  const working = workOff(small);
  const { state } = small.run;
  const seen: string[][] = [];
  while (seen.length < 3) {
    await until(() => state.people.gates.some(({ answer }) => answer === null));
    seen.push(state.people.gates.map(({ key }) => key));
    const gateId = state.people.gates[0]?.gate.id;
    if (seen.length === 1) answer(small.run, { gateId, decision: 'approve' });
    else answer(small.run, { gateId, content: 'sold' }, 'submitToolResult');
  }
  await working;
  expect(seen).toEqual([['approval:t1'], ['client:t2'], ['client:t3']]);
  expect(small.results().map(result => result.ending)).toEqual(['executed', 'executed', 'executed']);
});

test('client tools: a later call asks a person meanwhile → a result is taken as large as any (T11)', async () => {
  const small = atShop([inShop(1), { name: 'put', input: { path: 'a' } }]);
  const working = workOff(small);
  const { state } = small.run;
  await until(() => state.people.gates.length === 2);
  answer(small.run, { callId: 't1', content: 'x'.repeat(40_000) }, 'submitToolResult');
  await until(() => state.people.gates.length === 1);
  answer(small.run, { gateId: state.people.gates[0]?.gate.id, decision: 'approve' });
  await working;
  expect(small.results().map(result => result.ending)).toEqual(['executed', 'executed']);
});

test.each([
  ['may change things', 'outcome_unknown', {}],
  ['only reads', 'cancelled', { readOnly: true }],
])(
  'client tools: a message comes while the gate of one that %s is open → its end is %s, and the next is not run (T11)',
  async (_, ending, policy) => {
    const small = atShop([inShop(1), inShop(2)], policy);
    const { batch } = small.run.state.cursor.position.turns;
    void runNextCalls(small.run, batch as NonNullable<typeof batch>);
    await until(() => small.run.state.people.gates.length > 0);
    supersedeCalls(small.run, batch as NonNullable<typeof batch>);
    const [first, second] = small.results();
    expect(first?.ending).toBe(ending);
    expect(second).toMatchObject({ ending: 'skipped', note: expect.stringContaining('Not run') });
  },
);

test('client tools: a stop while the gate is open → it may have taken effect, and the next is not run (T11)', async () => {
  const small = atShop([inShop(1), inShop(2)]);
  await whenAsked(small, run => requestStop(run, null));
  expect(small.results().map(result => result.ending)).toEqual(['outcome_unknown', 'cancelled']);
});

test('client tools: nobody gives a result in time → it may have taken effect (T11)', async () => {
  let now = 1_000;
  const wait: Ports['wait'] = async () => {
    now += 100_000;
  };
  const small = runAtCalls([inShop(1)], { pinned: { tools: [shop] }, ports: { now: () => now, wait } });
  await workOff(small);
  expect(small.results()).toMatchObject([
    { ending: 'outcome_unknown', isError: true, note: expect.stringContaining('may or may not') },
  ]);
});

test('client tools: one that a client claimed → another is refused; it is gone, and one comes in its place → it may have taken effect (T11)', async () => {
  const small = atShop([inShop(1)]);
  const claims: unknown[] = [];
  await whenAsked(small, ({ state }) => {
    const gateId = state.people.gates[0]?.gate.id;
    for (const claim of [{ by: 'a' }, { by: 'a' }, { by: 'b' }, { by: 'b', takeOver: true }, { by: 'c' }]) {
      const read = claimReader(state)({ gateId, ...claim });
      claims.push('ok' in read ? takeClaim(small.run, read.ok) : read.error);
    }
  });
  expect(claims).toEqual([
    { run: true },
    { run: true },
    expect.stringContaining('a has begun shop'),
    { run: false },
    expect.stringContaining('No call'),
  ]);
  expect(small.results().map(result => result.ending)).toEqual(['outcome_unknown']);
});

test('client tools: one that may be called twice is claimed, and its client is gone → the next one runs it (T11)', async () => {
  const small = atShop([inShop(1)], { idempotent: true });
  await whenAsked(small, ({ state }) => {
    const gateId = state.people.gates[0]?.gate.id ?? '';
    for (const claim of [{ by: 'a' }, { by: 'b', takeOver: true }]) {
      const read = claimReader(state)({ gateId, ...claim });
      expect('ok' in read && takeClaim(small.run, read.ok)).toEqual({ run: true });
    }
    expect(state.people.gates[0]?.gate.subject).toMatchObject({ claimedBy: 'b' });
    answer(small.run, { gateId, content: 'sold' }, 'submitToolResult');
  });
  expect(small.results().map(result => result.ending)).toEqual(['executed']);
});
