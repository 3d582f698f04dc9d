/** The activity that asks the worker's program for the next model. */
import { ApplicationFailure } from '@temporalio/common';
import type { ModelSituation } from '../../run/models/resolver.js';
import { LATE, within } from '../../shared/waits.js';
import { runIdOf } from '../store-text.js';
import type { SteersmanActivities } from '../types.js';

/** The facts that a program gets before each model call. */
export interface ModelQuestion extends ModelSituation {
  runId: string;
  /** The `context` that the run was started with. */
  context: Record<string, string>;
}

/** Returns a model id of the configuration, or null to leave it to chains and rows. Called before each model call. */
export type ResolveModel = (question: ModelQuestion) => string | null | Promise<string | null>;

/** Slightly less than the activity's time: a program that never answers would hold its slot permanently. */
const ANSWER_MS = 8_000;

/** Makes `steersmanResolveModel`. A result that is neither a text nor null fails it, and the run uses its chain. */
export function createResolveModel(
  resolve: ResolveModel | undefined,
): SteersmanActivities['steersmanResolveModel'] {
  return async function steersmanResolveModel({ situation, context }) {
    const asked = Promise.resolve().then(() => resolve?.({ ...situation, runId: runIdOf(), context }));
    const model = (await within(ANSWER_MS, asked, LATE)) ?? null;
    if (model === LATE)
      throw ApplicationFailure.nonRetryable(`resolveModel did not answer within ${ANSWER_MS / 1_000} s`);
    if (model !== null && typeof model !== 'string') throw new TypeError('resolveModel gave no model id');
    return { model };
  };
}
