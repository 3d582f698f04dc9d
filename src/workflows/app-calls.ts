/**
 * Calls of tools that an app asks for: no model does, and none hears of them. They go beside the loop, through the same
 * permissions, gates and activities as any call. What waits is in the state; what runs is waited for, where the run ends
 * or goes on in another part.
 */

import { isRoomForGate } from '../core/gates/gate.js';
import { approvalText } from '../core/gates/gate-text.js';
import { fill } from '../core/prompts/words.js';
import type { ToolEnding, ToolResultBlock, ToolUseBlock } from '../core/state/message.js';
import { preview } from '../core/text/preview.js';
import type { AppAsk, AppCall } from '../core/tools/apps.js';
import { decidePermission } from '../core/tools/permission.js';
import type { ToolDefinition } from '../core/tools/tool.js';
import { notAllowedNote } from '../core/tools/tool-notes.js';
import { resultPreview, resultText, toolResult } from '../core/tools/tool-result.js';
import { effectLine, mayHaveActed } from '../core/tools/tool-use.js';
import { closeGate, gateAt, openGate, openGates, takeRecorded } from './gates.js';
import type { Run } from './run.js';
import { noteEffects } from './turn/tools/finish-call.js';
import { carryOut } from './turn/tools/run-tools.js';
import { callLine, toolRequest } from './turn/tools/tool-request.js';

/** Takes a call that `appTool` allows, and begins it. Its result is told as an event, and kept for the app. */
export function takeAppCall(run: Run, { of, input }: AppAsk, tool: ToolDefinition): { callId: string } {
  const call: AppCall = { callId: run.nextId('c'), of, tool: tool.name, input };
  run.state.tools.apps.calls.push(call);
  run.journal('tool_call_started', {
    callId: call.callId,
    taskId: null,
    turn: run.state.total.turns,
    tool: tool.name,
    arguments: preview(JSON.stringify(input)),
    askedBy: of,
  });
  void serve(run, call);
  return { callId: call.callId };
}

/** A new part of the run: what waits goes on, and of what was sent nobody has the result. */
export function resumeAppCalls(run: Run): void {
  for (const call of run.state.tools.apps.calls) {
    if (call.begun) end(run, call, null, ended(run, call, 'outcome_unknown', run.words.noteWhyConnection));
    else void serve(run, call);
  }
}

/** None is waited for any more: the run has ended. */
export function closeAppCalls(run: Run): void {
  for (const call of run.state.tools.apps.calls)
    end(run, call, null, ended(run, call, call.begun ? 'outcome_unknown' : 'cancelled', ''));
}

/** Resolves when none runs; null where none does. Whatever ends a run waits for it. */
export function appCallsUnderWay(run: Run): Promise<void> | null {
  const isIdle = () => !run.isServingApp;
  return isIdle() ? null : run.ports.wait(isIdle, null, 'the calls of an app end');
}

async function serve(run: Run, call: AppCall): Promise<void> {
  const { pinned, state, ports } = run;
  const tool = pinned.tools.find(({ name }) => name === call.tool);
  if (!tool) return end(run, call, null, ended(run, call, 'unavailable', run.words.noteGone));
  // Where nobody is asked it begins at once, so that no part of the run ends in between.
  const said = permissionOf(run, tool, call.input) === 'ask' ? await asked(run, call, tool) : null;
  const input = allowed(run, call, { tool, said });
  if (input === null) return;
  const mayBegin = () => isOver(run, call) || (state.people.pausedAt === null && !ports.handoverSuggested());
  // What is noted goes on in the next part.
  if (!mayBegin())
    await ports.wait(mayBegin, null, `the call of an app: ${tool.name}`).catch(() => undefined);
  if (isOver(run, call)) return end(run, call, null, ended(run, call, 'cancelled', run.words.noteRunStopped));
  call.begun = true;
  const block = blockOf(call, input);
  const { callId } = call;
  const { input: request, ...how } = toolRequest(run, tool, { callId, toolUseId: block.id, given: input });
  const sent = { ...request, arguments: input, app: {} };
  const start = (again: boolean) =>
    ports.callTool(sent, again ? { ...how.options, anyWorker: true } : how.options);
  const result = await carryOut(
    run,
    { call: block, callId, tool, note: null },
    { start, session: how.session },
  );
  end(run, call, tool, result);
}

