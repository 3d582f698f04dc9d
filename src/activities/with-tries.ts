/** How often an activity may fail. */
import { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { errorText } from '../base/text/error-text.js';

/**
 * The activity, which fails for good with the try of this number. Temporal makes more: a try that was lost with its
 * worker says nothing of what was asked for, and may come to a worker that stands still.
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
