/** Which errors of Temporal's services may pass, and which mean something to a person. */
import {
  isGrpcDeadlineError,
  isGrpcServiceError,
  NamespaceNotFoundError,
  QueryNotRegisteredError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { SteersmanError } from '../errors.js';
import { EXIT } from './exit-codes.js';

const UNAUTHORIZED = [7, 16];
const UNAVAILABLE = 14;
const NOT_FOUND = 5;
const REFUSED = [3, 8];

/** The gRPC status code of an error or of its cause, if it has one. */
function grpcCode(error: unknown): number | null {
  if (isGrpcServiceError(error)) return error.code;
  return error instanceof Error && error.cause !== undefined ? grpcCode(error.cause) : null;
}

/** True when the server itself did not answer: it may be starting again. */
export function isServerAway(error: unknown): boolean {
  return grpcCode(error) === UNAVAILABLE || isGrpcDeadlineError(error);
}

/** True when asking this run again will never help: it is gone, or it has no such handler. */
export function isFinalQueryError(error: unknown): boolean {
  return error instanceof WorkflowNotFoundError || error instanceof QueryNotRegisteredError;
}

/** The error in words for a person; null for one that is a fault of ours. */
export function explainError(error: unknown): SteersmanError | null {
  if (error instanceof SteersmanError) return error;
  if (error instanceof NamespaceNotFoundError) {
    return new SteersmanError(
      `Temporal has no namespace ${error.namespace}.`,
      'Create it, or set TEMPORAL_NAMESPACE to one that exists.',
      EXIT.usage,
    );
  }
  if (error instanceof WorkflowNotFoundError) {
    return new SteersmanError(
      `Temporal knows no such run: ${error.workflowId}${error.runId ? ` (part ${error.runId})` : ''}.`,
      'List the runs with: npm run client -- list',
      EXIT.usage,
    );
  }
  const code = grpcCode(error);
  const message = rootMessage(error);
  if (isServerAway(error)) {
    return new SteersmanError(
      `Temporal does not answer: ${message}`,
      'Check that it runs, and try again. What was started goes on there.',
      EXIT.failed,
    );
  }
  if (code !== null && UNAUTHORIZED.includes(code)) {
    return new SteersmanError(
      `Temporal refuses this client: ${message}`,
      'Check TEMPORAL_API_KEY, the TLS certificate and the namespace.',
      EXIT.usage,
    );
  }
  if (code !== null && REFUSED.includes(code)) {
    return new SteersmanError(`Temporal refuses the request: ${message}`, '', EXIT.usage);
  }
  return code === null
    ? null
    : new SteersmanError(`Temporal answered with an error: ${message}`, '', EXIT.failed);
}

function rootMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return rootMessage(error.cause);
  // gRPC puts its status before the message.
  return error.message.replace(/^\d+ [A-Z_]+: /, '');
}
