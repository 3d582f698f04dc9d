import type { Usage } from '../messages/message.js';

/** Failure types that cross from activities to the workflow: the `type` of an ApplicationFailure. */
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
    /** The endpoint withheld the model's output, or refused the input. */
    contentFilter: 'model.content_filter',
    refused: 'model.refused',
    contextTooLong: 'model.context_too_long',
    badResponse: 'model.bad_response',
    /** The endpoint sent more than a worker accepts. */
    tooLarge: 'model.reply_too_large',
    /** The endpoint redirected the request to another address. */
    redirected: 'model.redirected',
  },
  /** The activity could not read its request from the workflow; the model is not at fault. */
  stateUnavailable: 'state.unavailable',
  /** The worker is shutting down; neither model nor tool is at fault. */
  workerShutdown: 'worker.shutdown',
  /** A call was lost with its worker repeatedly. */
  workerLost: 'worker.lost',
  /** The blob store could not write or read a text; neither worker nor tool is at fault. */
  storeFailed: 'store.failed',
  /** The account of a run was not settled, so no hook of that moment was called. */
  accountFailed: 'account.failed',
  tool: {
    /** An idempotent call reached its time limit. */
    timeout: 'tool.timeout',
    /** The connection closed after the request was sent. */
    connectionLost: 'tool.connection_lost',
    /** The call provably did not begin: see `NotBegun` (`run/tools/effect.ts`). */
    notSent: 'tool.not_sent',
    /** The request was not sent: this worker's host lacks the workspace, and another may have it. */
    noWorkspace: 'tool.no_workspace',
    /** A program's function that may be called again threw. */
    threw: 'tool.threw',
  },
  run: {
    badInput: 'run.bad_input',
    badConfig: 'run.bad_config',
    failed: 'run.failed',
    /** The maximum number of runs is at work: a later start may succeed. */
    busy: 'run.busy',
  },
} as const;

export type ModelFailureType = (typeof FAILURE.model)[keyof typeof FAILURE.model];

/** A call that did not return. `lost`: the worker stopped, or its state was unreadable; `timedOut`: the call's own limits. */
export interface CallFailure {
  kind: 'application' | 'lost' | 'timedOut' | 'cancelled';
  /** Dotted type for `application`, else ''. */
  type: string;
  message: string;
  /** The estimated usage of the failed call. */
  usage?: Usage;
  /** Names of the worker's hooks, for a run that could not begin. */
  hooks?: string[];
}

/** Details of a failed model call besides its type: the first of an ApplicationFailure's details. */
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

/** True if a time limit ended a call, ours or the platform's. */
export function tookTooLong({ kind, type }: CallFailure): boolean {
  return kind === 'timedOut' || type === FAILURE.model.timeout || type === FAILURE.model.stalled;
}

/** Returns the failure type of a model; null for any other failure, such as a lost worker. */
export function modelFailure({ kind, type }: CallFailure): ModelFailureType | null {
  if (kind === 'timedOut') return FAILURE.model.timeout;
  return kind === 'application' ? (MODEL_FAILURES.find(known => known === type) ?? null) : null;
}

export const MODEL_FAILURES: readonly ModelFailureType[] = Object.values(FAILURE.model);

/** The message of a query refused for this reason; the client sees gRPC code 3 with it. */
export const REFUSAL = 'This query came with events that belong to no workflow task yet: ask again.';
