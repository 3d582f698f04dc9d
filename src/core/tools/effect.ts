/**
 * What is known of the effect of a call that has no result. Only what stands in this table proves that a call was not
 * begun, and only with such a proof is a call made again that may have effects. All else leaves its outcome unknown.
 */

import { type CallFailure, FAILURE } from '../limits/failure.js';
import { WORKER_TRIES } from '../state/bounds.js';
import type { ToolEnding } from '../state/message.js';

interface ProofRow {
  /** What is called. */
  call: string;
  /** What its caller sees. */
  seen: string;
  /** Why no callee that works as specified can have begun the call. */
  why: string;
}

/** The proofs that a call was not begun. `docs/tools.md` has the same table. */
export const NOT_BEGUN = {
  not_sent: {
    call: 'any',
    seen: 'the worker had not sent it yet: no folder on its host, no connection, no list of tools, no arguments, or its own end came first',
    why: 'nothing left the worker',
  },
  no_worker: {
    call: 'a tool in the session of one worker',
    seen: 'the worker did not begin the call in 5 s',
    why: 'Temporal gives the call to nobody any more',
  },
  not_written: {
    call: 'an MCP server over stdio',
    seen: 'its process has ended, or the line with the call was not written whole',
    why: 'a server reads whole lines',
  },
  not_connected: {
    call: 'an MCP server over HTTP',
    seen: 'the name is not found, or connecting fails (`getaddrinfo`, `connect`)',
    why: 'a request is written to a connection that stands; the same error of one that stood (`read`, `write`) proves nothing',
  },
  http_unauthorized: {
    call: 'an MCP server over HTTP',
    seen: 'HTTP 401',
    why: 'authorization comes before the message is read',
  },
  http_session_lost: {
    call: 'an MCP server over HTTP',
    seen: 'HTTP 404, and the request named a session',
    why: 'the protocol keeps this answer for a session that the server does not know',
  },
  http_method: {
    call: 'an MCP server over HTTP',
    seen: 'HTTP 405',
    why: 'this address takes no messages',
  },
  http_media_type: {
    call: 'an MCP server over HTTP',
    seen: 'HTTP 415',
    why: 'the message was not read',
  },
  http_rate_limit: {
    call: 'an MCP server over HTTP',
    seen: 'HTTP 429 with `Retry-After`',
    why: 'a limit counts requests before it lets them in, and asks for this one again; without the header it may be passed on from behind the server',
  },
  rpc_no_method: {
    call: 'an MCP server',
    seen: 'JSON-RPC error -32601, and the server listed no such tool before the call',
    why: 'there is nothing that could begin; of a tool that is there, it may be the answer to what the tool itself asked elsewhere',
  },
  rpc_no_tool: {
    call: 'an MCP server',
    seen: 'JSON-RPC error -32602, and the server listed no such tool before the call',
    why: 'the protocol has this answer for a tool that is not there; of a tool that is there, servers also give it for a bad result',
  },
  function_arguments: {
    call: 'a function in code, an activity of the application',
    seen: 'its arguments do not fit its schema',
    why: 'it is called with what fits; what it throws itself proves nothing, whatever its type',
  },
  not_offered: {
    call: 'an activity of the application',
    seen: 'the worker does not offer it to runs',
    why: 'the worker refuses before it begins',
  },
  not_given: {
    call: 'a tool of the client',
    seen: 'its gate was not opened',
    why: 'the client hears of a call by its gate',
  },
  not_started: {
    call: 'a workflow of the application, a sub-agent',
    seen: 'it was refused or cancelled before its workflow was started',
    why: 'nothing of it runs before',
  },
} as const satisfies Record<string, ProofRow>;

export type NotBegun = keyof typeof NOT_BEGUN;

/** What a server over HTTP answered in place of a JSON-RPC message. */
export interface HttpAnswer {
  status: number;
  /** The request named a session. */
  inSession: boolean;
  /** The answer says when to send the request again. */
  asksAgain: boolean;
}

/**
 * Any other status can come after the effect: from the tool's own handler (400, 403, 409, 422, 500, a redirect), or from
 * what stands before its server (408, 502, 504; 503 too, to which some proxies add `Retry-After` by themselves).
 */
export function proofOfHttp({ status, inSession, asksAgain }: HttpAnswer): NotBegun | null {
  switch (status) {
    case 401:
      return 'http_unauthorized';
    case 404:
      return inSession ? 'http_session_lost' : null;
    case 405:
      return 'http_method';
    case 415:
      return 'http_media_type';
    case 429:
      return asksAgain ? 'http_rate_limit' : null;
    default:
      return null;
  }
}

