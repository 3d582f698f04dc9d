/** The activity that asks functions of the worker's program for changes to a conversation before a call. */
import { activityInfo, cancellationSignal } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { ownValue } from '../../base/json/json.js';
import { type ContextChange, readChange } from '../../conversation/transform.js';
import type { Message } from '../../run/messages/message.js';
import { LATE, within } from '../../shared/waits.js';
import type { SteersmanActivities } from '../types.js';
import type { StateReader } from './state-reader.js';

/** A conversation as the next call would send it, without the system prompt. It is a copy. */
export interface AskedContext {
  messages: Message[];
  /** Estimated tokens of the messages. */
  tokens: number;
  role: string;
  /** `endpoint/model`. */
  model: string;
  /** Workflow id of the run. */
  runId: string;
  /** Number of the goal in the run, from 1. */
  goal: number;
  /** The `context` that the run was started with. */
  context: Readonly<Record<string, string>>;
  /** Aborted when the result is no longer awaited. */
  signal: AbortSignal;
}

/**
 * Returns changes to a conversation before a model call, within 10 s. After an error or an invalid result the
 * conversation stays unchanged, with a warning. It is asked once for each state of a conversation.
 */
export type ContextTransform = (
  asked: AskedContext,
) => ContextChange | null | undefined | Promise<ContextChange | null | undefined>;

export interface TransformDeps {
  transforms: Readonly<Record<string, ContextTransform>>;
  readState: StateReader;
  redact<T>(value: T): T;
}

const ANSWER_MS = 10_000;

/** Makes `steersmanTransform`. */
export function createTransform(deps: TransformDeps): SteersmanActivities['steersmanTransform'] {
  return async function steersmanTransform({ transform: name, callId, role, model, check, ...about }) {
    const transform = ownValue(deps.transforms, name);
    if (!transform)
      throw ApplicationFailure.nonRetryable(`this worker has no transform ${name}: give it to createWorker`);
    const { workflowId: id = '', runId = '' } = activityInfo().workflowExecution ?? {};
    const call = { workflowId: id, runId, callId, role, check };
    const { messages } = await deps.readState(call, cancellationSignal());
    const late = new AbortController();
    const asked = { ...about, role, model, runId: id, signal: late.signal };
    // A copy, because other calls use the original messages.
    const asking = Promise.resolve().then(() => transform({ ...asked, messages: structuredClone(messages) }));
    const returned = await within(ANSWER_MS, asking, LATE);
    if (returned === LATE) {
      late.abort();
      throw ApplicationFailure.nonRetryable(`it did not answer within ${ANSWER_MS / 1_000} s`);
    }
    const change = readChange(returned);
    if (!change.ok) throw ApplicationFailure.nonRetryable(change.errors.join(' '));
    return deps.redact(change.value);
  };
}
