/** The activity that asks functions of the worker's program what is to be changed of a conversation before a call. */
import { activityInfo, cancellationSignal } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { ownValue } from '../../base/json/json.js';
import { type ContextChange, readChange } from '../../conversation/transform.js';
import type { Message } from '../../run/messages/message.js';
import { within } from '../stop-signal.js';
import type { SteersmanActivities } from '../types.js';
import type { StateReader } from './state-reader.js';

/** A conversation as the next call would send it, without the system prompt. It is a copy. */
export interface AskedContext {
  messages: Message[];
  /** Of its messages, estimated. */
  tokens: number;
  role: string;
  /** `endpoint/model`. */
  model: string;
  /** Workflow id of the run. */
  runId: string;
  /** Number of the goal in the run, from 1. */
  goal: number;
  /** What the run was started with as `context`. */
  context: Readonly<Record<string, string>>;
  /** Aborts when nobody waits any more. */
  signal: AbortSignal;
}

/**
 * Says what is to be changed of a conversation before a model call, in 10 s. What it throws, or gives that is no change,
 * leaves the conversation as it is, with a warning. It is asked once for a conversation as it stands.
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
const LATE = Symbol('late');

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
    // What it is given, other calls are sent from.
    const asking = Promise.resolve().then(() => transform({ ...asked, messages: structuredClone(messages) }));
    const said = await within(ANSWER_MS, asking, LATE);
    if (said === LATE) {
      late.abort();
      throw ApplicationFailure.nonRetryable(`it did not answer within ${ANSWER_MS / 1_000} s`);
    }
    const change = readChange(said);
    if (!change.ok) throw ApplicationFailure.nonRetryable(change.errors.join(' '));
    return deps.redact(change.value);
  };
}
