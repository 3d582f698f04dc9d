/** Reads the arguments of a tool call that are too large to travel with its activity. */

import { ApplicationFailure } from '@temporalio/common';
import { errorText } from '../../base/text/error-text.js';
import { FAILURE } from '../../run/limits/failure.js';
import { askPatiently, type Patience } from '../../shared/query-errors.js';

/** Asks the query `toolRequest` of the run that made the call. */
export type QueryToolRequest = (callId: string) => Promise<Record<string, unknown>>;

/** As long as a model call's. The run is there, so that the server does not find it passes too. */
const PATIENCE: Patience = { giveUpMs: 40_000, bearing: ['passing', 'gone'] };

/** Throws `state.unavailable`, retryable: nothing was sent to the tool yet. */
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
