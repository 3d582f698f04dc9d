import { describe, expect, test } from 'vitest';
import { jsonBytes } from '../../../../src/base/json/json.js';
import { GATES_BYTES } from '../../../../src/base/sizes/bounds.js';
import type { Gate } from '../../../../src/run/gates/gate.js';
import { goalTimeMs } from '../../../../src/run/state/goal.js';
import { hearAgent } from '../../../../src/workflows/agents/agents.js';
import { requestStop } from '../../../../src/workflows/inbox/inbox-handlers.js';
import type { Run } from '../../../../src/workflows/run/run.js';
import {
  type AgentTree,
  agentTree,
  call,
  type TreeCall,
  type TreeReply,
} from '../../../support/agent-tree.js';
import { answer } from '../../../support/small-run.js';

const PUT: TreeReply = [['put', { path: 'a' }]];

/** An agent that wants to write, whoever calls it. */
function wantsToPut({ path, times }: TreeCall): TreeReply {
  if (path === '') return times === 1 ? [call('search', 'Write it.')] : 'All done.';
  return times === 1 ? PUT : 'Written.';
}

async function gatesOf(run: Run, count = 1): Promise<Gate[]> {
  const open = () => run.state.people.gates.filter(gate => gate.answer === null).map(({ gate }) => gate);
  while (open().length !== count) {
    if (run.state.end) throw new Error(`the run ended, and ${open().length} gates are open`);
    await new Promise(setImmediate);
  }
  return open();
}

function closings(run: Run): [string, string, string][] {
  return run.state.log.journal.events.flatMap(event =>
    event.type === 'gate_closed' ? [[event.kind, event.by, event.decision] as [string, string, string]] : [],
  );
}

async function onlyGate(tree: AgentTree): Promise<Gate> {
  const [gate] = await gatesOf(tree.lead);
  if (!gate) throw new Error('no gate is open');
  return gate;
}

