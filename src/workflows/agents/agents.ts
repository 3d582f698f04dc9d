/** Sub-agents at work: what they tell the run that called them, and what people send to them through it. */

import { MESSAGES_BYTES } from '../../base/sizes/bounds.js';
import { sizeOfList } from '../../base/sizes/sizes.js';
import { preview } from '../../base/text/preview.js';
import { fill } from '../../base/words/words.js';
import { type AgentMessage, readAgentMessage } from '../../rules/agents/agent-message.js';
import { isSubagent } from '../../rules/agents/subagent.js';
import { type Addressee, openChildren, withPaused } from '../../run/agents/children.js';
import type { Gate, GateAnswer } from '../../run/gates/gate.js';
import { steeringAt } from '../../run/state/cursor.js';
import type { OpenGate } from '../../run/state/people.js';
import { giveBack, type InboxItem, noteTakenBack } from '../../run/steering/inbox.js';
import {
  calledBackReceipt,
  droppedReceipt,
  givenBackReceipt,
  passingOnReceipt,
  readReceipt,
} from '../../run/steering/receipt.js';
import { backIn, putOut } from '../changes/set-model.js';
import { closeGate, closeGates, showWaiting } from '../run/gates.js';
import type { PassedOn } from '../run/memory.js';
import type { Run } from '../run/run.js';

/** Takes what an agent tells its caller. Only of one that runs: the end of one closes all that it asked. */
export function hearAgent(run: Run, raw: unknown): void {
  const message = readAgentMessage(raw);
  if (message === null || !openChildren(run.state.children).some(({ id }) => id === message.id)) {
    const reason = message === null ? 'it is no message of an agent' : `no agent ${preview(message.id)} runs`;
    run.journal('signal_ignored', { signal: 'subagent', reason });
    return;
  }
  switch (message.type) {
    case 'gate_opened':
      openFor(run, message);
      break;
    case 'gate_closed':
      closeFor(run, message);
      break;
    case 'answer_refused':
      reopen(run, message);
      break;
    case 'message_refused':
      // Anybody can send a run something: only what was passed on to the agent comes back from it.
      if (isWith(run, message.id, message.item.id)) takeBack(run, message.id, [message.item], message.why);
      break;
    case 'message_read':
      hearRead(run, message);
      break;
    case 'message_withdrawn':
      if (isWith(run, message.id, message.messageId)) noteWithdrawn(run, message.messageId);
      break;
    case 'paused':
    case 'resumed': {
      const way = wayTo(message.id, message.by);
      run.state.children = withPaused(run.state.children, [way], message.type === 'paused');
      tellPause(run, message.type, way);
      break;
    }
    case 'model_out':
      putOut(run, message.model, message.failure);
      break;
    case 'model_back':
      backIn(run, message.model);
      break;
    case 'not_taken': {
      const { what, why } = message;
      const by = wayTo(message.id, message.by);
      run.journal('warning', { text: `${by} did not take ${what}: ${why}` });
      if (isSubagent(run.state.settings)) run.ports.tellCaller({ type: 'not_taken', what, why, by });
      break;
    }
    case 'cancelled':
      run.memory.agents.rests.set(message.id, message.rest);
  }
  run.keepTime();
  run.show();
}

/** Whether the message was passed on to that agent, and nobody has said what became of it. */
function isWith({ memory }: Run, agent: string, messageId: string): boolean {
  return memory.agents.passed.get(messageId)?.agent === agent;
}

/** A message for an agent goes down to it; where it has ended meanwhile, it is for the role at work. */
export function passOn(run: Run, item: InboxItem, { id, to }: Addressee): void {
  const { inbox } = run.state.people;
  inbox.items = inbox.items.filter(waiting => waiting !== item);
  run.journal('receipt', passingOnReceipt(item, id));
  const { id: messageId, text, when } = item;
  const input = { id: messageId, text, when, ...(to !== null && { to }) };
  run.memory.agents.passed.set(messageId, { agent: id, item });
  run.ports.tellSubagent(id, { signal: 'steer', input }, found => {
    if (!found) takeBack(run, id, [item]);
  });
}

/** Whoever passed a message on hears who read it, up to the run that it was sent to. */
export function tellRead({ state, ports }: Run, messageId: string, by = ''): void {
  if (isSubagent(state.settings)) ports.tellCaller({ type: 'message_read', messageId, by });
}

type Told<T extends AgentMessage['type']> = Extract<AgentMessage, { type: T }>;

function hearRead(run: Run, { id, messageId, by }: Told<'message_read'>): void {
  const { passed } = run.memory.agents;
  const message = passed.get(messageId);
  // What was sent to the agent's own run is told there.
  if (message?.agent !== id) return;
  passed.delete(messageId);
  const reader = wayTo(id, by);
  run.journal('receipt', readReceipt(messageId, reader, message.takenBack));
  tellRead(run, messageId, reader);
}

/** Of an agent of an agent: `by` is the way from that one, '' for itself. */
function wayTo(id: string, by: string): string {
  return [id, by].filter(Boolean).join('/');
}

/** Calls back a message that was passed on, from wherever it is: the word on that comes up as that of its reading does. */
export function callBack(run: Run, messageId: string): PassedOn | null {
  const message = run.memory.agents.passed.get(messageId);
  if (!message || message.takenBack) return null;
  message.takenBack = true;
  run.journal('receipt', calledBackReceipt(messageId, message.agent));
  const input = { type: 'withdraw' as const, messageId };
  // Where it has ended it gives back what it did not read.
  run.ports.tellSubagent(message.agent, { signal: 'caller', input }, () => {});
  return message;
}

