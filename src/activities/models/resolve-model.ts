/** The activity that asks the worker's program which model answers next. */
import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ModelSituation } from '../../run/models/resolver.js';
import { within } from '../stop-signal.js';
import type { SteersmanActivities } from '../types.js';

/** What a program is told before each model call. */
export interface ModelQuestion extends ModelSituation {
  runId: string;
  /** As the run was started with. */
  context: Record<string, string>;
}

/** A model id that the configuration names, or null to leave it to chains and rows. Asked before each model call. */
export type ResolveModel = (question: ModelQuestion) => string | null | Promise<string | null>;

/** A little less than the activity has: what never answers would hold its slot for ever. */
const ANSWER_MS = 8_000;
const LATE = Symbol('late');

/** Makes `steersmanResolveModel`. What is no id fails it, and the run goes on with its chain. */
export function createResolveModel(
  resolve: ResolveModel | undefined,
): SteersmanActivities['steersmanResolveModel'] {
  return async function steersmanResolveModel({ situation, context }) {
    const runId = activityInfo().workflowExecution?.workflowId ?? '';
    const asked = Promise.resolve().then(() => resolve?.({ ...situation, runId, context }));
    const model = (await within(ANSWER_MS, asked, LATE)) ?? null;
    if (model === LATE)
      throw ApplicationFailure.nonRetryable(`resolveModel did not answer within ${ANSWER_MS / 1_000} s`);
    if (model !== null && typeof model !== 'string') throw new TypeError('resolveModel gave no model id');
    return { model };
  };
}