/** The arguments that it may run with; null where it may not, which has ended it. */
function allowed(
  run: Run,
  call: AppCall,
  { tool, said }: { tool: ToolDefinition; said: Said | 'over' | null },
): Record<string, unknown> | null {
  const { words } = run;
  const refuse = (ending: ToolEnding, note: string) => {
    end(run, call, null, ended(run, call, ending, note));
    return null;
  };
  if (said === 'over') return refuse('cancelled', words.noteRunStopped);
  if (said?.decision === 'deny') return refuse('denied', notAllowedNote(words, tool.name, said.reason));
  const input = said?.arguments ?? call.input;
  const permission = permissionOf(run, tool, input);
  if (permission === 'deny')
    return refuse('denied', fill(words.noteDeniedByConfiguration, { tool: tool.name }));
  if (permission === 'too_much')
    return refuse('denied', fill(words.noteTooMuchToCompare, { tool: tool.name }));
  return input;
}

function permissionOf({ state, pinned }: Run, tool: ToolDefinition, input: Record<string, unknown>) {
  const { autoApprove, workspace } = state.settings;
  const given = { alwaysThisRun: state.people.allowedTools, autoApprove };
  return decidePermission(tool, { input, workspace }, pinned.permissions, given);
}

interface Said {
  decision: 'approve' | 'deny' | 'always';
  reason: string | null;
  arguments: Record<string, unknown> | null;
}

/** Asks a person, beside whatever the run does. `over`: nobody needs an answer any more. */
async function asked(run: Run, call: AppCall, tool: ToolDefinition): Promise<Said | 'over'> {
  const { ports } = run;
  const key = `approval:app:${call.callId}`;
  const isOpen = () => gateAt(run, key);
  if (!isOpen()) {
    if (!isRoomForGate(openGates(run))) return denied('Too many questions wait for a person.');
    const auto = openGate(run, { key, kind: 'approval', ...questionOf(run, call, tool) });
    if (auto) return auto;
    run.show();
  }
  const gate = isOpen();
  const { deadline } = gate?.gate ?? { deadline: null };
  const isDone = () => isOver(run, call) || isOpen()?.answer !== null;
  const waitsMs = deadline === null ? null : Math.max(0, deadline - ports.now());
  await ports.wait(isDone, waitsMs, `a person's answer to the call of an app`).catch(() => undefined);
  const said = takeRecorded(run, key);
  if (said?.kind === 'approval') return said;
  const open = isOpen();
  if (isOver(run, call)) {
    if (open) closeGate(run, open, 'superseded', 'stop');
    return 'over';
  }
  // A person has allowed the tool for the run at another gate.
  if (!open) return { decision: 'approve', reason: null, arguments: null };
  closeGate(run, open, 'timeout', 'deny');
  return denied('Nobody answered in time.');
}

function denied(reason: string): Said {
  return { decision: 'deny', reason, arguments: null };
}

function questionOf(run: Run, call: AppCall, tool: ToolDefinition) {
  const server = tool.origin.type === 'mcp' ? tool.origin.server : '';
  const concerns = [fill(run.words.appAsks, { server })];
  if (tool.policy.destructive) concerns.push(run.words.mayDestroy);
  const { callId, input } = call;
  const text = approvalText(run.words, { tool: tool.name, callId, input, thought: '', concerns });
  const subject = {
    tool: tool.name,
    callId,
    arguments: preview(JSON.stringify(input), 1_000),
    ...(tool.digest !== undefined && { digest: tool.digest }),
  };
  return { ...text, subject };
}

function isOver({ state }: Run, call: AppCall): boolean {
  return state.people.stop !== null || state.end !== null || !state.tools.apps.calls.includes(call);
}

function blockOf({ callId, tool }: AppCall, input: Record<string, unknown>): ToolUseBlock {
  return { type: 'tool_use', id: `app_${callId}`, name: tool, input };
}

function ended(run: Run, call: AppCall, ending: ToolEnding, note: string): ToolResultBlock {
  return toolResult(blockOf(call, call.input), ending, { note }, run.words);
}

/** Once: its result, for the app by reference, and what it may have changed, for the run. `ran`: the tool, where it was called. */
function end(run: Run, call: AppCall, ran: ToolDefinition | null, result: ToolResultBlock): void {
  const { apps } = run.state.tools;
  if (!apps.calls.includes(call)) return;
  apps.calls = apps.calls.filter(each => each !== call);
  const { ending, isError, durationMs, app } = result;
  if (ran && !ran.policy.readOnly && mayHaveActed(ending)) {
    // What was read before may not be true any more.
    run.doubtReads();
    noteEffects(run, [effectLine(callLine(ran, call.input), result)]);
  }
  run.journal('tool_call_ended', {
    callId: call.callId,
    taskId: null,
    turn: run.state.total.turns,
    messageId: '',
    tool: call.tool,
    ending,
    isError,
    durationMs,
    text: resultPreview(resultText(result)),
    askedBy: call.of,
    ...(app && { app }),
  });
  run.show();
}