describe('gates of sub-agents', () => {
  test('an agent wants to write, and somebody attends the lead → asked there, approved there, written once (A7)', async () => {
    const tree = agentTree({ reply: wantsToPut });
    const gate = await onlyGate(tree);
    expect(gate).toMatchObject({
      kind: 'approval',
      title: expect.stringMatching(/^search\/1 asks: .*put/),
      body: tree.agents.get('search/1')?.state.people.gates[0]?.gate.body,
      from: { agent: 'search/1', run: 'lead/search/1' },
    });
    answer(tree.lead, { gateId: gate.id, decision: 'approve' });
    expect(await tree.end).toMatchObject({ answer: 'All done.' });
    expect(tree.ran).toEqual(['search/1 put']);
    expect(closings(tree.lead)).toEqual([['approval', 'person', 'approve']]);
  });

  test('an agent of an agent → its gate comes up both levels, and the answer goes down', async () => {
    const tree = agentTree({
      reply: given => {
        const { path, times } = given;
        if (path === '') return times === 1 ? [call('middle', 'Have it written.')] : 'All done.';
        if (path === 'middle/1') return times === 1 ? [call('search', 'Write it.')] : 'It was written.';
        return wantsToPut(given);
      },
    });
    const gate = await onlyGate(tree);
    expect(gate.from).toEqual({ agent: 'middle/1/search/1', run: 'lead/middle/1/search/1' });
    answer(tree.lead, { gateId: gate.id, decision: 'deny', reason: 'not now' });
    await tree.end;
    expect(tree.ran).toEqual([]);
    for (const run of [tree.lead, ...tree.agents.values()])
      expect(closings(run)).toEqual([['approval', 'person', 'deny']]);
  });

  test('allowed for always → in that agent’s run alone', async () => {
    const tree = agentTree({
      reply: ({ path, times }) => {
        if (path === '') return times < 3 ? [call('search', `Write it ${times}.`)] : 'All done.';
        return times < 3 ? [['put', { path: `${times}` }]] : 'Written.';
      },
    });
    const first = await onlyGate(tree);
    answer(tree.lead, { gateId: first.id, decision: 'always' });
    const second = await onlyGate(tree);
    expect(second.from?.agent).toBe('search/2');
    expect(tree.ran).toEqual(['search/1 put', 'search/1 put']);
    expect(tree.lead.state.people.allowedTools).toEqual([]);
    requestStop(tree.lead, null);
    await tree.end;
  });

  test('an answer that the agent refuses → the gate is open again, and the run says why', async () => {
    const tree = agentTree({ reply: wantsToPut });
    const gate = await onlyGate(tree);
    const [open] = tree.lead.state.people.gates;
    if (!open?.agent) throw new Error('the gate is an agent’s');
    // Only its own run knows that it is no question.
    tree.lead.state.people.gates = [{ ...open, gate: { ...gate, kind: 'question', subject: { role: 'x' } } }];
    answer(tree.lead, { gateId: gate.id, text: 'Yes.' });
    expect(await onlyGate(tree)).toMatchObject({ id: gate.id });
    expect(tree.lead.state.log.journal.events.at(-1)).toMatchObject({ type: 'warning' });
    requestStop(tree.lead, null);
    await tree.end;
  });

  test('the run is stopped while an agent asks → closed in both', async () => {
    const stopped = agentTree({ reply: wantsToPut });
    await onlyGate(stopped);
    requestStop(stopped.lead, { reason: 'enough' });
    expect(await stopped.end).toMatchObject({ outcome: 'stopped' });
    expect(closings(stopped.lead)).toEqual([['approval', 'superseded', 'stop']]);
  });

  test('an agent that ends without a word on its gate → closed all the same', async () => {
    const tree = agentTree({ reply: wantsToPut });
    const gate = await onlyGate(tree);
    const left = { type: 'gate_opened', id: 'search/1', run: 'lead/search/1', gate: { ...gate, id: 'g99' } };
    hearAgent(tree.lead, left);
    await gatesOf(tree.lead, 2);
    answer(tree.lead, { gateId: gate.id, decision: 'approve' });
    await tree.end;
    expect(closings(tree.lead)).toEqual([
      ['approval', 'person', 'approve'],
      ['approval', 'superseded', 'search/1 has ended'],
    ]);
  });

  test('nobody attends the lead → the agent takes the safe answer, and nothing is asked', async () => {
    const tree = agentTree({ reply: wantsToPut, settings: { attended: false } });
    await tree.end;
    expect(tree.ran).toEqual([]);
    expect(closings(tree.lead)).toEqual([]);
    expect(closings(tree.agents.get('search/1') ?? tree.lead)).toEqual([['approval', 'rule', 'deny']]);
  });

  test('--yes → approves for agents too', async () => {
    const tree = agentTree({ reply: wantsToPut, settings: { autoApprove: true } });
    await tree.end;
    expect(tree.ran).toEqual(['search/1 put']);
  });

  test('the time of the goal: stands still while each agent waits for a person, and no longer', async () => {
    const both: TreeReply = [call('search', 'One.'), call('search', 'Two.')];
    let twoWrites = () => {};
    const held = new Promise<void>(resolve => {
      twoWrites = resolve;
    });
    const tree = agentTree({
      reply: async given => {
        if (given.path === '') return given.times === 1 ? both : 'All done.';
        if (given.path === 'search/2' && given.times === 1) await held;
        return wantsToPut(given);
      },
    });
    const time = () => goalTimeMs(tree.lead.state.goal, tree.clock.now);
    await gatesOf(tree.lead, 1);
    tree.clock.now += 500;
    expect(time()).toBe(500);
    twoWrites();
    const [, second] = await gatesOf(tree.lead, 2);
    tree.clock.now += 40_000;
    expect(time()).toBe(500);
    answer(tree.lead, { gateId: second?.id, decision: 'deny' });
    const [first] = await gatesOf(tree.lead, 1);
    answer(tree.lead, { gateId: first?.id, decision: 'deny' });
    await tree.end;
    tree.clock.now += 7;
    expect(time()).toBe(507);
  });

  test('many large gates at once → within their bound, the others when there is room', async () => {
    const many = Array.from({ length: 16 }, (_, index) => call('search', `Write ${index}.`));
    const body = { path: 'x'.repeat(3_900), more: 'y'.repeat(30_000) };
    const tree = agentTree({
      limits: { parallelTools: 16 },
      reply: ({ path, times }) => {
        if (path === '') return times === 1 ? many : 'All done.';
        return times === 1 ? Array.from({ length: 8 }, (_, put) => ['put', { ...body, put }]) : 'Written.';
      },
    });
    const opened = new Set<string>();
    while (!tree.lead.state.end) {
      await new Promise(setImmediate);
      const { gates } = tree.lead.state.people;
      expect(jsonBytes(gates.map(({ gate }) => gate))).toBeLessThan(GATES_BYTES + 1_300);
      const [next] = gates.filter(open => open.answer === null);
      if (!next) continue;
      opened.add(next.gate.id);
      answer(tree.lead, { gateId: next.gate.id, decision: 'approve' });
    }
    expect(opened.size).toBe(16 * 8);
    expect(tree.ran).toHaveLength(16 * 8);
  });

  test.each<[string, unknown]>([
    ['no message', 'hello'],
    ['no gate', { type: 'gate_opened', id: 'search/1', run: 'r', gate: { id: 'g1', kind: 'approval' } }],
    [
      'an agent that does not run',
      { type: 'gate_closed', id: 'x/9', run: 'r', gateId: 'g', by: 'person', decision: '' },
    ],
  ])('the signal of an agent: %s → ignored with a word', async (_title, raw) => {
    const tree = agentTree({ reply: wantsToPut });
    await onlyGate(tree);
    hearAgent(tree.lead, raw);
    expect(tree.lead.state.log.journal.events.at(-1)).toMatchObject({
      type: 'signal_ignored',
      signal: 'subagent',
    });
    requestStop(tree.lead, null);
    await tree.end;
  });
});
