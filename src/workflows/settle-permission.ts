/** Tool calls that a person has a say in: approvals (S4, C23) and tools that the client runs (T10, T11, C24). */
import { batchAction, waitingSteers } from '../core/inbox.js';
import { preview } from '../core/journal.js';
import type { ToolContent, ToolUseBlock } from '../core/message.js';
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

const BODY_CHARS = 4_000;

/**
 * Asks where the decision says so. Null: the run is being stopped, or a message of the user made the question
 * pointless; the call has no result yet, and the loop decides anew.
 */
export async function settlePermission(
  run: Run,
  { batch, call, role }: { batch: Batch; call: ToolUseBlock; role: string },
  decision: ToolCallDecision,
): Promise<Settled | null> {
  const superseded = () => batchAction(waitingSteers(run.state.inbox, role)) === 'skip_rest';
  if (decision.kind === 'client') {
    const asked = await ask(run, { ...clientQuestion(call, decision.tool), superseded });
    if (asked.kind !== 'answered') return null;
    const { content, isError } = asked.answer;
    return { kind: 'given', tool: decision.tool, content, isError };
  }
  if (decision.kind !== 'ask') return decision;

  const asked = await ask(run, { ...approvalQuestion(call, decision.tool), superseded });
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
  decisions: readonly { call: ToolUseBlock; decision: ToolCallDecision }[],
): void {
  for (const { call, decision } of decisions) {
    if (decision.kind === 'client') openGate(run, clientQuestion(call, decision.tool));
    if (decision.kind === 'ask' && run.state.settings.attended)
      openGate(run, approvalQuestion(call, decision.tool));
  }
}

function approvalQuestion(call: ToolUseBlock, tool: ToolDefinition): Question<'approval'> {
  const hint = tool.policy.destructive ? 'It may destroy or overwrite something.' : 'It changes something.';
  return {
    key: `approval:${call.id}`,
    kind: 'approval',
    title: preview(`Run ${call.name}? ${argumentLine(call)}`),
    body: `${hint}\n\n${argumentBlock(call)}`,
    subject: { tool: call.name, callId: call.id, arguments: argumentLine(call) },
  };
}

function clientQuestion(call: ToolUseBlock, tool: ToolDefinition): Question<'clientTool'> {
  return {
    key: `client:${call.id}`,
    kind: 'clientTool',
    title: preview(`The client runs ${call.name}. ${argumentLine(call)}`),
    body: `${preview(tool.description, 500)}\n\n${argumentBlock(call)}`,
    subject: { tool: call.name, callId: call.id, arguments: argumentLine(call) },
  };
}

function argumentLine(call: ToolUseBlock): string {
  return preview(JSON.stringify(call.input), 1_000);
}

/** Arguments come from a model: data, shown as code. */
function argumentBlock(call: ToolUseBlock): string {
  return `\`\`\`json\n${JSON.stringify(call.input, null, 2).slice(0, BODY_CHARS).replaceAll('```', "'''")}\n\`\`\``;
}

function editedNote(edited: Record<string, unknown>): string {
  return `Note: a person edited the arguments before it ran:\n${delimit('arguments', JSON.stringify(edited))}`;
}
