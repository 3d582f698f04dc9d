/** Errors as HTTP answers, for user interfaces that serve runs over HTTP. */
import { errorText } from '../../base/text/error-text.js';
import { type ErrorCode, type FaultBody, SteersmanError } from '../../shared/process/errors.js';
import { explainError } from './grpc-errors.js';

const STATUS: Record<ErrorCode, number> = {
  usage: 400,
  configuration: 500,
  not_found: 404,
  conflict: 409,
  ended: 409,
  open: 409,
  rejected: 409,
  no_result: 500,
  unserved: 503,
  unreachable: 503,
  // The gateway's own status: it had no answer in time, so the request may have taken effect.
  uncertain: 504,
  host: 500,
  // The server is closing, or its own request was given up: nothing is wrong with the run.
  aborted: 503,
  internal: 500,
};

/** Converts any error to the status and the JSON body of an HTTP answer. A fault of the program is `internal`. */
export function httpFault(error: unknown): { status: number; body: FaultBody } {
  const known = explainError(error) ?? new SteersmanError(errorText(error), '', 'internal');
  const { code, message, remedy, option } = known;
  return {
    status: STATUS[code],
    body: { error: { code, message, remedy, ...(option !== null && { option }) } },
  };
}
