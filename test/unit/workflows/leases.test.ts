import { expect, test } from 'vitest';
import { type CreditTerms, chargedSoFar, newCharged } from '../../../src/features/credits/rules.js';
import type { AgentEnd, AgentReport } from '../../../src/run/agents/children.js';
import type { PinnedRun } from '../../../src/run/agents/run-config.js';
import { DEFAULT_LIMITS } from '../../../src/run/limits/limits.js';
import { NO_USAGE } from '../../../src/run/messages/message.js';
import { newBranch } from '../../../src/run/state/cursor.js';
import { ledgerKey, validResults } from '../../../src/run/tools/ledger.js';
import { onBranch } from '../../../src/workflows/run/branch-line.js';
import type { ChildStart } from '../../../src/workflows/run/ports.js';
import { type Run, Yielded } from '../../../src/workflows/run/run.js';
import { callSubagent } from '../../../src/workflows/turn/tools/call-subagent.js';
import { runAtCalls, testRole } from '../../support/small-run.js';

const AGENTS = [{ name: 'search', description: '', requires: [] }];
const REPORT: AgentReport = {
  ...{ outcome: 'answered', cause: 'direct_answer', answer: 'Found.' },
  ...{ usage: NO_USAGE, usageBy: [], turns: 0, failedCalls: 0, unread: [], effects: [] },
};
const CANCELLED: AgentEnd = { kind: 'cancelled' };
const limits = { ...DEFAULT_LIMITS, tokens: 1_000, turns: 9, costUsd: 1 };

/** A run with tasks side by side, and agents of theirs that go on until they are ended. */
function sideBySide(tasks: number, pinned: Partial<PinnedRun> = {}) {
  const started: { child: ChildStart; end: (end: AgentEnd) => void }[] = [];
  const { run } = runAtCalls([], {
    pinned: {
      roles: { executor: testRole('executor', { agents: ['search'] }) },
      agents: AGENTS,
      limits,
      ...pinned,
    },
    ports: { callSubagent: child => new Promise(end => started.push({ child, end })) },
  });
  run.state.goal.usage = { ...run.state.goal.usage, costUsd: 0 };
  const { cursor } = run.state;
  cursor.branches = Array.from({ length: tasks }, (_, index) => newBranch(`task-${index}`, 1));
  const lines = cursor.branches.map(branch => onBranch(run, branch));
  return { lines, started };
}

function delegate(run: Run, calls = 1) {
  run.line.tools.inFlight = Array.from({ length: calls }, (_, index) => ({ callId: `c${index}`, index }));
  return Array.from({ length: calls }, () =>
    callSubagent(run, {
      role: 'executor',
      callId: 'c0',
      toolUseId: 't0',
      input: { agent_name: 'search', instruction: 'Look.' },
      options: { summary: '', timeoutMs: 1, attempts: 1, interruptible: true },
    }),
  );
}

test('sub-agents of tasks side by side, one begun after the other → together they get what the goal has left, and no more (A1, C21)', async () => {
  const { lines, started } = sideBySide(3);
  for (const line of lines) delegate(line, 2);
  const given = started.map(({ child }) => child.settings.limits);
  const sum = (kind: 'tokens' | 'turns' | 'costUsd') =>
    given.reduce((all, lease) => all + (lease?.[kind] ?? 0), 0);
  expect(started.length).toBe(6);
  expect(sum('tokens')).toBeLessThanOrEqual(1_000);
  expect(sum('turns')).toBeLessThanOrEqual(9);
  expect(sum('costUsd')).toBeLessThanOrEqual(1.000_001);
  // A task that calls later has its share still.
  for (const lease of given) expect(lease?.tokens).toBeGreaterThanOrEqual(50);
});

