/** One model call of a role: pin what it sends, call, and settle what comes back. */
import type { CallModelResult } from '../activities/types.js';
import { modelFailureDecision } from '../core/decide.js';
import type { CallFailure } from '../core/failure.js';
import { preview } from '../core/journal.js';
import type { AssistantMessage } from '../core/message.js';
import { actionOf, addUsage, textOf, toolCallsOf } from '../core/message.js';
import type { PinnedRole } from '../core/role.js';
import type { PinnedCall, Thread } from '../core/run-state.js';
import { accountOf, CALLS_KEPT, isHeld } from '../core/run-state.js';
import { contextBudget, trimAfterRefusal, trimToFit } from './fit-thread.js';
import type { CallOptions } from './ports.js';
import type { Run } from './run.js';

export type ModelReply =
  /** `text`: what it says whole, also where the message has its head and tail. */
  | { kind: 'message'; message: AssistantMessage; text: string; durationMs: number; repairedText?: string }
  | { kind: 'interrupted' }
  | { kind: 'failed'; failure: CallFailure };

/** Tries of one model, by Temporal: 1 s apart at first, doubling, or as the endpoint's Retry-After says. */
const MODEL_ATTEMPTS = 4;
/** How often one call is trimmed for a model that finds it too long: each time by nearly half. */
const MOST_TRIMS = 4;

/**
 * Calls the role's model and appends its reply. A lost call is made again with the same model; a
 * failure of the model goes on to the next of its chain (DESIGN.md, "Failures").
 */
export async function callModel(run: Run, role: PinnedRole, toolsOffered: boolean): Promise<ModelReply> {
  const { state } = run;
  const thread = run.threadOf(role);
  let trims = 0;
  for (;;) {
    // Also between tries: the loop's safe point holds a run that was paused meanwhile.
    if (isHeld(state)) return { kind: 'interrupted' };
    const chain = role.models.length > 0 ? role.models : run.pinned.models;
    const index = state.modelIndex[role.name] ?? 0;
    const model = chain[index] ?? chain[0];
    if (model === undefined) throw new Error(`role ${role.name} has no model`);
    trimToFit(run, thread, contextBudget(run, role, model, toolsOffered), 'context window');
    const call = pinCall(run, role, thread, model, toolsOffered);
    const { callId } = call;
    run.journal('model_call_started', {
      callId,
      role: role.name,
      model,
      round: state.cursor.round + 1,
      taskId: state.cursor.taskId,
      form: role.output === 'text' ? 'words' : 'json',
    });
    run.inFlight = { kind: 'model', role: role.name, interruptible: true };
    const check = run.offered.offer(run, call);
    const input = { callId, role: role.name, model, check };
    const called = await run.ports.callModel(input, optionsFor(run, call));
    run.inFlight = null;
    if (called.ok) return settle(run, { thread, role }, call, called.value);
    const next = nextOf(run, called.failure, index + 1 < chain.length);
    const { kind, type, message } = called.failure;
    run.journal('model_call_failed', { callId, model, failure: type || kind, message, next });
    if (next === 'stop' || next === 'interrupted') return { kind: 'interrupted' };
    if (next === 'reschedule') continue;
    if (next === 'compact' && trims++ < MOST_TRIMS && trimAfterRefusal(run, thread, model)) continue;
    if (next !== 'next_model' && next !== 'compact') return { kind: 'failed', failure: called.failure };
    const toModel = chain[index + 1];
    if (toModel === undefined) return { kind: 'failed', failure: called.failure };
    state.modelIndex[role.name] = index + 1;
    run.journal('provider_switch', { role: role.name, fromModel: model, toModel });
  }
}

function nextOf({ state }: Run, failure: CallFailure, hasNextModel: boolean) {
  if (state.stop) return 'stop';
  return failure.kind === 'cancelled' ? 'interrupted' : modelFailureDecision(failure, hasNextModel);
}

function optionsFor(run: Run, call: PinnedCall): CallOptions {
  const { cursor } = run.state;
  const place = cursor.taskId ?? `cycle ${cursor.cycle}`;
  return {
    summary: preview(`${call.role} · ${place} · round ${cursor.round + 1} · ${call.model}`, 190),
    timeoutMs: run.pinned.modelTimeoutMs,
    attempts: MODEL_ATTEMPTS,
    interruptible: true,
  };
}

/** Fixes what the call sends. Pins of earlier calls are kept for operators, the last five only. */
function pinCall(
  run: Run,
  role: PinnedRole,
  thread: Thread,
  model: string,
  toolsOffered: boolean,
): PinnedCall {
  const call: PinnedCall = {
    callId: run.nextId('c'),
    role: role.name,
    model,
    thread: thread.id,
    epoch: thread.epoch,
    upTo: thread.messages.length,
    toolsOffered,
  };
  run.state.calls = [...run.state.calls.slice(-CALLS_KEPT), call];
  return call;
}

function settle(
  run: Run,
  { thread, role }: { thread: Thread; role: PinnedRole },
  call: PinnedCall,
  result: CallModelResult,
): ModelReply {
  const { state } = run;
  const account = accountOf(state);
  const message = run.append(thread, {
    id: run.nextId('m'),
    at: run.ports.now(),
    kind: 'assistant',
    role: call.role,
    content: withOwnToolIds(result.content, call.callId),
    stopReason: result.stopReason,
    action: actionOf(role.output, result),
    model: result.model,
    usage: result.usage,
  });
  account.usage = addUsage(account.usage, result.usage);
  state.usage = addUsage(state.usage, result.usage);
  // The wrap-up call is outside the count (DESIGN.md, "Team mode").
  if (state.cursor.phase !== 'wrap_up') {
    account.counters = { ...account.counters, turns: account.counters.turns + 1 };
    state.turns += 1;
  }
  run.journal('model_call_ended', {
    callId: call.callId,
    role: call.role,
    messageId: message.id,
    stopReason: result.stopReason,
    toolCalls: toolCallsOf(message).length,
    usage: result.usage,
    durationMs: result.durationMs,
  });
  if (result.stopReason === 'interrupted') return { kind: 'interrupted' };
  const { repairedText, durationMs, wholeText = textOf(message) } = result;
  return {
    kind: 'message',
    message,
    text: wholeText,
    durationMs,
    ...(repairedText === undefined ? {} : { repairedText }),
  };
}

/** Endpoints repeat tool call ids or leave them out; the run's own are unique, so results always pair (G7). */
function withOwnToolIds(content: AssistantMessage['content'], callId: string): AssistantMessage['content'] {
  let index = 0;
  return content.map(block => {
    if (block.type !== 'tool_use') return block;
    index += 1;
    return { ...block, id: `${callId}_${index}` };
  });
}
