/** Running sub-agents: their messages to the run that called them, and messages that people send them through it. */

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
  passingOnReceipt,
  readReceipt,
  returnedReceipt,
} from '../../run/steering/receipt.js';
import { disableModel, enableModel } from '../changes/set-model.js';
import { closeGate, closeGates, showWaiting } from '../run/gates.js';
import type { PassedOn } from '../run/memory.js';
import type { Run } from '../run/run.js';

/** Handles a message of a running agent. An ended agent's questions are closed, so its messages are ignored. */
export function hearAgent(run: Run, raw: unknown): void {
  const message = readAgentMessage(raw);
  if (message === null || !openChildren(run.state.children).some(({ id }) => id === message.id)) {
    const reason =
      message === null ? 'it is not a message of an agent' : `no agent ${preview(message.id)} runs`;
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
      // Any client can send this signal, so an agent can only return a message that was passed on to it.
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
      const way = pathTo(message.id, message.by);
      run.state.children = withPaused(run.state.children, [way], message.type === 'paused');
      tellPause(run, message.type, way);
      break;
    }
    case 'model_out':
      disableModel(run, message.model, message.failure);
      break;
    case 'model_back':
      enableModel(run, message.model);
      break;
    case 'not_taken': {
      const { what, why } = message;
      const by = pathTo(message.id, message.by);
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

/** True if the message was passed on to that agent, and has no outcome yet. */
function isWith({ memory }: Run, agent: string, messageId: string): boolean {
  return memory.agents.passed.get(messageId)?.agent === agent;
}

/** Passes a message on to an agent; if the agent has ended meanwhile, the role at work gets it. */
export function passOn(run: Run, item: InboxItem, { id, to }: Addressee): void {
  const { inbox } = run.state.people;
  inbox.items = inbox.items.filter(waiting => waiting !== item);
  run.journal('receipt', passingOnReceipt(run.words, item, id));
  const { id: messageId, text, when } = item;
  const input = { id: messageId, text, when, ...(to !== null && { to }) };
  run.memory.agents.passed.set(messageId, { agent: id, item });
  run.ports.tellSubagent(id, { signal: 'steer', input }, found => {
    if (!found) takeBack(run, id, [item]);
  });
}

/** Reports who read a message to the run that passed it on, up to the run that it was sent to. */
export function tellRead({ state, ports }: Run, messageId: string, by = ''): void {
  if (isSubagent(state.settings)) ports.tellCaller({ type: 'message_read', messageId, by });
}

type FromAgent<T extends AgentMessage['type']> = Extract<AgentMessage, { type: T }>;

function hearRead(run: Run, { id, messageId, by }: FromAgent<'message_read'>): void {
  const { passed } = run.memory.agents;
  const message = passed.get(messageId);
  // A message that was sent directly to the agent's run has its receipt there.
  if (message?.agent !== id) return;
  passed.delete(messageId);
  const reader = pathTo(id, by);
  run.journal('receipt', readReceipt(run.words, messageId, reader, message.takenBack));
  tellRead(run, messageId, reader);
}

/** Returns the path to an agent's agent; `by` is the path from agent `id`, or '' for the agent itself. */
function pathTo(id: string, by: string): string {
  return [id, by].filter(Boolean).join('/');
}

/** Asks the agent to return a message that was passed on; the outcome is reported upwards. Null: not possible. */
export function callBack(run: Run, messageId: string): PassedOn | null {
  const message = run.memory.agents.passed.get(messageId);
  if (!message || message.takenBack) return null;
  message.takenBack = true;
  run.journal('receipt', calledBackReceipt(run.words, messageId, message.agent));
  const input = { type: 'withdraw' as const, messageId };
  // An agent that has ended returns its unread messages anyway.
  run.ports.tellSubagent(message.agent, { signal: 'caller', input }, () => {});
  return message;
}

/** Records that a message was withdrawn, and reports it to the run that passed it on. */
export function noteWithdrawn(run: Run, messageId: string): void {
  const { state, ports, memory } = run;
  memory.agents.passed.delete(messageId);
  noteTakenBack(state.people.inbox, messageId);
  run.journal('receipt', droppedReceipt(messageId, run.words.receiptTakenBack));
  if (isSubagent(state.settings)) ports.tellCaller({ type: 'message_withdrawn', messageId });
}

/** Returns the messages that were passed on to agents, which have not read them yet. */
export function passedOn({ memory }: Run): InboxItem[] {
  return [...memory.agents.passed.values()].flatMap(({ item, takenBack }) => (takenBack ? [] : [item]));
}

/** Reports a pause upwards, because a resume there must reach it: see `requestResume`. */
export function tellPause({ state, ports }: Run, type: 'paused' | 'resumed', by = ''): void {
  if (isSubagent(state.settings)) ports.tellCaller({ type, by });
}

/** Settles messages that an ended agent did not report on. If it is unknown what it read, the role at work gets them. */
export function finishPassed(run: Run, agent: string, isLost: boolean): void {
  for (const [messageId, { agent: reader, item }] of run.memory.agents.passed) {
    if (reader !== agent) continue;
    if (isLost) {
      takeBack(run, agent, [item]);
      continue;
    }
    run.memory.agents.passed.delete(messageId);
    run.journal('receipt', droppedReceipt(messageId, fill(run.words.receiptNoWord, { agent })));
  }
}

/** Returns an agent's unread messages to the role at work. `refused`: why the agent could not take them. */
export function takeBack(run: Run, agent: string, items: readonly InboxItem[], refused?: string): void {
  const { people, cursor } = run.state;
  const room = MESSAGES_BYTES - sizeOfList(steeringAt(cursor)?.items ?? []);
  const unread =
    refused === undefined
      ? fill(run.words.receiptAgentEnded, { agent })
      : fill(run.words.receiptAgentRefused, { agent, why: refused });
  const { passed } = run.memory.agents;
  for (const item of items) {
    const isOurs = isWith(run, agent, item.id);
    // It was sent to the agent's own run with an id that this run knows: a repeat, which has no effect.
    if (!isOurs && people.inbox.seenIds.includes(item.id)) continue;
    if (isOurs && passed.get(item.id)?.takenBack) {
      noteWithdrawn(run, item.id);
      continue;
    }
    if (isOurs) passed.delete(item.id);
    const dropped = fill(run.words.receiptNoRoom, { unread });
    run.journal(
      'receipt',
      giveBack(people.inbox, item, room)
        ? returnedReceipt(run.words, item.id, unread)
        : droppedReceipt(item.id, dropped),
    );
  }
}

// Gates of sub-agents (A7): a person who attends a run answers its agents' questions there. Each level does the same, so that a
// nested agent's gate moves up, and its answer moves down, step by step.

/** Passes a person's answer on to the agent, which closes the gate when it has taken it. */
export function passAnswer(
  run: Run,
  { id, gateId }: NonNullable<OpenGate['agent']>,
  answer: GateAnswer,
): void {
  run.ports.tellSubagent(id, { signal: 'answer', input: { ...answer, gateId } }, () => {});
  run.keepTime();
}

export function closeGatesOf(run: Run, id: string): void {
  run.memory.agents.waiting = run.memory.agents.waiting.filter(({ agent }) => agent?.id !== id);
  closeGates(run, ({ agent }) => agent?.id === id, `${id} has ended`);
  showWaiting(run);
  run.keepTime();
}

/** Opens a gate here for a gate that an agent has opened. */
function openFor(run: Run, { id, run: runId, gate }: FromAgent<'gate_opened'>): void {
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

function closeFor(run: Run, { id, gateId, by, decision }: FromAgent<'gate_closed'>): void {
  const { agents } = run.memory;
  agents.waiting = agents.waiting.filter(({ agent }) => agent?.id !== id || agent.gateId !== gateId);
  const open = gateOf(run, id, gateId);
  if (open) closeGate(run, open, by, decision);
  // A long form may have blocked others.
  else showWaiting(run);
}

/** Reopens a gate whose answer the agent refused. */
function reopen(run: Run, { id, gateId, why }: FromAgent<'answer_refused'>): void {
  const open = gateOf(run, id, gateId);
  if (!open) return;
  open.answer = null;
  run.journal('warning', { text: `${id} could not take the answer at ${open.gate.id}: ${why}` });
  run.ports.tellCaller({ type: 'answer_refused', gateId: open.gate.id, why });
}

function gateOf(run: Run, id: string, gateId: string): OpenGate | undefined {
  return run.state.people.gates.find(({ agent }) => agent?.id === id && agent.gateId === gateId);
}
