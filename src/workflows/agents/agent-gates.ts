/**
 * Gates of sub-agents (A7): a person who attends a run answers there what its agents ask. Each level does the same, so
 * that the gate of an agent's agent comes up, and its answer goes down, step by step.
 */
import type { AgentMessage, ToCaller } from '../../core/agents/agent-message.js';
import type { Gate, GateAnswer } from '../../core/gates/gate.js';
import { fill } from '../../core/prompts/words.js';
import type { OpenGate } from '../../core/state/people.js';
import { keepTime } from '../changes/keep-time.js';
import { closeGate, showWaiting, showWithRoom } from '../gates.js';
import type { Run } from '../run.js';

type Told<T extends ToCaller['type']> = Extract<AgentMessage, { type: T }>;

/** What a person says at an agent's gate goes to the agent, which closes the gate when it has taken it. */
export function passAnswer(
  run: Run,
  { id, gateId }: NonNullable<OpenGate['agent']>,
  answer: GateAnswer,
): void {
  run.ports.tellSubagent(id, { signal: 'answer', input: { ...answer, gateId } }, () => {});
  keepTime(run);
}

/** Nobody waits any more at what an agent that has ended asked. */
export function closeGatesOf(run: Run, id: string): void {
  run.memory.agents.waiting = run.memory.agents.waiting.filter(({ agent }) => agent?.id !== id);
  for (const open of gatesOf(run, id)) closeGate(run, open, 'superseded', `${id} has ended`);
  showWaiting(run);
  keepTime(run);
}

/** A gate that an agent has opened. */
export function openFor(run: Run, { id, run: runId, gate }: Told<'gate_opened'>): void {
  if (gateOf(run, id, gate.id)) return;
  const { from = { agent: '', run: runId } } = gate;
  const asked: Gate = {
    ...gate,
    id: run.nextId('g'),
    title: fill(run.words.gateOfAgent, { agent: id, title: gate.title }),
    from: { agent: [id, from.agent].filter(Boolean).join('/'), run: from.run },
  };
  showWithRoom(run, {
    key: `agent:${id}:${gate.id}`,
    gate: asked,
    answer: null,
    agent: { id, gateId: gate.id },
  });
}

export function closeFor(run: Run, { id, gateId, by, decision }: Told<'gate_closed'>): void {
  const { agents } = run.memory;
  agents.waiting = agents.waiting.filter(({ agent }) => agent?.id !== id || agent.gateId !== gateId);
  const open = gateOf(run, id, gateId);
  if (open) closeGate(run, open, by, decision);
  // A long form may have been in the way of others.
  else showWaiting(run);
}

/** The agent judges an answer by what it knows; the gate waits for another one. */
export function reopen(run: Run, { id, gateId, why }: Told<'answer_refused'>): void {
  const open = gateOf(run, id, gateId);
  if (!open) return;
  open.answer = null;
  run.journal('warning', { text: `${id} could not take the answer at ${open.gate.id}: ${why}` });
  run.ports.tellCaller({ type: 'answer_refused', gateId: open.gate.id, why });
}

function gatesOf({ state }: Run, id: string): OpenGate[] {
  return state.people.gates.filter(({ agent }) => agent?.id === id);
}

function gateOf(run: Run, id: string, gateId: string): OpenGate | undefined {
  return gatesOf(run, id).find(({ agent }) => agent?.gateId === gateId);
}