const BEFORE_A_CONNECTION: ReadonlySet<string | undefined> = new Set(['getaddrinfo', 'connect']);
/** Node's own limit of time for a connection, which has no system call. */
const CONNECT_TIMEOUT = 'UND_ERR_CONNECT_TIMEOUT';

/** `syscall`, `code`: of the error of a socket, as Node gives them. */
export function proofOfSocket({
  syscall,
  code,
}: {
  syscall?: string | undefined;
  code?: string | undefined;
}): NotBegun | null {
  return BEFORE_A_CONNECTION.has(syscall) || code === CONNECT_TIMEOUT ? 'not_connected' : null;
}

/** JSON-RPC codes: no such method, wrong parameters. */
export const RPC = { methodNotFound: -32_601, invalidParams: -32_602 } as const;

/** What the SDKs say of an answer that was lost: connection closed, request timed out. A gateway passes it on. */
const ANSWER_LOST: ReadonlySet<number | undefined> = new Set([-32_000, -32_001]);

/** `isListed`: the server had the tool before the call. The call itself may take it from the list. */
export function proofOfRpc(code: number | undefined, isListed: boolean): NotBegun | null {
  if (isListed) return null;
  if (code === RPC.methodNotFound) return 'rpc_no_method';
  return code === RPC.invalidParams ? 'rpc_no_tool' : null;
}

/**
 * How a call ends that was answered with a JSON-RPC error. `mayRepeat`: it has no effect that another call could double,
 * or who answered says so of arguments alone, as our own server of functions does.
 */
export function rpcEnding(
  code: number | undefined,
  { isListed, mayRepeat }: { isListed: boolean; mayRepeat: boolean },
): Extract<ToolEnding, 'executed' | 'unavailable' | 'invalid' | 'outcome_unknown'> {
  if (proofOfRpc(code, isListed)) return 'unavailable';
  if (code === RPC.invalidParams) return mayRepeat ? 'invalid' : 'outcome_unknown';
  if (code === RPC.methodNotFound) return mayRepeat ? 'unavailable' : 'outcome_unknown';
  return ANSWER_LOST.has(code) && !mayRepeat ? 'outcome_unknown' : 'executed';
}

/** Whether the failure of an activity is such a proof. Who fails with one of these types has looked at the table. */
export function isNotBegun({ type }: Pick<CallFailure, 'type'>): boolean {
  const { notSent, noWorkspace } = FAILURE.tool;
  return type === notSent || type === noWorkspace || type === FAILURE.stateUnavailable;
}

/** How often the workflow makes a tool call again that was lost through no fault of its own. */
const TOOL_RESCHEDULES = 3;

/**
 * What follows a tool call whose attempts are used up. It is made again where it was not begun, or where it was lost with
 * its worker and may be repeated. Else it ends as `toolEnding` says.
 * `rescheduled`: how often that was done for this call.
 */
export function toolFailureDecision(
  failure: CallFailure,
  given: { idempotent: boolean; rescheduled: number; stopped: boolean },
): 'reschedule' | 'end' {
  const most = failure.type === FAILURE.tool.noWorkspace ? WORKER_TRIES : TOOL_RESCHEDULES;
  if (failure.kind === 'cancelled' || given.stopped || given.rescheduled >= most) return 'end';
  if (isNotBegun(failure)) return 'reschedule';
  return failure.kind === 'lost' && given.idempotent ? 'reschedule' : 'end';
}

/**
 * How a tool call ends that brought no result. A call that may have had effects, and of which nothing proves that it was
 * not begun, is `outcome_unknown`. An idempotent one ran out of time, or its server or worker was not there.
 */
export function toolEnding(failure: CallFailure, idempotent: boolean): ToolEnding {
  if (failure.kind === 'cancelled')
    return idempotent || isNotBegun(failure) ? 'cancelled' : 'outcome_unknown';
  if (isNotBegun(failure)) return 'unavailable';
  switch (failure.kind) {
    case 'timedOut':
      return idempotent ? 'timed_out' : 'outcome_unknown';
    case 'lost':
      return idempotent ? 'unavailable' : 'outcome_unknown';
    case 'application':
      if (!idempotent) return 'outcome_unknown';
      return failure.type === FAILURE.tool.timeout ? 'timed_out' : 'unavailable';
  }
}
