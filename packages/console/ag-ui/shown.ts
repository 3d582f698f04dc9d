/** The state and plan that a client has, from which the next deltas are computed. */

import { type AgUiEvent, type AgUiState, PLAN_ACTIVITY, patchOf, stateOf } from '@steersman/ag-ui';
import type { RunSnapshot } from 'steersman/client';

export class Shown {
  #state: AgUiState | null = null;
  #hasPlan = false;

  *take(snapshot: RunSnapshot): Generator<AgUiEvent> {
    const before = this.#state;
    this.#state = stateOf(snapshot);
    if (before === null) return yield* this.all();
    const delta = patchOf(before, this.#state);
    if (delta.length > 0) yield { type: 'STATE_DELTA', delta };
    if (!this.#hasPlan) return yield* this.#plan();
    const patch = patchOf(planOf(before), planOf(this.#state));
    if (patch.length > 0) yield { type: 'ACTIVITY_DELTA', ...planId(this.#state), patch };
  }

  /** Sends complete snapshots again. */
  *all(): Generator<AgUiEvent> {
    if (this.#state === null) return;
    yield { type: 'STATE_SNAPSHOT', snapshot: this.#state };
    yield* this.#plan();
  }

  *#plan(): Generator<AgUiEvent> {
    const state = this.#state;
    if (state === null || state.tasks.length === 0) return;
    this.#hasPlan = true;
    yield { type: 'ACTIVITY_SNAPSHOT', ...planId(state), content: planOf(state) };
  }
}

function planId({ run }: AgUiState) {
  return { messageId: `${run}/plan`, activityType: PLAN_ACTIVITY };
}

function planOf({ goal, tasks }: AgUiState): Record<string, unknown> {
  return { goal, tasks };
}
