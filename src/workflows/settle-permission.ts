/** Tool calls that a person has a say in: approvals (S4, C23) and tools that the client runs (T10, T11, C24). */

import { approvalText, clientToolText } from '../core/gate-text.js';
import { batchAction, waitingSteers } from '../core/inbox.js';
import { preview } from '../core/journal.js';
import type { AssistantMessage, ToolContent, ToolUseBlock } from '../core/message.js';
import { thoughtOf } from '../core/message.js';
import { delimit } from '../core/prompt.js';
import type { Batch } from '../core/run-state.js';
import type { ToolDefinition } from '../core/tool.js';
import type { ToolCallDecision } from '../core/tool-call.js';
import { deniedText } from '../core/tool-call.js';
import type { Question } from './gates.js';
import { ask, openGate } from './gates.js';
import type { Run } from './run.js';

/** A decision that needs nobody any more; `given` carries a client's result. */
export type Settled =
  | Extract<ToolCallDecision, { kind: 'end' | 'reuse' | 'run' }>
  | { kind: 'given'; tool: ToolDefinition; content: ToolContent[]; isError: boolean };

/**
 * Asks where the decision says so. Null: the run is being stopped, or a message of the user made the question
 * pointless; the call has no result yet, and the loop decides anew.
 */
export async function settlePermission(
  run: Run,
  { batch, call, reply }: { batch: Batch; call: ToolUseBlock; reply: AssistantMessage },
  decision: ToolCallDecision,
): Promise<Settled | null> {
  const superseded = () => batchAction(waitingSteers(run.state.inbox, reply.role)) === 'skip_rest';
  if (decision.kind === 'client') {
    const asked = await ask(run, { ...clientQuestion(call), superseded });
    if (asked.kind !== 'answered') return null;
    const { content, isError } = asked.answer;
    return { kind: 'given', tool: decision.tool, content, isError };
  }
  if (decision.kind !== 'ask') return decision;

  const asked = await ask(run, {
    ...approvalQuestion(call, decision.concerns, thoughtOf(reply)),
    superseded,
  });
  if (asked.kind !== 'answered') return null;
  const { decision: said, reason, arguments: edited } = asked.answer;
  if (said === 'deny') return { kind: 'end', ending: 'denied', text: deniedText(call.name, reason) };
  if (said === 'always') run.state.allowedTools.push(call.name);
  if (edited) batch.edited[call.id] = edited;
  return { kind: 'run', tool: decision.tool, note: edited ? editedNote(edited) : decision.note };
}

/** Opens the gates of a whole batch at once, so that a person sees all that is asked of them. */
export function openBatchGates(
  run: Run,
  reply: AssistantMessage,
  decisions: readonly { call: ToolUseBlock; decision: ToolCallDecision }[],
): void {
  for (const { call, decision } of decisions) {
    if (decision.kind === 'client') openGate(run, clientQuestion(call));
    if (decision.kind === 'ask' && run.state.settings.attended)
      openGate(run, approvalQuestion(call, decision.concerns, thoughtOf(reply)));
  }
}

function approvalQuestion(call: ToolUseBlock, concerns: string[], thought: string): Question<'approval'> {
  return {
    key: `approval:${call.id}`,
    kind: 'approval',
    ...approvalText({ tool: call.name, input: call.input, thought, concerns }),
    subject: { tool: call.name, callId: call.id, arguments: argumentLine(call) },
  };
}

function clientQuestion(call: ToolUseBlock): Question<'clientTool'> {
  return {
    key: `client:${call.id}`,
    kind: 'clientTool',
    ...clientToolText({ tool: call.name, input: call.input }),
    subject: { tool: call.name, callId: call.id, arguments: argumentLine(call) },
  };
}

function argumentLine(call: ToolUseBlock): string {
  return preview(JSON.stringify(call.input), 1_000);
}

function editedNote(edited: Record<string, unknown>): string {
  return `Note: a person edited the arguments before it ran:\n${delimit('arguments', JSON.stringify(edited))}`;
}
