/** Makes a model call of a role: pins the request, makes the call, and handles its reply or failure. */
import type { CallModelInput, CallModelResult, RefusalLesson } from '../../activities/types.js';
import { ownValue } from '../../base/json/json.js';
import { preview } from '../../base/text/preview.js';
import { fill } from '../../base/words/words.js';
import { isSubagent } from '../../rules/agents/subagent.js';
import {
  declined,
  isLasting,
  lostForGood,
  modelFailureDecision,
  silentAgain,
} from '../../rules/limits/model-failure.js';
import type { PinnedRole } from '../../run/agents/role.js';
import {
  type CallFailure,
  isRetryableModelFailure,
  modelFailure,
  tookTooLong,
} from '../../run/limits/failure.js';
import {
  type AssistantMessage,
  actionOf,
  NO_USAGE,
  textOf,
  toolCallId,
  toolCallsOf,
} from '../../run/messages/message.js';
import { lessonsOf, WRITTEN_LESSON, withLesson } from '../../run/models/lessons.js';
import { NO_RETRIES, type PinnedCall, withInputCount } from '../../run/models/model-use.js';
import { answersAt } from '../../run/position/modes.js';
import { here, taskAt } from '../../run/state/cursor.js';
import { accountOf, isCounted, modeOf } from '../../run/state/run-state.js';
import type { Thread } from '../../run/state/thread.js';
import { aboutOf } from '../../run/state/trace.js';
import { hash64 } from '../../run/tools/ledger.js';
import type { CallAhead } from '../beside/feature.js';
import { prepared } from '../beside/moments.js';
import { disableModel, enableModel, leaveModel } from '../changes/set-model.js';
import type { Run } from '../run/run.js';
import { spend } from '../run/spend.js';
import { contextBudget, requestTokens, trimAfterRefusal, trimToFit } from './fit-thread.js';
import { modelCallOptions, pinCall } from './pin-call.js';
import { askProgram, modelAfter, modelForCall, noteCall, waitsFor } from './resolve-model.js';

export type ModelReply =
  | WholeReply
  /**
   * No reply, but no failure of the goal either: the loop checks everything again and retries. `cut`: the id of the partial
   * reply, if a person interrupted one.
   */
  | { kind: 'again'; cut?: string }
  | { kind: 'failed'; failure: CallFailure };

export interface WholeReply {
  kind: 'message';
  message: AssistantMessage;
  /** The full, repaired text; the message itself may have only its head and tail. */
  text: string;
  /** The number of the reply in the run. */
  turn: number;
  durationMs: number;
  /** Tools whose calls end its text, instead of native calls. */
  calledInText?: string[];
}

/**
 * Calls the role's model once and appends its reply. A lost call is retried with the same model, a failed one with the chain's
 * next model. Both go through the loop, which checks pause, stop and budgets before each call.
 */
export async function callModel(run: Run, role: PinnedRole, toolsOffered: boolean): Promise<ModelReply> {
  const { state } = run;
  const thread = run.threadOf(role);
  if (run.pinned.asksProgram && !(await askProgram(run, role))) return { kind: 'again' };
  const model = modelForCall(run, role);
  if (!run.line.hasTurn()) return { kind: 'again' };
  const foundOut = outAlready(run, role, model);
  if (foundOut) return { kind: 'failed', failure: foundOut };
  const ready = makeReady(run, { role, thread, model, toolsOffered });
  if (ready && !(await ready)) return { kind: 'again' };
  const call = pinCall(run, { role, thread, model, toolsOffered });
  const estimated = requestTokens(run, role);
  const { callId } = call;
  run.journal('model_call_started', {
    callId,
    role: role.name,
    model,
    turn: state.total.turns + 1,
    round: here(run.cursor).turns.round + 1,
    taskId: taskAt(run.cursor),
    form: role.output === 'text' ? 'words' : 'json',
    ...(answersAt(modeOf(state), here(run.cursor)) && { answers: true }),
  });
  const check = run.memory.offered.offer(run, call);
  const options = modelCallOptions(run, role, call);
  const called = await run.call({ kind: 'model', role: role.name }, options, () =>
    run.ports.callModel({ callId, role: role.name, model, check, ...knownOf(run, model) }, options),
  );
  const failedBy = (failure: CallFailure) =>
    finishFailure(run, { role, thread, call, failure, timeMs: options.wholeMs });
  if (!called.ok) return failedBy(called.failure);
  const { warning, lessons = [] } = called.value;
  for (const lesson of lessons) learn(run, model, lesson);
  if (warning !== undefined) run.warnOnce(`model ${hash64(warning)}`, warning);
  const failure = declined(called.value, model) ?? silent(run, role, { thread, model, reply: called.value });
  if (failure) noteCall(run, role.name, { stop: called.value.stopReason });
  return failure ? failedBy(failure) : takeReply(run, { thread, role, estimated }, call, called.value);
}

