/** No part of a run's state is ever larger than its bound, and what is carried over fits an input. */

import { jsonBytes } from '../../src/base/json/json.js';
import { PAYLOAD_BYTES } from '../../src/base/sizes/bounds.js';
import { folded } from '../../src/conversation/branch-threads.js';
import { BOUNDS, MAX_STATE_BYTES, partBytes } from '../../src/conversation/state-bounds.js';
import type { RunState } from '../../src/run/state/run-state.js';
import { expectThat } from './expect-that.js';

/** At a safe point: each part, and the whole as it would travel. */
export function expectWithinBounds(state: RunState): void {
  const sizes = partBytes(state);
  for (const [part, bytes] of Object.entries(sizes)) {
    if (part === 'threads') continue;
    const most = BOUNDS[part as keyof typeof sizes];
    expectThat(bytes <= most, () => `${part} has ${bytes} bytes, and at most ${most} are its bound`);
  }
  expectCarried(state);
}

/** As the input of the next segment. */
function expectCarried(state: RunState): void {
  const bytes = jsonBytes({ resume: { ...state, threads: folded(state.threads) } });
  expectThat(
    bytes <= MAX_STATE_BYTES,
    () => `the state has ${bytes} bytes, at most ${MAX_STATE_BYTES} are its bound`,
  );
  expectThat(MAX_STATE_BYTES < PAYLOAD_BYTES - 60_000, 'the bound is near the limit of the server');
}