test('more sub-agents at once than replies are left → those that it is enough for begin, the others are told why (A1)', async () => {
  const { lines, started } = sideBySide(1);
  const [line] = lines;
  if (!line) throw new Error('no task');
  line.state.goal.counters = { ...line.state.goal.counters, turns: 7 };
  const results = delegate(line, 4);
  expect(started.map(({ child }) => child.settings.limits?.turns)).toEqual([1, 1]);
  expect(await results.at(-1)).toMatchObject({
    value: { isError: true, note: expect.stringContaining('turns') },
  });
});

test('a task beside one whose sub-agent may use all that is left → it waits for what comes of that, and has the rest then (A1, C21)', async () => {
  const { lines, started } = sideBySide(2);
  const [one, other] = lines;
  if (!one || !other) throw new Error('no tasks');
  const [first] = delegate(one);
  // Half of it is its own.
  expect(() => other.line.giveWay()).not.toThrow();
  delegate(other);
  started[0]?.end(CANCELLED);
  await first;
  expect(() => one.line.giveWay()).not.toThrow();
  delegate(one);
  one.line.tools.inFlight = [];
  expect(() => one.line.giveWay()).toThrow(Yielded);
  started[1]?.end(CANCELLED);
  started[2]?.end(CANCELLED);
  await new Promise(setImmediate);
  expect(() => one.line.giveWay()).not.toThrow();
});

test('a sub-agent called beside a model call of another task → that call has its turn, also where it is the last (A1, C21)', async () => {
  const { lines, started } = sideBySide(2);
  const [one, other] = lines;
  if (!one || !other) throw new Error('no tasks');
  one.state.goal.counters = { ...one.state.goal.counters, turns: 7 };
  other.memory.calls.add({ kind: 'model', role: 'executor', interruptible: true });
  delegate(one);
  expect(started.map(({ child }) => child.settings.limits?.turns)).toEqual([1]);
  const [refused] = delegate(one);
  expect(await refused).toMatchObject({ value: { isError: true, note: expect.stringContaining('turns') } });
});

test('an agent has worked → what was read before it is read anew, for it may have changed that (A1, D5)', async () => {
  const { lines, started } = sideBySide(1);
  const [line] = lines;
  if (!line) throw new Error('no task');
  const { ledger } = line.state.tools;
  const result = { ending: 'executed' as const, isError: false, complete: true, isStub: false };
  ledger.entries[ledgerKey('read_file', { path: 'a.txt' })] = {
    ...{ toolUseId: 'c9', tool: 'read_file', messageId: 'm9', paths: null },
    ...result,
  };
  const held = () => validResults(ledger, 9);
  expect(held()).toContain('a.txt');
  const [call] = delegate(line);
  started[0]?.end(CANCELLED);
  await call;
  expect(held()).toBe('');
});

const TERMS: CreditTerms = {
  account: 'ann',
  ...{ perUsd: 10, perTurn: 1, perThousandTokens: 0, tokensPerDay: null, runsAtOnce: null },
  ...{ balance: 4, dayTokens: 0 },
};

test('sub-agents of a run with an account → together they have what it pays for, also when one has ended; with nothing left none begins (A1, E7)', async () => {
  const { lines, started } = sideBySide(1, { credits: TERMS, limits: { ...limits, costUsd: null } });
  const [line] = lines;
  if (!line) throw new Error('no task');
  const told: unknown[] = [];
  line.ports.tellSubagent = (_id, message) => told.push(message);
  chargedSoFar.set(line.state, newCharged(TERMS));
  const [first] = delegate(line, 2);
  const given = started.map(({ child }) => child.settings.limits);
  expect(given).toMatchObject([
    { turns: 2, costUsd: 0.2 },
    { turns: 2, costUsd: 0.2 },
  ]);
  started[0]?.end({ kind: 'ended', report: { ...REPORT, turns: 1, usage: { ...NO_USAGE, costUsd: 0.1 } } });
  await first;
  expect(told).toEqual([]);
  chargedSoFar.set(line.state, { ...newCharged(TERMS), balance: 0 });
  const [refused] = delegate(line);
  expect(await refused).toMatchObject({ value: { isError: true, note: expect.stringContaining('turns') } });
});
