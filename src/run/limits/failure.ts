import type { Usage } from '../messages/message.js';

/** Failure types that cross the border between activities and workflow: the `type` of an ApplicationFailure. */
export const FAILURE = {
  model: {
    rateLimited: 'model.rate_limited',
    overloaded: 'model.overloaded',
    server: 'model.server_error',
    connection: 'model.connection',
    timeout: 'model.timeout',
    stalled: 'model.stalled',
    auth: 'model.auth',
    forbidden: 'model.forbidden',
    badRequest: 'model.bad_request',
    unknownModel: 'model.unknown_model',
    /** The endpoint withheld what the model said, or would not take what it was asked. */
    contentFilter: 'model.content_filter',
    refused: 'model.refused',
    contextTooLong: 'model.context_too_long',
    badResponse: 'model.bad_response',
    /** The endpoint sent more than a worker takes in. */
    tooLarge: 'model.reply_too_large',
    /** The endpoint sent the request on to another address. */
    redirected: 'model.redirected',
  },
  /** The activity could not read its request from the workflow: no fault of the model. */
  stateUnavailable: 'state.unavailable',
  /** The worker is going away: no fault of model or tool. */
  workerShutdown: 'worker.shutdown',
  /** A call was lost with its worker again and again. */
  workerLost: 'worker.lost',
  /** The blob store could not keep or read a text: no fault of worker or tool. */
  storeFailed: 'store.failed',
  tool: {
    /** An idempotent call ran into its time limit. */
    timeout: 'tool.timeout',
    /** The connection closed after the request was sent. */
    connectionLost: 'tool.connection_lost',
    /** It is proven that the call was not begun: see `NotBegun` (`run/tools/effect.ts`). */
    notSent: 'tool.not_sent',
    /** Nothing was sent: the worker's host does not have the workspace. Another may. */
    noWorkspace: 'tool.no_workspace',
  },
  run: {
    badInput: 'run.bad_input',
    badConfig: 'run.bad_config',
    failed: 'run.failed',
  },
} as const;

export type ModelFailureType = (typeof FAILURE.model)[keyof typeof FAILURE.model];

/** A call that did not return. `lost`: worker death, shutdown, unreadable state; `timedOut`: the call's own limits. */
export interface CallFailure {
  kind: 'application' | 'lost' | 'timedOut' | 'cancelled';
  /** Dotted type for `application`, else empty. */
  type: string;
  message: string;
  /** What the call used all the same, estimated. */
  usage?: Usage;
  /** Of a run that could not begin: names of the worker's hooks. */
  hooks?: string[];
}

/** What a failed model call tells besides its type: the first of an ApplicationFailure's details. */
export interface CallFailureDetails {
  usage: Usage;
}

const RETRYABLE_MODEL: ReadonlySet<string> = new Set([
  FAILURE.model.rateLimited,
  FAILURE.model.overloaded,
  FAILURE.model.server,
  FAILURE.model.connection,
  FAILURE.model.timeout,
  FAILURE.model.stalled,
  FAILURE.model.badResponse,
]);

export function isRetryableModelFailure(type: string): boolean {
  return RETRYABLE_MODEL.has(type);
}

/** True where the limit of time ended a call, ours or the platform's. */
export function tookTooLong({ kind, type }: CallFailure): boolean {
  return kind === 'timedOut' || type === FAILURE.model.timeout || type === FAILURE.model.stalled;
}

/** The failure as one of the model's; null for any other, such as a lost worker. */
export function modelFailure({ kind, type }: CallFailure): ModelFailureType | null {
  if (kind === 'timedOut') return FAILURE.model.timeout;
  return kind === 'application' ? (MODEL_FAILURES.find(known => known === type) ?? null) : null;
}

export const MODEL_FAILURES: readonly ModelFailureType[] = Object.values(FAILURE.model);

/** What a query that was refused for this reason says; the client sees gRPC code 3 with this message. */
export const REFUSAL = 'This query came with events that belong to no workflow task yet: ask again.';