/** Nobody reads the message any more, at any level: whoever passed it on hears so, up to the run that it was sent to. */
export function noteWithdrawn(run: Run, messageId: string): void {
  const { state, ports, memory } = run;
  memory.agents.passed.delete(messageId);
  noteTakenBack(state.people.inbox, messageId);
  run.journal('receipt', droppedReceipt(messageId, 'taken back by its sender'));
  if (isSubagent(state.settings)) ports.tellCaller({ type: 'message_withdrawn', messageId });
}

/** Messages that agents have and nobody has read yet. */
export function passedOn({ memory }: Run): InboxItem[] {
  return [...memory.agents.passed.values()].flatMap(({ item, takenBack }) => (takenBack ? [] : [item]));
}

/** Whoever lets the run go on above is to reach it: see `requestResume`. */
export function tellPause({ state, ports }: Run, type: 'paused' | 'resumed', by = ''): void {
  if (isSubagent(state.settings)) ports.tellCaller({ type, by });
}

/** Messages that an ended agent said nothing of. Where it is unknown what it read, the role at work gets them. */
export function finishPassed(run: Run, agent: string, isLost: boolean): void {
  for (const [messageId, { agent: reader, item }] of run.memory.agents.passed) {
    if (reader !== agent) continue;
    if (isLost) {
      takeBack(run, agent, [item]);
      continue;
    }
    run.memory.agents.passed.delete(messageId);
    run.journal('receipt', droppedReceipt(messageId, `${agent} ended without a word on it.`));
  }
}

/** What an agent did not read is for the role at work. `refused`: why, where the agent goes on. */
export function takeBack(run: Run, agent: string, items: readonly InboxItem[], refused?: string): void {
  const { people, cursor } = run.state;
  const room = MESSAGES_BYTES - sizeOfList(steeringAt(cursor)?.items ?? []);
  const unread =
    refused === undefined
      ? `${agent} ended before it read this`
      : `${agent} could not take this (${refused})`;
  const { passed } = run.memory.agents;
  for (const item of items) {
    const isOurs = isWith(run, agent, item.id);
    // Sent to the agent's own run under the id of one that this run has: a repeat, which does nothing.
    if (!isOurs && people.inbox.seenIds.includes(item.id)) continue;
    if (isOurs && passed.get(item.id)?.takenBack) {
      noteWithdrawn(run, item.id);
      continue;
    }
    if (isOurs) passed.delete(item.id);
    const dropped = `${unread}, and too many messages wait here already.`;
    run.journal(
      'receipt',
      giveBack(people.inbox, item, room)
        ? givenBackReceipt(item.id, unread)
        : droppedReceipt(item.id, dropped),
    );
  }
}

// Gates of sub-agents (A7): a person who attends a run answers there what its agents ask. Each level does the same, so
// that the gate of an agent's agent comes up, and its answer goes down, step by step.

/** What a person says at an agent's gate goes to the agent, which closes the gate when it has taken it. */
export function passAnswer(
  run: Run,
  { id, gateId }: NonNullable<OpenGate['agent']>,
  answer: GateAnswer,
): void {
  run.ports.tellSubagent(id, { signal: 'answer', input: { ...answer, gateId } }, () => {});
  run.keepTime();
}

/** Nobody waits any more at what an agent that has ended asked. */
export function closeGatesOf(run: Run, id: string): void {
  run.memory.agents.waiting = run.memory.agents.waiting.filter(({ agent }) => agent?.id !== id);
  closeGates(run, ({ agent }) => agent?.id === id, `${id} has ended`);
  showWaiting(run);
  run.keepTime();
}

/** A gate that an agent has opened. */
function openFor(run: Run, { id, run: runId, gate }: Told<'gate_opened'>): void {
  if (gateOf(run, id, gate.id)) return;
  const { from = { agent: '', run: runId } } = gate;
  const asked: Gate = {
    ...gate,
    id: run.nextId('g'),
    title: fill(run.words.gateOfAgent, { agent: id, title: gate.title }),
    from: { agent: [id, from.agent].filter(Boolean).join('/'), run: from.run },
  };
  const agent = { id, gateId: gate.id };
  run.memory.agents.waiting.push({ key: `agent:${id}:${gate.id}`, gate: asked, answer: null, agent });
  showWaiting(run);
}

function closeFor(run: Run, { id, gateId, by, decision }: Told<'gate_closed'>): void {
  const { agents } = run.memory;
  agents.waiting = agents.waiting.filter(({ agent }) => agent?.id !== id || agent.gateId !== gateId);
  const open = gateOf(run, id, gateId);
  if (open) closeGate(run, open, by, decision);
  // A long form may have been in the way of others.
  else showWaiting(run);
}

/** The agent judges an answer by what it knows; the gate waits for another one. */
function reopen(run: Run, { id, gateId, why }: Told<'answer_refused'>): void {
  const open = gateOf(run, id, gateId);
  if (!open) return;
  open.answer = null;
  run.journal('warning', { text: `${id} could not take the answer at ${open.gate.id}: ${why}` });
  run.ports.tellCaller({ type: 'answer_refused', gateId: open.gate.id, why });
}

function gateOf(run: Run, id: string, gateId: string): OpenGate | undefined {
  return run.state.people.gates.find(({ agent }) => agent?.id === id && agent.gateId === gateId);
}
