/** A run as the page has it, from frames and from what it reads on demand. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { noteState } from '../../../../packages/console/page/ask.js';
import { RunModel } from '../../../../packages/console/page/run-model.js';
import { phaseOf } from '../../../../packages/view/index.js';
import type { RunEvent } from '../../../../src/client/index.js';
import { NO_USAGE } from '../../../../src/run/messages/message.js';
import { approvalGate, eventItem, gateOpened, lookOf, warning } from '../../../support/fake-runs.js';

function model() {
  vi.stubGlobal('document', { hidden: true });
  onTestFinished(() => void vi.unstubAllGlobals());
  const run = new RunModel('run-1');
  const takes = (...events: RunEvent[]) => {
    for (const event of events) run.take({ type: 'event', run: 'run-1', event });
  };
  const caughtUp = (from: number) => run.take({ type: 'caught_up', run: 'run-1', from });
  const seqs = () => run.events.map(({ seq }) => seq);
  return { run, takes, caughtUp, seqs };
}

/** What the console has of the run, five events a page. */
function serves(events: readonly number[]): void {
  noteState('live');
  vi.stubGlobal('fetch', async (path: string) => {
    const since = Number(new URL(path, 'http://here').searchParams.get('since'));
    const page = events.filter(seq => seq > since).slice(0, 5);
    return Response.json(page.map(seq => warning(seq)));
  });
}

test('run model: events that come twice → are there once, a sub-agent by its own count', () => {
  const { takes, seqs } = model();
  const ofAgent = { ...warning(1), path: 'search/1' } as RunEvent;
  takes(warning(1), ofAgent, warning(2), warning(1), ofAgent, warning(2), warning(3));
  expect(seqs()).toEqual([1, 1, 2, 3]);
});

test('run model: more has happened while it was away than the console keeps at hand → no gap: earlier ones are read on demand', async () => {
  const { run, takes, caughtUp, seqs } = model();
  takes(warning(1), warning(2));
  caughtUp(1);
  takes(warning(9), warning(10));
  caughtUp(9);
  expect([seqs(), run.from]).toEqual([[9, 10], 9]);
  serves([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  await run.readEarlier();
  expect([seqs(), run.from]).toEqual([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 1]);
});

test('run model: a run that goes on and on → the page keeps its last events; earlier ones are read on demand, and stay', async () => {
  const { run, takes, caughtUp, seqs } = model();
  caughtUp(1);
  for (let seq = 1; seq <= 20_001; seq += 1) takes(warning(seq));
  expect([seqs().length, seqs().at(-1), run.from]).toEqual([10_000, 20_001, 10_002]);
  expect(run.fold.items).toHaveLength(10_000);
  serves(Array.from({ length: 20_001 }, (_, at) => at + 1));
  await run.readEarlier();
  takes(warning(20_002));
  expect([seqs()[0], seqs().length]).toEqual([9_502, 10_501]);
});

test('run model: a run that has ended, whose state comes before its events → what it used counts once', () => {
  const { run, takes, caughtUp } = model();
  const usage = { ...NO_USAGE, inputTokens: 100 };
  const snapshot = lookOf({ phase: 'ended', usage, lastEventSeq: 2 });
  run.take({ type: 'snapshot', run: 'run-1', snapshot });
  takes(eventItem(1, 'model_call_ended', { callId: 'c1', usage } as never), warning(2));
  caughtUp(1);
  expect(run.progress.usage.inputTokens).toBe(100);
});

const [FIRST, SECOND] = [approvalGate('g1'), approvalGate('g2')];
const began = eventItem(1, 'phase_started', { phase: 'execution', cycle: 1 });
const closed = (seq: number, gateId: string) =>
  eventItem(seq, 'gate_closed', { gateId, kind: 'approval', by: 'person', decision: 'approve' });
const answered = eventItem(4, 'goal_ended', {
  ...{ number: 1, outcome: 'answered', cause: 'direct_answer', answer: 'Yes.' },
});

test.each<[what: string, gates: string[], events: RunEvent[], phase: string]>([
  ['its gate is open', ['g1'], [began, gateOpened(2, FIRST)], 'waiting'],
  ['its gate was closed', ['g1'], [began, gateOpened(2, FIRST), closed(3, 'g1')], 'execution'],
  ['one of its gates was closed', ['g1', 'g2'], [began, gateOpened(2, FIRST), closed(3, 'g1')], 'waiting'],
  [
    'its gate was closed, and another one opened',
    ['g1'],
    [began, gateOpened(2, FIRST), closed(3, 'g1'), gateOpened(4, SECOND)],
    'waiting',
  ],
  [
    'its gate was closed, and it has answered',
    ['g1'],
    [gateOpened(2, FIRST), closed(3, 'g1'), answered],
    'idle',
  ],
  ['its gates are unknown, since no worker answers', [], [began], 'waiting'],
])('run model: since the state of a waiting run %s (%j) → its head follows', (_what, ids, events, phase) => {
  const { run, takes } = model();
  const gates = ids.map(id => approvalGate(id));
  run.take({ type: 'snapshot', run: 'run-1', snapshot: lookOf({ phase: 'waiting', gates }) });
  takes(...events);
  expect(phaseOf(run)).toBe(phase);
});
