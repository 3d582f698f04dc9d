/** Limits the failures of an activity. */
import { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { errorText } from '../base/text/error-text.js';

/**
 * Returns the activity, which fails permanently in attempt number `tries`. Temporal allows more: an attempt lost with
 * its worker says nothing about the work, and one may reach a stalled worker.
 */
export function withTries<I, R>(tries: number, activity: (input: I) => Promise<R>): (input: I) => Promise<R> {
  return async input => {
    try {
      return await activity(input);
    } catch (error) {
      if (error instanceof CancelledFailure || Context.current().info.attempt < tries) throw error;
      const type = error instanceof ApplicationFailure ? error.type : null;
      throw ApplicationFailure.nonRetryable(errorText(error), type);
    }
  };
}
