/** Tool calls that a person has a say in: approvals and tools that the client runs (T11). */

import { isRoomForGate } from '../../core/gates/gate.js';
import { approvalText, clientToolText } from '../../core/gates/gate-text.js';
import { batchAction, waitingSteers } from '../../core/inbox.js';
import type { AssistantMessage, ToolUseBlock } from '../../core/message.js';
import { thoughtOf } from '../../core/message.js';
import { preview } from '../../core/preview.js';
import type { ToolDefinition } from '../../core/tools/tool.js';
import type { CallAnswer, ToolCallDecision } from '../../core/tools/tool-call.js';
import type { Question } from '../gates.js';
import { ask, closeGates, openGate, openGates, takeRecorded } from '../gates.js';
import type { Run } from '../run.js';

type Asking = Extract<ToolCallDecision, { kind: 'ask' | 'client' }>;

/**
 * What is recorded at the call's gate, taken from it. The one place where that is read, before anything is
 * decided about the call: what a person said stands, whatever they allowed since for other calls.
 */
export function answerTo(run: Run, call: ToolUseBlock): CallAnswer | null {
  const answer = takeRecorded(run, approvalKey(call)) ?? takeRecorded(run, clientKey(call));
  return answer?.kind === 'approval' || answer?.kind === 'clientTool' ? answer : null;
}

/** Whether a gate of the call is open, answered or not. */
export function isAskedAbout(run: Run, call: ToolUseBlock): boolean {
  const keys = [approvalKey(call), clientKey(call)];
  return run.state.people.gates.some(({ key }) => keys.includes(key));
}

/**
 * Asks, and gives the answer. Null: the run is being stopped, or a message or another answer made the question
 * pointless; the call has no result yet, and the loop decides anew.
 */
export async function askAbout(
  run: Run,
  { call, reply }: { call: ToolUseBlock; reply: AssistantMessage },
  decision: Asking,
): Promise<CallAnswer | null> {
  const superseded = () => batchAction(waitingSteers(run.state.people.inbox, reply.role)) === 'skip_rest';
  const asked =
    decision.kind === 'client'
      ? await ask(run, { ...clientQuestion(run, call, decision.tool), superseded })
      : await ask(run, { ...approvalQuestion(run, call, decision.concerns, thoughtOf(reply)), superseded });
  return asked.kind === 'answered' ? asked.answer : null;
}

/** Opens the gates of a whole batch at once, as many as there is room for: a person sees all that is asked of them. */
export function openBatchGates(
  run: Run,
  reply: AssistantMessage,
  decisions: readonly { call: ToolUseBlock; decision: ToolCallDecision }[],
): void {
  for (const { call, decision } of decisions) {
    if (!isRoomForGate(openGates(run))) return;
    if (decision.kind === 'client') openGate(run, clientQuestion(run, call, decision.tool));
    if (decision.kind === 'ask' && run.state.settings.attended)
      openGate(run, approvalQuestion(run, call, decision.concerns, thoughtOf(reply)));
  }
}

/** The call has its decision: a gate of it that is still open asks for nothing. */
export function closeCallGates(run: Run, call: ToolUseBlock): void {
  closeGates(run, approvalKey(call));
  closeGates(run, clientKey(call));
}

function approvalQuestion(
  run: Run,
  call: ToolUseBlock,
  concerns: string[],
  thought: string,
): Question<'approval'> {
  return {
    key: approvalKey(call),
    kind: 'approval',
    ...approvalText(run.words, {
      tool: call.name,
      callId: call.id,
      input: call.input,
      raw: call.raw,
      thought,
      concerns,
    }),
    subject: { tool: call.name, callId: call.id, arguments: argumentLine(call) },
  };
}

/** Under the name by which the client declared the tool, whatever name the model was offered. */
function clientQuestion(
  run: Run,
  call: ToolUseBlock,
  { serverToolName }: ToolDefinition,
): Question<'clientTool'> {
  return {
    key: clientKey(call),
    kind: 'clientTool',
    ...clientToolText(run.words, { tool: serverToolName, callId: call.id, input: call.input }),
    subject: { tool: serverToolName, callId: call.id, arguments: argumentLine(call) },
  };
}

/** What keys of gates begin with. */
const APPROVAL = 'approval:';
const CLIENT = 'client:';

function approvalKey(call: ToolUseBlock): string {
  return `${APPROVAL}${call.id}`;
}

function clientKey(call: ToolUseBlock): string {
  return `${CLIENT}${call.id}`;
}

/** Closes all that asks about tool calls. */
export function closeBatchGates(run: Run, why: string): void {
  closeApprovals(run, why);
  closeGates(run, CLIENT, why);
}

export function closeApprovals(run: Run, why: string): void {
  closeGates(run, APPROVAL, why);
}

function argumentLine(call: ToolUseBlock): string {
  return preview(JSON.stringify(call.input), 1_000);
}
