/** Classifies errors of Temporal's services: which are temporary, and what they mean to a person. */

import {
  isGrpcDeadlineError,
  isGrpcServiceError,
  NamespaceNotFoundError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { hintOf, verbCall } from '../../shared/process/called-as.js';
import { type ErrorCode, SteersmanError } from '../../shared/process/errors.js';
import { queryTrouble } from '../../shared/query-errors.js';

const NOT_FOUND = 5;
const UNAVAILABLE = 14;
const SEE_ACCESS = 'Check TEMPORAL_API_KEY, the TLS certificate and the namespace.';

/** The meaning of gRPC status codes for a person: words before Temporal's own message, and advice. */
const BY_CODE: Record<number, { what: string; remedy: string; code: ErrorCode }> = {
  3: { what: 'Temporal refuses the request', remedy: '', code: 'usage' },
  5: { what: 'Temporal does not know that', remedy: '', code: 'not_found' },
  7: { what: 'Temporal refuses this client', remedy: SEE_ACCESS, code: 'unreachable' },
  8: {
    what: 'Temporal refuses the request',
    remedy: 'It may be too large, or too many came at once.',
    code: 'usage',
  },
  16: { what: 'Temporal refuses this client', remedy: SEE_ACCESS, code: 'unreachable' },
};

/** Advice for an unknown id. */
export function seeList(): string {
  return `List the runs with: ${hintOf(verbCall('list'), '`client.list()`')}`;
}

/** Returns the gRPC status code of an error or of its cause; null if it has no code. */
function grpcCode(error: unknown): number | null {
  if (isGrpcServiceError(error)) return error.code;
  return error instanceof Error && error.cause !== undefined ? grpcCode(error.cause) : null;
}

/** True if the server itself did not answer, for example because it is restarting. */
export function isServerAway(error: unknown): boolean {
  return grpcCode(error) === UNAVAILABLE || isGrpcDeadlineError(error);
}

/** True if no retry of a query can help: the run is gone, or its code does not answer. */
export function isFinalQueryError(error: unknown): boolean {
  const trouble = queryTrouble(error);
  return trouble === 'gone' || trouble === 'refused';
}

/**
 * Converts an error of Temporal or the file system to the SteersmanError that this client would throw; null for a fault
 * of the program.
 */
export function explainError(error: unknown): SteersmanError | null {
  if (error instanceof SteersmanError) return error;
  if (error instanceof NamespaceNotFoundError) {
    return new SteersmanError(
      `Temporal has no namespace ${error.namespace}.`,
      'Create it, or set TEMPORAL_NAMESPACE to one that exists.',
      'not_found',
    );
  }
  if (error instanceof WorkflowNotFoundError) {
    return new SteersmanError(
      `Temporal knows no such run: ${error.workflowId}${error.runId ? ` (segment ${error.runId})` : ''}.`,
      seeList(),
      'not_found',
    );
  }
  const file = fileFault(error);
  if (file !== null) return file;
  const message = rootMessage(error);
  if (isServerAway(error)) {
    return new SteersmanError(
      `Temporal does not answer: ${asSentence(message)}`,
      'Check that it runs, and try again. What was started goes on there.',
      'unreachable',
    );
  }
  const code = grpcCode(error);
  if (code === null) return null;
  const known = BY_CODE[code];
  return known
    ? new SteersmanError(
        `${known.what}: ${message}`,
        code === NOT_FOUND ? seeList() : known.remedy,
        known.code,
      )
    : new SteersmanError(`Temporal answered with an error: ${message}`, '', 'internal');
}

/** Completes a message of gRPC: removes an empty note at its end, and adds a missing full stop. */
function asSentence(message: string): string {
  const sentence = message.replace(/\s*Resolution note:\s*$/, '').trimEnd();
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** Errors of the file system concern the machine: the message names the file and what to check. */
const MAKE_ROOM = 'Make room, and try again: nothing that ran is lost.';
const CHECK_OWNER = 'Check whose it is, and who may read and write it.';
const FILE_FAULTS: Readonly<Record<string, [what: string, remedy: string]>> = {
  ENOSPC: ['The disk is full', MAKE_ROOM],
  EDQUOT: ['The disk quota is used up', MAKE_ROOM],
  EROFS: ['The file system is read-only', 'Set STEERSMAN_HOME to a folder that can be written.'],
  EACCES: ['The file may not be accessed', CHECK_OWNER],
  EPERM: ['The file may not be changed', CHECK_OWNER],
  EMFILE: ['Too many files are open', 'Raise the limit (ulimit -n), or end what holds them.'],
};

function fileFault(error: unknown): SteersmanError | null {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return null;
  const [what, remedy = ''] = FILE_FAULTS[String(error.code)] ?? [];
  const path = 'path' in error ? `: ${String(error.path)}` : '';
  return what === undefined
    ? null
    : new SteersmanError(`${what}${path} (${String(error.code)}).`, remedy, 'host');
}

function rootMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return rootMessage(error.cause);
  // gRPC puts its status before the message.
  return error.message.replace(/^\d+ [A-Z_]+: /, '');
}