/** Fits the thread to the model. False: an event came meanwhile, which the loop handles first. Null: ready without waiting. */
function makeReady(run: Run, ahead: CallAhead): Promise<boolean> | null {
  const ready = prepared(run, ahead);
  if (ready !== undefined) return ready;
  const { role, thread, model } = ahead;
  trimToFit(run, thread, contextBudget(run, role, model), 'context window');
  return null;
}

/**
 * Returns a failure for a second reply without content: the next model takes over. A role with an output contract has its own
 * fallback if there is no next model.
 */
function silent(
  run: Run,
  role: PinnedRole,
  { thread, model, reply }: { thread: Thread; model: string; reply: CallModelResult },
): CallFailure | null {
  const { turns } = here(run.cursor);
  if (!turns.reasked || (role.output !== 'text' && modelAfter(run, role, model) === undefined)) return null;
  const failure = silentAgain(reply, model, thread.messages);
  // The next model's reply may be sent back once, too.
  if (failure) turns.reasked = false;
  return failure;
}

/** Returns the refusals that the run has learned of a model. */
function knownOf({ state }: Run, model: string): Pick<CallModelInput, 'lessons'> {
  const lessons = lessonsOf(state.models.lessons, model);
  return lessons.length === 0 ? {} : { lessons };
}

/** Reports a change that an endpoint's refusal required, once, and remembers it unless it holds for one call (FE6). */
function learn(run: Run, model: string, { id, told, once }: RefusalLesson): void {
  const { models } = run.state;
  if (!once) models.lessons = withLesson(models.lessons, model, id);
  run.warnOnce(`lesson ${hash64(`${model} ${id}`)}`, told);
}

/** Asks a model once to repeat calls in its text as native calls. From then on such calls are read from its text. */
export function askedNatively(
  run: Run,
  role: PinnedRole,
  { calledInText = [], message: { model } }: WholeReply,
): boolean {
  if (calledInText.length === 0 || lessonsOf(run.state.models.lessons, model).includes(WRITTEN_LESSON))
    return false;
  const names = calledInText.join(', ');
  const warning = `${model} called ${names} in the text of its reply: it is asked to call natively, and else its text is read.`;
  learn(run, model, { id: WRITTEN_LESSON, told: warning });
  const account = accountOf(run.state);
  account.counters = { ...account.counters, reasks: account.counters.reasks + 1 };
  const text = fill(run.words.callNatively, { names });
  run.journal('reask', { role: role.name, errors: [text] });
  run.say(run.threadOf(role), 'reask', text);
  return true;
}

/** For a sub-agent: returns the failure that already disabled this model, else null. A person is asked before a retry. */
function outAlready({ state }: Run, { name }: PinnedRole, model: string): CallFailure | null {
  const type = ownValue(state.models.out, model);
  const { failure = null } = ownValue(state.models.last, name) ?? {};
  if (type === undefined || failure !== null || !isSubagent(state.settings)) return null;
  const why = `${model} is not called again: it failed another agent of this goal for a reason that lasts (${type}).`;
  return { kind: 'application', type, message: why };
}

interface FailedCall {
  role: PinnedRole;
  thread: Thread;
  call: PinnedCall;
  failure: CallFailure;
  /** The time limit of the call with all its attempts, in milliseconds. */
  timeMs: number;
}

