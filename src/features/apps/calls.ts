/**
 * Calls of tools that an app requests, not a model; models do not see them. They run outside the loop, with the same
 * permissions, gates and activities as any call. Waiting calls are in the state. Running calls are awaited before the run ends
 * or continues as new.
 */

import { preview } from '../../base/text/preview.js';
import { fill } from '../../base/words/words.js';
import { notAllowedNote, refusalNote } from '../../conversation/tool-notes.js';
import { eventTextOf, resultText, toolResult } from '../../conversation/tool-result.js';
import { approvalOf } from '../../rules/gates/gate-text.js';
import { offeredTools } from '../../run/agents/run-config.js';
import { isRoomForGate } from '../../run/gates/gate.js';
import type { ToolEnding, ToolResultBlock, ToolUseBlock } from '../../run/messages/message.js';
import { decidePermission, type Permission } from '../../run/tools/permission.js';
import { serverOf, type ToolDefinition } from '../../run/tools/tool.js';
import { closeGate, gateAt, openGate, openGates, takeRecorded } from '../../workflows/run/gates.js';
import type { Run } from '../../workflows/run/run.js';
import { changedBy, noteEffect } from '../../workflows/turn/tools/finish-call.js';
import { callUntilResult } from '../../workflows/turn/tools/run-tools.js';
import { toolRequest } from '../../workflows/turn/tools/tool-request.js';
import { type AppAsk, type AppCall, appUse, withCall } from './rules.js';

/** Takes a call that `appCallFault` accepted. Its result is reported as an event, and stored for the app. */
export function takeAppCall(run: Run, { of, input }: AppAsk, tool: ToolDefinition): { callId: string } {
  const call: AppCall = { callId: run.nextId('c'), of, tool: tool.name, input };
  appUse.set(run.state, withCall(appUse.of(run.state), call, run.ports.now()));
  void serve(run, call);
  return { callId: call.callId };
}

/** Returns why the run refuses a call; null if it accepts. A refusal in advance costs no history. */
export function appCallFault(run: Run, tool: ToolDefinition, input: Record<string, unknown>): string | null {
  const { pinned, state, ports } = run;
  if (ports.handoverSuggested()) return 'The run goes on in another part: ask again in a moment.';
  const isOffered = offeredTools(pinned, ...Object.values(pinned.roles)).includes(tool);
  if (!isOffered && tool.appOnly !== true) return `No role of this run has ${tool.name}, so no app has it.`;
  const permission = permissionOf(run, tool, input);
  if (permission === 'ask' && state.settings.attended !== true)
    return `A person has to allow ${tool.name}, and this run is unattended.`;
  return refusalNote(run.words, tool.name, permission);
}

/** Resumes in a new segment: waiting calls continue, and the outcome of calls that were sent is unknown. */
export function resumeAppCalls(run: Run): void {
  for (const call of callsOf(run)) {
    if (call.begun) endUnfinished(run, call);
    else void serve(run, call);
  }
}

/** Ends all calls, because the run has ended. */
export function closeAppCalls(run: Run): void {
  for (const call of callsOf(run)) endUnfinished(run, call);
}

/** A call that was sent may have had its effect, so its outcome is unknown. */
function endUnfinished(run: Run, call: AppCall): void {
  const { begun } = call;
  const ending = begun ? 'outcome_unknown' : 'cancelled';
  const note = begun ? run.words.noteWhyConnection : run.words.noteCancelledUnsent;
  end(run, call, begun ? toolOf(run, call) : null, ended(run, call, ending, note));
}

/** True if a call is in flight outside the loop: it must end in the segment in which it began. */
export function isServingApp(run: Run): boolean {
  return callsOf(run).some(({ begun }) => begun);
}

function callsOf({ state }: Pick<Run, 'state'>): AppCall[] {
  return appUse.of(state).calls;
}

/** The end of a run waits this long for calls in flight. */
const GRACE_MS = 60_000;

/** Resolves when no call runs, or after `GRACE_MS`; null if all have ended. */
export function pendingAppCalls(run: Run): Promise<void> | null {
  const isIdle = () => !isServingApp(run);
  return isIdle() ? null : run.ports.wait(isIdle, GRACE_MS, 'the calls of an app end');
}

/** A call that needs no approval begins at once, so that no segment ends in between. */
async function serve(run: Run, call: AppCall): Promise<void> {
  const tool = toolOf(run, call);
  if (!tool) return refuse(run, call, 'unavailable', run.words.noteGone);
  const mustAsk = call.approved !== true && permissionOf(run, tool, call.input) === 'ask';
  if (mustAsk && !(await asked(run, call, tool))) return;
  const refusal = refusalNote(run.words, tool.name, permissionOf(run, tool, call.input));
  if (refusal !== null) return refuse(run, call, 'denied', refusal);
  if (!mayBegin(run, call)) {
    const came = await waited(run, () => mayBegin(run, call), null, `the call of an app: ${tool.name}`);
    if (!came) return;
  }
  if (isOver(run, call)) return refuse(run, call, 'cancelled', run.words.noteRunStopped);
  end(run, call, tool, await made(run, call, tool));
}

async function made(run: Run, call: AppCall, tool: ToolDefinition): Promise<ToolResultBlock> {
  call.begun = true;
  const { callId, of: askedBy, input } = call;
  const edited = call.edited ? { arguments: JSON.stringify(input), edited: call.edited } : null;
  run.journal('app_call_started', {
    ...{ callId, askedBy, tool: tool.name },
    ...(edited ?? { arguments: preview(JSON.stringify(input)) }),
  });
  const block = blockOf(call);
  const { input: request, ...how } = toolRequest(run, tool, { callId, toolUseId: block.id, given: input });
  const sent = { ...request, arguments: input, app: {} };
  const start = (again: boolean) =>
    run.ports.callTool(sent, again ? { ...how.options, anyWorker: true } : how.options);
  return callUntilResult(run, { call: block, callId, tool, note: null }, { start, session: how.session });
}

