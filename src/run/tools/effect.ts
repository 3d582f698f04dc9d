/**
 * What is known of a call without a result. One that may have effects is made again only with a proof that it did not
 * begin, or where twice does what once does (`idempotent`, as `write` is).
 */

import { WORKER_TRIES } from '../../base/sizes/bounds.js';
import { type CallFailure, FAILURE } from '../limits/failure.js';
import type { ToolEnding } from '../messages/message.js';

/** What proves that a call was not begun, where code tells proofs apart. `docs/tools.md` has all, each with its reason. */
export type NotBegun =
  | 'not_sent'
  | 'not_written'
  | 'not_connected'
  | 'http_unauthorized'
  | 'http_session_lost'
  | 'http_method'
  | 'http_media_type'
  | 'http_rate_limit'
  | 'rpc_no_method'
  | 'rpc_no_tool';

/** What a server over HTTP answered in place of a JSON-RPC message. */
export interface HttpAnswer {
  status: number;
  inSession: boolean;
  /** The answer says when to send the request again. */
  asksAgain: boolean;
}

/** Any other status can come after the effect, from the tool's own handler or from what stands before its server. */
export function proofOfHttp({ status, inSession, asksAgain }: HttpAnswer): NotBegun | null {
  if (status === 404) return inSession ? 'http_session_lost' : null;
  if (status === 429) return asksAgain ? 'http_rate_limit' : null;
  return ALWAYS_BEFORE[status] ?? null;
}

/** Authorization, method and media type are looked at before the message is. */
const ALWAYS_BEFORE: Partial<Record<number, NotBegun>> = {
  401: 'http_unauthorized',
  405: 'http_method',
  415: 'http_media_type',
};

const BEFORE_A_CONNECTION: ReadonlySet<string | undefined> = new Set(['getaddrinfo', 'connect']);
/** Node's own limit of time for a connection, which has no system call. */
const CONNECT_TIMEOUT = 'UND_ERR_CONNECT_TIMEOUT';

type SocketError = Partial<Record<'syscall' | 'code', string | undefined>>;

export function proofOfSocket({ syscall, code }: SocketError): NotBegun | null {
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

/** How a call ends that got a JSON-RPC error. `mayRepeat`: another call doubles nothing, or its arguments alone were refused. */
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

/** What follows a tool call whose attempts are used up: made again where it was not begun, or lost and repeatable. */
export function toolFailureDecision(
  failure: CallFailure,
  given: { idempotent: boolean; rescheduled: number; stopped: boolean },
): 'reschedule' | 'end' {
  const most = failure.type === FAILURE.tool.noWorkspace ? WORKER_TRIES : TOOL_RESCHEDULES;
  if (failure.kind === 'cancelled' || given.stopped || given.rescheduled >= most) return 'end';
  if (isNotBegun(failure)) return 'reschedule';
  return failure.kind === 'lost' && given.idempotent ? 'reschedule' : 'end';
}

/** How a call ends that brought no result: `outcome_unknown` where it may have had effects, and no proof says otherwise. */
export function toolEnding(failure: CallFailure, idempotent: boolean): ToolEnding {
  if (failure.kind === 'cancelled')
    return idempotent || isNotBegun(failure) ? 'cancelled' : 'outcome_unknown';
  if (isNotBegun(failure)) return 'unavailable';
  if (!idempotent) return 'outcome_unknown';
  const ranOut = failure.kind === 'timedOut' || failure.type === FAILURE.tool.timeout;
  return ranOut ? 'timed_out' : 'unavailable';
}
