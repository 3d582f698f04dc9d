/** Hooks on workers: functions of the program, and addresses of the configuration, are called at moments of a run. */

import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type {
  EndedRun,
  EndedTurn,
  Facts,
  FailedModel,
  HookMessage,
  RunHooks,
} from '../../activities/run-hooks.js';
import { pause } from '../../activities/stop-signal.js';
import { runIdOf } from '../../activities/store-text.js';
import type { Hears } from '../../activities/tell.js';
import type { MomentEnd, MomentInput } from '../../activities/types.js';
import { isRecord, isText } from '../../base/json/json.js';
import { errorText } from '../../base/text/error-text.js';
import { preview } from '../../base/text/preview.js';
import type { HookName } from '../../run/agents/run-config.js';
import type { Message } from '../../run/messages/message.js';
import { NOTE_WANTED, type Note, readNote } from '../../run/state/note.js';
import { failpoint } from '../../shared/process/failpoints.js';
import { askPatiently } from '../../shared/query-errors.js';
import { LATE, unlessOver, within, withinTime } from '../../shared/waits.js';

/** Calls one hook, until `signal` is aborted. @returns whether the goal continues, else why not, and notes. */
export type CallHook = (
  hook: HookName,
  told: Facts,
  signal: AbortSignal,
) => Promise<{ goOn: boolean; why?: string; notes?: Note[] }>;

export interface HookDeps {
  /** Hooks of program and configuration: all of them are called. */
  hooks: readonly CallHook[];
  /** Asks the run for messages. */
  readMessages(ids: string[]): Promise<Message[]>;
  redact<T>(value: T): T;
}

const FUNCTION_MS = 10_000;
/** Shares of the activity's minute: a slow hook leaves time for the others. */
const SHARE_MS = { message: 12_000, turn: 30_000, alone: 45_000 };
const GIVE_UP_MS = 8_000;
const WHY_CHARS = 300;
/** Limit of notes at one moment; further notes are dropped. */
const MOST_NOTES = 20;

/** Returns a program's functions as callable hooks. */
export function functionHooks(functions: RunHooks): CallHook {
  return async (hook, told, signal) => {
    const notes: Note[] = [];
    const given = { ...told, note: (note: Note) => void notes.push(checked(note)) };
    const called = async () => functions[hook]?.(given as EndedTurn & HookMessage & FailedModel & EndedRun);
    const answer = await unlessOver(signal, within(FUNCTION_MS, called(), LATE));
    if (answer === LATE) throw new Error(`it did not end within ${FUNCTION_MS / 1_000} s`);
    if (hook === 'onTurnEnd' && answer !== undefined && typeof answer !== 'boolean')
      throw new Error('it must return true, false or nothing');
    return { goOn: answer !== false, notes };
  };
}

function checked(note: Note): Note {
  const read = readNote(note);
  if (read === null) throw new Error(NOTE_WANTED);
  return read;
}

/** The activity's progress, from which another worker continues. */
interface Progress {
  /** Messages passed to hooks, including those that failed. */
  messages: number;
  notes: Note[];
  warning?: string;
  /** The hook being called, and its number of calls: an attempt that finds it here was lost in that call. */
  underway?: { hook: string; tries: number };
}

type Calling = HookDeps & { progress: Progress };

/**
 * A hook that blocks the event loop stops its worker's heartbeats, as if the worker was killed. After this many lost
 * calls it counts as failed.
 */
const MOST_LOST = 3;
const BLOCKS = `it never came back in ${MOST_LOST} calls: a hook must not block the event loop of its worker`;

/** Calls the hooks of a moment. */
export function hearsHooks(deps: HookDeps): Hears {
  return async (input, beat) => {
    const progress = progressOf(beat.details);
    beat.details = progress;
    await failpoint('hook.before-call');
    const end = await callAll(deps, input, progress);
    await failpoint('hook.after-call');
    return { ...end, ...(progress.notes.length > 0 && { notes: deps.redact(progress.notes) }) };
  };
}

function progressOf(details: unknown): Progress {
  if (!isRecord(details) || !Number.isInteger(details.messages)) return { messages: 0, notes: [] };
  const { messages, notes, warning, underway } = details;
  return {
    messages: Number(messages),
    notes: (Array.isArray(notes) ? notes : []).map(readNote).filter(note => note !== null),
    ...(isText(warning) && { warning }),
    ...(isUnderway(underway) && { underway }),
  };
}

function isUnderway(value: unknown): value is NonNullable<Progress['underway']> {
  return isRecord(value) && isText(value.hook) && Number.isSafeInteger(value.tries);
}

