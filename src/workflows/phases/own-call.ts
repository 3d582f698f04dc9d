/** Calls that a plan names: the run makes them as the role that carries out the task, without a model. */

import { fitted } from '../../base/text/fit.js';
import { contentText } from '../../conversation/tool-result.js';
import { taskInstruction } from '../../rules/prompts/instructions.js';
import { endedBadly } from '../../rules/tools/exit-code.js';
import { asTaken } from '../../rules/tools/model-habits.js';
import type { PinnedRole } from '../../run/agents/role.js';
import { NO_USAGE, type ToolResultBlock, type ToolUseBlock, toolCallId } from '../../run/messages/message.js';
import type { PlannedCall, Task } from '../../run/plan/plan.js';
import type { Execution, Turns } from '../../run/position/position.js';
import { argumentNames, isCommandName } from '../../run/tools/tool-paths.js';
import { argumentFaults } from '../inbox/check-arguments.js';
import type { Run } from '../run/run.js';
import { instruct } from '../say/instruct.js';

/** Limit of the text about the faults of one call's arguments. */
const FAULTS_BYTES = 4_000;

/** Adds the calls to the role's conversation, and opens them at the position. Returns the first id. */
export function openCalls(
  run: Run,
  {
    role,
    turns,
    calls,
    text = '',
  }: { role: PinnedRole; turns: Turns; calls: readonly PlannedCall[]; text?: string },
): string {
  const { state } = run;
  const thread = run.threadOf(role);
  const callId = run.nextId('c');
  const [last] = [thread, run.mainThread()].flatMap(
    ({ messages }) => messages.findLast(message => message.kind === 'assistant') ?? [],
  );
  const { id } = run.append(thread, {
    id: run.nextId('m'),
    at: run.ports.now(),
    kind: 'assistant',
    role: role.name,
    content: [
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...calls.map((call, index) => calledBlock(run, call, toolCallId(callId, index + 1))),
    ],
    stopReason: 'tool_use',
    action: 'calling_tool',
    model: last?.model ?? '',
    usage: NO_USAGE,
  });
  const { turns: turn } = state.total;
  turns.batch = {
    ...{ thread: thread.id, messageId: id, turn, toolsOffered: true, next: 0, edited: {} },
    planned: true,
  };
  return toolCallId(callId, 1);
}

/**
 * A model activity would have corrected and validated the call, but no model was called, so that happens here.
 * Otherwise a person would be asked about a call that can't run.
 */
function calledBlock({ pinned }: Run, call: PlannedCall, id: string): ToolUseBlock {
  const { name, input } = asTaken({ name: call.tool, input: call.arguments }, pinned.tools);
  const tool = pinned.tools.find(each => each.name === name);
  const errors = tool?.validation === 'strict' ? argumentFaults(tool.inputSchema, input) : [];
  return {
    ...{ type: 'tool_use', id, name, input },
    ...(errors.length > 0 && { argErrors: fitted(errors, FAULTS_BYTES) }),
  };
}

/** Begins the call that does the whole task (L22). Null if there is no such call, or the role has taken over. */
export function beginOwnCall(
  run: Run,
  position: Execution,
  { task, role, rounds }: { task: Task; role: PinnedRole; rounds: number },
): Promise<void> | null {
  const { call } = task;
  // A message came before the call, which was therefore skipped: it is made now, after the message.
  if (position.call && resultAt(run, position, role)?.ending === 'skipped') delete position.call;
  if (position.call !== undefined || !call) {
    if (position.call) position.call = null;
    return null;
  }
  const { turns } = position;
  // A role with a conversation of its own has not read the plan.
  if (role.memory === 'private') {
    instruct(run, role, taskInstruction(run.state, task, role, rounds), task.id);
    turns.instructed = true;
  }
  position.call = openCalls(run, { role, turns, calls: [call], text: task.description });
  return Promise.resolve();
}

/** Returns the text of the task's own call. Null before it, or if it did not succeed: its role then works on the task. */
export function ownResult(run: Run, position: Execution, role: PinnedRole): string | null {
  if (position.turns.batch !== null) return null;
  const result = resultAt(run, position, role);
  if (!result || result.isError || !(result.ending === 'executed' || result.ending === 'reused')) return null;
  const text = contentText(result.content);
  return isFailedCommand(run, result.toolName, text) ? null : text || result.note;
}

/**
 * True if the first line of a command's output says that it failed. Such a result is not marked as an error of the
 * tool.
 */
function isFailedCommand({ pinned }: Run, name: string, text: string): boolean {
  const tool = pinned.tools.find(each => each.name === name);
  if (!tool || !argumentNames(tool).some(isCommandName)) return false;
  return endedBadly(text.slice(0, `${text}\n`.indexOf('\n')));
}

function resultAt(run: Run, { call }: Execution, role: PinnedRole): ToolResultBlock | undefined {
  if (!call) return undefined;
  for (const message of run.threadOf(role).messages.toReversed())
    if (message.kind === 'tool_result' && message.content[0].toolUseId === call) return message.content[0];
  return undefined;
}