/** Decides what follows a call without a reply. Its usage counts anyway. */
function finishFailure(run: Run, failed: FailedCall): ModelReply {
  const { state } = run;
  const { role, call, failure } = failed;
  const { model } = call;
  const faultOfModel = isOutOfTime(run, failed) ? null : modelFailure(failure);
  if (faultOfModel) noteCall(run, role.name, { failure: faultOfModel });
  if (isLasting(failure)) disableModel(run, model, failure.type);
  const nextModel = modelAfter(run, role, model);
  spend(run, call, failure.usage ?? NO_USAGE, { failedCalls: 1 });
  const next = nextOf(run, failed, nextModel !== undefined);
  const { kind, type, message } = failure;
  run.journal('model_call_failed', {
    callId: call.callId,
    taskId: taskAt(run.cursor),
    model,
    turn: state.total.turns + 1,
    retryable: kind !== 'application' || isRetryableModelFailure(type),
    failure: type || kind,
    message,
    next,
  });
  const { retries } = run.line.models;
  run.line.models.retries = NO_RETRIES;
  switch (next) {
    case 'stop':
    case 'interrupted':
    case 'out_of_time':
      return { kind: 'again' };
    case 'reschedule':
      run.line.models.retries = { ...retries, lost: retries.lost + 1 };
      return { kind: 'again' };
    case 'compact':
      run.line.models.retries = { ...retries, trims: retries.trims + 1 };
      return { kind: 'again' };
    case 'next_model': {
      const why = preview([type || kind, message].filter(part => part !== '').join(': '), 300);
      leaveModel(run, role, { model, next: nextModel ?? model, why });
      return { kind: 'again' };
    }
    case 'give_up':
      return { kind: 'failed', failure: lostForGood(failure, retries.lost + 1) };
    case 'fail':
      return { kind: 'failed', failure };
  }
}

function nextOf(run: Run, failed: FailedCall, hasNextModel: boolean) {
  const { state } = run;
  const { role, thread, call, failure } = failed;
  if (state.people.stop) return 'stop';
  if (failure.kind === 'cancelled') return 'interrupted';
  if (isOutOfTime(run, failed)) return 'out_of_time';
  const next = modelFailureDecision(failure, { ...run.line.models.retries, hasNextModel });
  // A resolver row for this failure takes precedence over a shorter thread.
  if (next === 'compact' && hasNextModel && waitsFor(run, role, failure)) return 'next_model';
  if (next !== 'compact' || trimAfterRefusal(run, thread, call.model)) return next;
  return hasNextModel ? 'next_model' : 'fail';
}

/** True if the goal's time ended the call, not the model's limit. The loop then checks the budget, which may have grown. */
function isOutOfTime({ state, pinned }: Run, { failure, timeMs }: FailedCall): boolean {
  return tookTooLong(failure) && isCounted(state) && timeMs < pinned.modelTimeoutMs;
}

function takeReply(
  run: Run,
  { thread, role, estimated }: { thread: Thread; role: PinnedRole; estimated: number },
  call: PinnedCall,
  result: CallModelResult,
): ModelReply {
  const { state } = run;
  const message = run.append(thread, {
    id: run.nextId('m'),
    at: run.ports.now(),
    kind: 'assistant',
    role: call.role,
    content: withOwnToolIds(result.content, call.callId),
    stopReason: result.stopReason,
    action: actionOf(role.output, result),
    model: call.model,
    usage: result.usage,
  });
  const { models } = state;
  run.line.models.retries = NO_RETRIES;
  enableModel(run, call.model);
  models.inputCounts = withInputCount(models.inputCounts, call.model, { estimated, usage: result.usage });
  noteCall(run, role.name, { stop: result.stopReason });
  const turn = state.total.turns + 1;
  // The wrap-up call does not count as a turn.
  spend(run, call, result.usage, here(run.cursor).phase === 'wrap_up' ? {} : { turns: 1 });
  run.journal('model_call_ended', {
    callId: call.callId,
    taskId: taskAt(run.cursor),
    role: call.role,
    model: call.model,
    turn,
    messageId: message.id,
    stopReason: result.stopReason,
    toolCalls: toolCallsOf(message).length,
    usage: result.usage,
    durationMs: result.durationMs,
    about: aboutOf(message),
  });
  if (result.stopReason === 'interrupted') return { kind: 'again', cut: message.id };
  const { durationMs, outputText = textOf(message), calledInText } = result;
  return {
    kind: 'message',
    message,
    text: outputText,
    turn,
    durationMs,
    ...(calledInText && { calledInText }),
  };
}

/** Gives tool calls ids of the run. Endpoints repeat or omit ids, and results pair with calls only by unique ones. */
function withOwnToolIds(content: AssistantMessage['content'], callId: string): AssistantMessage['content'] {
  let index = 0;
  return content.map(block => {
    if (block.type !== 'tool_use') return block;
    index += 1;
    return { ...block, id: toolCallId(callId, index) };
  });
}