/** A waiting call continues in the next segment, and a run that is about to end begins nothing. */
function mayBegin(run: Run, call: AppCall): boolean {
  const { state, ports, memory } = run;
  const isHeld = state.people.pausedAt !== null || ports.handoverSuggested() || memory.isResting;
  return isOver(run, call) || !isHeld;
}

/** False if the run was cancelled meanwhile: its end closes all calls. */
function waited(run: Run, until: () => boolean, ms: number | null, what: string): Promise<boolean> {
  return run.ports.wait(until, ms, what).then(
    () => true,
    () => false,
  );
}

function permissionOf(
  { state, pinned }: Run,
  tool: ToolDefinition,
  input: Record<string, unknown>,
): Permission {
  const { autoApprove, workspace } = state.settings;
  const given = { alwaysThisRun: state.people.allowedTools, autoApprove };
  return decidePermission(tool, { input, workspace }, pinned.permissions, given);
}

interface AppDecision {
  decision: 'approve' | 'deny' | 'always';
  reason: string | null;
  arguments: Record<string, unknown> | null;
}

/**
 * Asks a person, in parallel with the loop. True: it was allowed, and the state says so; false: the call has ended, or
 * will.
 */
async function asked(run: Run, call: AppCall, tool: ToolDefinition): Promise<boolean> {
  const { ports, words } = run;
  const key = `approval:app:${call.callId}`;
  const isOpen = () => gateAt(run, key);
  if (!isOpen()) {
    if (!isRoomForGate(openGates(run))) return denied(run, call, 'Too many questions wait for a person.');
    const auto = openGate(run, { key, kind: 'approval', ...questionOf(run, call, tool) });
    if (auto) return take(run, call, auto);
    run.show();
  }
  const { deadline } = isOpen()?.gate ?? { deadline: null };
  const isDone = () => isOver(run, call) || isOpen()?.answer !== null;
  const waitsMs = deadline === null ? null : Math.max(0, deadline - ports.now());
  if (!(await waited(run, isDone, waitsMs, `a person's answer to the call of an app`))) return false;
  const recorded = takeRecorded(run, key);
  if (recorded?.kind === 'approval') return take(run, call, recorded);
  const open = isOpen();
  if (isOver(run, call)) {
    if (open) closeGate(run, open, 'superseded', 'stop');
    refuse(run, call, 'cancelled', words.noteRunStopped);
    return false;
  }
  if (open) {
    closeGate(run, open, 'timeout', 'deny');
    return denied(run, call, 'Nobody answered in time.');
  }
  // It was closed from elsewhere: by allowing the tool for the run, or by a message that changes the plan.
  if (permissionOf(run, tool, call.input) === 'run') return true;
  refuse(run, call, 'skipped', words.noteSuperseded);
  return false;
}

/** Written to the state before the next wait, so that an answer is not lost. */
function take(run: Run, call: AppCall, { decision, reason, arguments: edited }: AppDecision): boolean {
  if (decision === 'deny') return denied(run, call, reason);
  call.approved = true;
  if (edited) {
    call.input = edited;
    call.edited = true;
  }
  return true;
}

function denied(run: Run, call: AppCall, reason: string | null): false {
  refuse(run, call, 'denied', notAllowedNote(run.words, call.tool, reason));
  return false;
}

function refuse(run: Run, call: AppCall, ending: ToolEnding, note: string): void {
  end(run, call, null, ended(run, call, ending, note));
}

function toolOf({ pinned }: Run, call: AppCall): ToolDefinition | null {
  return pinned.tools.find(({ name }) => name === call.tool) ?? null;
}

function questionOf(run: Run, { callId, input }: AppCall, tool: ToolDefinition) {
  const concerns = [fill(run.words.appAsks, { server: serverOf(tool) ?? '' })];
  if (tool.policy.destructive) concerns.push(run.words.mayDestroy);
  return approvalOf(run.words, tool, { callId, input, thought: '', concerns });
}

function isOver({ state }: Run, call: AppCall): boolean {
  return state.people.stop !== null || state.end !== null || !callsOf({ state }).includes(call);
}

function blockOf({ callId, tool, input }: AppCall): ToolUseBlock {
  return { type: 'tool_use', id: `app_${callId}`, name: tool, input };
}

function ended(run: Run, call: AppCall, ending: ToolEnding, note: string): ToolResultBlock {
  return toolResult(blockOf(call), ending, { note }, run.words);
}

/** Ends a call once: stores the result for the app, and notes effects for the run. `ran`: the tool if it was called. */
function end(run: Run, call: AppCall, ran: ToolDefinition | null, result: ToolResultBlock): void {
  const use = appUse.of(run.state);
  if (!use.calls.includes(call)) return;
  appUse.set(run.state, { ...use, calls: use.calls.filter(each => each !== call) });
  const { ending, isError, durationMs, app } = result;
  // Earlier reads may be outdated.
  if (ran && noteEffect(run, ran, { input: call.input, result })) run.doubtReads();
  const { callId, of: askedBy, tool } = call;
  const ended = { callId, askedBy, tool, ending, isError, durationMs, ...eventTextOf(resultText(result)) };
  run.journal('app_call_ended', { ...ended, ...(app && { app }), ...changedBy(run, callId) });
  run.show();
}
