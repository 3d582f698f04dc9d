/**
 * Facts about a call without a result. A call that may have effects is repeated only with proof that it did not begin,
 * or if repeating it changes nothing (`idempotent`, as `write` is).
 */

import { WORKER_TRIES } from '../../base/sizes/bounds.js';
import { type CallFailure, FAILURE } from '../limits/failure.js';
import type { ToolEnding } from '../messages/message.js';

/** Proofs that a call did not begin, as far as code distinguishes them. `docs/tools.md` lists all with reasons. */
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

/** An HTTP server's answer instead of a JSON-RPC message. */
export interface HttpAnswer {
  status: number;
  inSession: boolean;
  /** The answer states when to send the request again. */
  asksAgain: boolean;
}

/** Any other status may follow the effect, from the tool's own handler or a proxy of its server. */
export function proofOfHttp({ status, inSession, asksAgain }: HttpAnswer): NotBegun | null {
  if (status === 404) return inSession ? 'http_session_lost' : null;
  if (status === 429) return asksAgain ? 'http_rate_limit' : null;
  return ALWAYS_BEFORE[status] ?? null;
}

/** Servers check authorization, method and media type before the message. */
const ALWAYS_BEFORE: Partial<Record<number, NotBegun>> = {
  401: 'http_unauthorized',
  405: 'http_method',
  415: 'http_media_type',
};

const BEFORE_A_CONNECTION: ReadonlySet<string | undefined> = new Set(['getaddrinfo', 'connect']);
/** Node's own connection timeout, which has no system call. */
const CONNECT_TIMEOUT = 'UND_ERR_CONNECT_TIMEOUT';

type SocketError = Partial<Record<'syscall' | 'code', string | undefined>>;

export function proofOfSocket({ syscall, code }: SocketError): NotBegun | null {
  return BEFORE_A_CONNECTION.has(syscall) || code === CONNECT_TIMEOUT ? 'not_connected' : null;
}

/** JSON-RPC codes: unknown method, invalid parameters. */
export const RPC = { methodNotFound: -32_601, invalidParams: -32_602 } as const;

/** The SDKs' codes for a lost answer: connection closed, request timed out. A gateway passes them on. */
const ANSWER_LOST: ReadonlySet<number | undefined> = new Set([-32_000, -32_001]);

/** `isListed`: the server had the tool before the call. The call itself may remove it. */
export function proofOfRpc(code: number | undefined, isListed: boolean): NotBegun | null {
  if (isListed) return null;
  if (code === RPC.methodNotFound) return 'rpc_no_method';
  return code === RPC.invalidParams ? 'rpc_no_tool' : null;
}

/** How a call with a JSON-RPC error ends. `mayRepeat`: repeating it is harmless, or only its arguments were refused. */
export function rpcEnding(
  code: number | undefined,
  { isListed, mayRepeat }: { isListed: boolean; mayRepeat: boolean },
): Extract<ToolEnding, 'executed' | 'unavailable' | 'invalid' | 'outcome_unknown'> {
  if (proofOfRpc(code, isListed)) return 'unavailable';
  if (code === RPC.invalidParams) return mayRepeat ? 'invalid' : 'outcome_unknown';
  if (code === RPC.methodNotFound) return mayRepeat ? 'unavailable' : 'outcome_unknown';
  return ANSWER_LOST.has(code) && !mayRepeat ? 'outcome_unknown' : 'executed';
}

/** True if an activity's failure is such a proof. Code that fails with one of these types has consulted the table. */
export function isNotBegun({ type }: Pick<CallFailure, 'type'>): boolean {
  const { notSent, noWorkspace } = FAILURE.tool;
  return type === notSent || type === noWorkspace || type === FAILURE.stateUnavailable;
}

/** The number of times that the workflow repeats a tool call that was lost through no fault of its own. */
const TOOL_RESCHEDULES = 3;

/** Decides after a tool call's last attempt: it is repeated if it did not begin, or was lost and is repeatable. */
export function toolFailureDecision(
  failure: CallFailure,
  given: { idempotent: boolean; rescheduled: number; stopped: boolean },
): 'reschedule' | 'end' {
  const most = failure.type === FAILURE.tool.noWorkspace ? WORKER_TRIES : TOOL_RESCHEDULES;
  if (failure.kind === 'cancelled' || given.stopped || given.rescheduled >= most) return 'end';
  if (isNotBegun(failure)) return 'reschedule';
  return failure.kind === 'lost' && given.idempotent ? 'reschedule' : 'end';
}

/** How a call without a result ends: `outcome_unknown` if it may have had effects, without proof of the contrary. */
export function toolEnding(failure: CallFailure, idempotent: boolean): ToolEnding {
  if (failure.kind === 'cancelled')
    return idempotent || isNotBegun(failure) ? 'cancelled' : 'outcome_unknown';
  if (isNotBegun(failure)) return 'unavailable';
  if (!idempotent) return 'outcome_unknown';
  const ranOut = failure.kind === 'timedOut' || failure.type === FAILURE.tool.timeout;
  return ranOut ? 'timed_out' : 'unavailable';
}
