/** Reads the arguments of a tool call that are too large for its activity's input. */

import { ApplicationFailure } from '@temporalio/common';
import { errorText } from '../../base/text/error-text.js';
import { FAILURE } from '../../run/limits/failure.js';
import { askPatiently, type Patience } from '../../shared/query-errors.js';

/** Sends the query `toolRequest` to the run that made the call. */
export type QueryToolRequest = (callId: string) => Promise<Record<string, unknown>>;

/** It waits as long as a model call does. The run exists, so a "not found" of the server is temporary too. */
const PATIENCE: Patience = { giveUpMs: 40_000, bearing: ['passing', 'gone'] };

/** Throws `state.unavailable`, which is retryable: the tool has received nothing yet. */
export async function readArguments(
  query: QueryToolRequest,
  callId: string,
  patience = PATIENCE,
): Promise<Record<string, unknown>> {
  try {
    return await askPatiently(() => query(callId), patience);
  } catch (error) {
    const message = errorText(error);
    throw ApplicationFailure.retryable(
      `The arguments of ${callId} could not be read: ${message}`,
      FAILURE.stateUnavailable,
    );
  }
}
