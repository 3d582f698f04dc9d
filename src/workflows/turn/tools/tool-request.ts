/** The request to a worker for a tool call: arguments, limits, and the session that it belongs to. */

import type { CallToolInput, CallToolResult } from '../../../activities/types.js';
import { preview } from '../../../base/text/preview.js';
import { fill, wordsForNotes } from '../../../base/words/words.js';
import { toolResult } from '../../../conversation/tool-result.js';
import type { ToolResultBlock, ToolUseBlock } from '../../../run/messages/message.js';
import { taskAt } from '../../../run/state/cursor.js';
import { idempotencyKeyOf, inlineInput } from '../../../run/tools/ledger.js';
import { endsWhenStopped, isRepeatable, type ToolDefinition, toolAttempts } from '../../../run/tools/tool.js';
import {
  sessionFor,
  statefulServer,
  type ToolSession,
  withoutSession,
  withSession,
} from '../../../run/tools/tool-session.js';
import type { Called, CallOptions } from '../../run/ports.js';
import type { Run } from '../../run/run.js';

/** Time beyond the tool's own limit, for the activity to report its result. */
const SETTLE_MS = 30_000;

export interface ToolRequest {
  input: CallToolInput;
  options: CallOptions;
  /** The session in which it is made; null if it opens one, or does not need it. */
  session: ToolSession | null;
}

interface Asked {
  callId: string;
  toolUseId: string;
  /** The arguments that it runs with. */
  given: Record<string, unknown>;
}

export function toolRequest(run: Run, tool: ToolDefinition, asked: Asked): ToolRequest {
  const { given } = asked;
  const session = sessionFor(run.line.tools.sessions, tool);
  const input = inputFor(run, tool, asked);
  // The server may ask a person while the call runs.
  const mayAsk = tool.origin.type === 'mcp' && run.state.settings.attended === true;
  const asksForMs = mayAsk ? run.pinned.gateTimeoutMs : 0;
  if (asksForMs > 0) input.asksForMs = asksForMs;
  if (statefulServer(tool) !== null) input.session = session?.id ?? null;
  // A call waits for a stateful server to start.
  const startMs = (!session && tool.origin.type === 'mcp' && tool.origin.startTimeoutMs) || 0;
  if (startMs > 0) input.startTimeoutMs = startMs;
  return { input, options: toolCallOptions(tool, given, { session, waitsMs: asksForMs + startMs }), session };
}

/** Returns the facts about the call that a tool receives. */
export function factsOf(
  { state: { settings, goal }, cursor, ports }: Run,
  { name: tool }: Pick<ToolDefinition, 'name'>,
  { toolUseId, given: args }: Pick<Asked, 'toolUseId' | 'given'>,
): Pick<CallToolInput, 'idempotencyKey' | 'goal' | 'taskId' | 'context'> {
  const idempotencyKey = idempotencyKeyOf(ports.chainId, toolUseId, { tool, args });
  return { idempotencyKey, goal: goal.number, taskId: taskAt(cursor), context: settings.context ?? {} };
}

function inputFor(run: Run, tool: ToolDefinition, { callId, toolUseId, given }: Asked): CallToolInput {
  const input: CallToolInput = {
    callId,
    toolUseId,
    tool: tool.name,
    server: tool.origin.type === 'mcp' ? tool.origin.server : null,
    timeoutMs: tool.policy.timeoutMs,
    idempotent: isRepeatable(tool.policy),
    workspace: run.state.settings.workspace,
    ...factsOf(run, tool, { toolUseId, given }),
    ...inlineInput(given),
  };
  // An application's activity cannot query its arguments.
  if (tool.origin.type === 'activity') {
    input.activity = tool.origin.activity;
    input.arguments = given;
  }
  if (tool.serverToolName !== tool.name) input.serverToolName = tool.serverToolName;
  if (tool.policy.stoppable === true) input.stoppable = true;
  if (tool.validation === 'strict') input.checked = true;
  if (tool.app !== undefined) input.app = { uri: tool.app };
  const words = wordsForNotes(run.pinned);
  if (words) input.words = words;
  return input;
}

export function toolCallOptions(
  tool: ToolDefinition,
  given: Record<string, unknown>,
  { session = null, waitsMs = 0 }: { session?: ToolSession | null; waitsMs?: number } = {},
): CallOptions {
  return {
    summary: callLine(tool, given),
    // The worker enforces the tool's own limit, and stops its clock while a person is asked, or a server starts.
    timeoutMs: tool.policy.timeoutMs + SETTLE_MS + waitsMs,
    // A session ends with its worker, so no other worker could repeat the call.
    attempts: session ? 1 : toolAttempts(tool.policy),
    interruptible: endsWhenStopped(tool.policy),
    ...(session && { queue: session.queue }),
  };
}

/** Returns the call in a line, for people and for the run that called this one. */
export function callLine({ name }: Pick<ToolDefinition, 'name'>, given: Record<string, unknown>): string {
  return preview(`${name} ${argumentSummary(given)}`, 120);
}

/** Returns the values of short arguments, by which an operator recognises the call. */
function argumentSummary(input: Record<string, unknown>): string {
  return (
    Object.values(input)
      .map(value => preview(typeof value === 'string' ? value : JSON.stringify(value), 60))
      // A list or object that is cut tells an operator nothing.
      .map(text => (/^[[{].*…$/.test(text) ? '…' : text))
      .join(' ')
  );
}

// The sessions of a run with stateful servers: calls add them, and remove those that are lost.

/** Updates the session of the call's server at its end. */
export function noteSession(
  { line: { tools } }: Run,
  tool: ToolDefinition,
  { ending, opened }: { ending: CallToolResult['ending']; opened: CallToolResult['session'] },
): void {
  const server = statefulServer(tool);
  if (server === null) return;
  if (ending === 'session_lost') tools.sessions = withoutSession(tools.sessions, server);
  if (opened) tools.sessions = withSession(tools.sessions, { server, ...opened });
}

/** Returns the result of a call whose session ended with its worker: the next call opens another. */
export function lostSession(
  run: Run,
  call: ToolUseBlock,
  tool: ToolDefinition,
  loss: 'not_run' | 'unknown',
): ToolResultBlock {
  const { words } = run;
  noteSession(run, tool, { ending: 'session_lost', opened: undefined });
  const note = loss === 'not_run' ? words.noteSessionGone : words.noteSessionGoneUnknown;
  const values = { server: statefulServer(tool) ?? '', tool: tool.name };
  return toolResult(call, 'session_lost', { note: fill(note, values) }, words);
}

/** Returns a result with a note by the run itself. */
export function noteResult(
  note: string,
  isError = false,
  ending: CallToolResult['ending'] = 'executed',
): Called<CallToolResult> {
  return { ok: true, value: { ending, note, content: [], isError, durationMs: 0 } };
}