async function callAll(deps: HookDeps, input: MomentInput, progress: Progress): Promise<MomentEnd> {
  const { key, goal, context } = input;
  const facts = { key, runId: runIdOf(), goal, context };
  const calling = { ...deps, progress };
  switch (input.at) {
    case 'turn': {
      const { turn, role, model, usage, messageId } = input;
      const warning = await tellMessages(calling, facts, [messageId], SHARE_MS.message);
      const provider = model.slice(0, Math.max(0, model.indexOf('/')));
      const ended: Facts<EndedTurn> = { ...facts, turn, role, model, provider, usage };
      const end = await strict(() => callEach(calling, 'onTurnEnd', ended, signalFor(SHARE_MS.turn)), deps);
      return { ...end, ...warning };
    }
    case 'results': {
      return { goOn: true, ...(await tellMessages(calling, facts, input.messageIds, SHARE_MS.alone)) };
    }
    case 'error': {
      const { role, model, error, isRetryable } = input;
      const failed: Facts<FailedModel> = { ...facts, role, model, error, isRetryable };
      await callEach(calling, 'onError', failed, signalFor(SHARE_MS.alone)).catch(unlessCancelled);
      return { goOn: true };
    }
    case 'begin':
    case 'goal':
      return { goOn: true };
    case 'end': {
      const { outcome, cause } = input;
      const ended: Facts<EndedRun> = { ...facts, outcome, cause };
      try {
        await callEach(calling, 'onRunEnd', ended, signalFor(SHARE_MS.alone));
        return { goOn: true };
      } catch (error) {
        unlessCancelled();
        return { goOn: true, warning: warningOf('onRunEnd', error, deps) };
      }
    }
  }
}

/** Passes messages in order, each with its own key, even after failures of earlier ones. */
async function tellMessages(
  deps: Calling,
  told: Facts,
  ids: string[],
  ms: number,
): Promise<Pick<MomentEnd, 'warning'>> {
  const { progress } = deps;
  if (deps.hooks.length === 0) return {};
  const signal = signalFor(ms);
  while (progress.messages < ids.length && !signal.aborted) {
    try {
      await tellMessage(deps, told, ids[progress.messages] ?? '', signal);
    } catch (error) {
      unlessCancelled();
      progress.warning ??= warningOf('onMessage', error, deps);
    }
    progress.messages += 1;
    heartbeat(progress);
  }
  unlessCancelled();
  const left = ids.length - progress.messages;
  const rest = left > 0 ? `The time of the hook onMessage was over before ${left} more were told.` : '';
  const warning = [progress.warning, rest].filter(Boolean).join(' ');
  return warning === '' ? {} : { warning };
}

async function tellMessage(deps: Calling, facts: Facts, id: string, signal: AbortSignal): Promise<void> {
  const { runId = '' } = activityInfo().workflowExecution ?? {};
  // Messages are read one by one, because each may be as large as a query's answer.
  const [message] = await askPatiently(() => deps.readMessages([id]), { giveUpMs: GIVE_UP_MS, signal });
  const ofMessage = message && { ...facts, key: `${runId}-${id}`, message };
  if (ofMessage) await callEach(deps, 'onMessage', ofMessage, signal);
}

/**
 * Calls all hooks, even after a refusal or a failure. Of several failures it throws one that another attempt may
 * avoid, if there is one.
 */
async function callEach(
  { hooks, progress }: Calling,
  hook: HookName,
  told: Facts,
  signal: AbortSignal,
): Promise<MomentEnd> {
  let end: MomentEnd = { goOn: true };
  const faults: unknown[] = [];
  for (const [at, call] of hooks.entries()) {
    try {
      const {
        goOn,
        why,
        notes = [],
      } = await noting(progress, `${hook} ${at}`, () => call(hook, told, signal));
      progress.notes = [...progress.notes, ...notes].slice(0, MOST_NOTES);
      if (end.goOn && !goOn) end = { goOn, ...(why !== undefined && { why: preview(why, WHY_CHARS) }) };
    } catch (error) {
      unlessCancelled();
      faults.push(error);
    }
  }
  if (faults.length > 0) throw faults.find(fault => !isLasting(fault)) ?? faults[0];
  return end;
}

/** Makes a call, noted in the heartbeat, so the next attempt knows if it was lost. @throws after too many lost calls. */
async function noting<T>(progress: Progress, hook: string, call: () => Promise<T>): Promise<T> {
  const tries = progress.underway?.hook === hook ? progress.underway.tries + 1 : 1;
  if (tries > MOST_LOST) throw ApplicationFailure.nonRetryable(BLOCKS, 'hook');
  progress.underway = { hook, tries };
  heartbeat(progress);
  // The SDK records a heartbeat only when the event loop is free.
  await pause(1);
  try {
    return await call();
  } finally {
    delete progress.underway;
    heartbeat(progress);
  }
}

/** Returns a signal that aborts when the activity should stop, or when its hooks' time is over. */
function signalFor(ms: number): AbortSignal {
  return withinTime(ms, cancellationSignal());
}

function unlessCancelled(): void {
  cancellationSignal().throwIfAborted();
}

function isLasting(error: unknown): boolean {
  return error instanceof ApplicationFailure && error.nonRetryable === true;
}

/** Fails the activity if the hook fails. Temporal then retries it, unless the hook has already made its own retries. */
async function strict<T>(call: () => Promise<T>, { redact }: HookDeps): Promise<T> {
  try {
    return await call();
  } catch (error) {
    unlessCancelled();
    const message = redact(preview(errorText(error), WHY_CHARS));
    throw ApplicationFailure.create({ message, type: 'hook', nonRetryable: isLasting(error) });
  }
}

function warningOf(hook: HookName, error: unknown, { redact }: HookDeps): string {
  return redact(`The hook ${hook} failed: ${preview(errorText(error), WHY_CHARS)}`);
}
