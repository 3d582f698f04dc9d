import { expect, test } from 'vitest';
import { hearForm } from '../../../src/features/forms/feature.js';
import { withChild } from '../../../src/run/agents/children.js';
import type { Gate } from '../../../src/run/gates/gate.js';
import { hearAgent } from '../../../src/workflows/agents/agents.js';
import { closeGates, showGate } from '../../../src/workflows/run/gates.js';
import type { Run } from '../../../src/workflows/run/run.js';
import { runNextCalls } from '../../../src/workflows/turn/tools/run-tools.js';
import { fileTool, runAtCalls } from '../../support/small-run.js';

/** Twenty fields, as servers write them: 3 KB. */
const SCHEMA = {
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: 20 }, (_, n) => [
      `field_number_${n}`,
      {
        type: 'string',
        title: `Field ${n}`,
        description: 'What is to be put into it, in some words. '.repeat(2),
      },
    ]),
  ),
};
const MOMENT = { openedAt: 1, deadline: null };

function fill(run: Run, chars = 15_000): void {
  for (let n = 0; n < 4; n += 1) {
    const subject = { role: 'executor' };
    const gate: Gate = {
      id: `o${n}`,
      kind: 'question',
      title: '',
      body: 'x'.repeat(chars),
      ...MOMENT,
      subject,
    };
    showGate(run, { key: `own:${n}`, gate, answer: null });
  }
}

const others = ({ state }: Run) =>
  state.people.gates.flatMap(({ gate }) =>
    gate.kind === 'question' && gate.id.startsWith('o') ? [] : [gate],
  );

function runWithAgent(chars: number): Run {
  const { run } = runAtCalls([]);
  const child = { id: 'search/1', agent: 'search', callId: 'c1', instruction: '' };
  run.state.children = withChild(run.state.children, child);
  fill(run, chars);
  return run;
}

function asks(kind: 'form' | 'question') {
  const subject =
    kind === 'form' ? { server: 's', tool: 't', callId: 'c1', schema: SCHEMA } : { role: 'search' };
  const gate = { id: 'g1', kind, title: 'Which?', body: 'y'.repeat(9_000), ...MOMENT, subject };
  return { type: 'gate_opened', id: 'search/1', run: 'lead/search/1', gate };
}

test('a tool server asks by a long form while other gates leave little room → it is cancelled, and the run goes on (T20)', async () => {
  const { run } = runAtCalls([{ name: 'put', input: {} }], {
    pinned: { tools: [fileTool('put')] },
    settings: { autoApprove: true },
    ports: {
      callTool: async () => {
        fill(run);
        const question = { message: 'Which?', schema: SCHEMA };
        hearForm(run, { callId: 'c2', attempt: 1, id: '1', question });
        return { ok: true, value: { ending: 'executed', content: [], isError: false, durationMs: 1 } };
      },
    },
  });
  await runNextCalls(run, run.state.cursor.position.turns.batch as never);
  expect(others(run)).toEqual([]);
  const closed = run.state.log.journal.events.filter(({ type }) => type === 'gate_closed');
  expect(closed).toMatchObject([{ kind: 'form', by: 'superseded' }]);
});

test.each([
  ['form', 15_000],
  ['question', 15_700],
] as const)(
  'an agent asks by a %s while gates of the run leave no room for all of it → shown when one of those has closed, and it is what it was',
  (kind, chars) => {
    const run = runWithAgent(chars);
    hearAgent(run, asks('question'));
    hearAgent(run, { ...asks(kind), gate: { ...asks(kind).gate, id: 'g2' } });
    closeGates(run, ({ key }) => key.startsWith('own:'));
    const [, second] = others(run);
    expect(second).toMatchObject({ kind, subject: asks(kind).gate.subject });
  },
);

test('a long form of an agent waits for room, and others behind it → shown when its agent asks it no more', () => {
  const run = runWithAgent(15_000);
  hearAgent(run, asks('form'));
  hearAgent(run, { ...asks('question'), gate: { ...asks('question').gate, id: 'g2' } });
  expect(others(run)).toEqual([]);
  const closed = { type: 'gate_closed', gateId: 'g1', by: 'timeout', decision: 'decline' };
  hearAgent(run, { ...closed, id: 'search/1', run: 'lead/search/1' });
  expect(others(run)).toMatchObject([{ kind: 'question' }]);
});
