/** Fixes the request of a model call before it begins, and its time limits. */

import { preview } from '../../base/text/preview.js';
import { MODEL_RETRIES, type PinnedRole } from '../../run/agents/role.js';
import { offeredTools } from '../../run/agents/run-config.js';
import { callTimeMs } from '../../run/limits/limits.js';
import { type PinnedCall, withPinned } from '../../run/models/model-use.js';
import { here, taskAt } from '../../run/state/cursor.js';
import { goalTimeMs } from '../../run/state/goal.js';
import { isCounted } from '../../run/state/run-state.js';
import type { Thread } from '../../run/state/thread.js';
import { formFor } from '../beside/moments.js';
import type { CallOptions } from '../run/ports.js';
import type { Run } from '../run/run.js';

export function modelCallOptions(
  run: Run,
  role: PinnedRole,
  call: Pick<PinnedCall, 'role' | 'model'>,
): CallOptions & { wholeMs: number } {
  const { state, pinned, cursor } = run;
  const at = taskAt(cursor) ?? `cycle ${cursor.position.cycle}`;
  const round = here(cursor).turns.round + 1;
  const usedMs = isCounted(state) ? goalTimeMs(state.goal, run.ports.now()) : null;
  const wholeMs = callTimeMs(run.limits, usedMs);
  return {
    summary: preview(`${call.role} · ${at} · round ${round} · ${call.model}`, 190),
    timeoutMs: Math.min(pinned.modelTimeoutMs, wholeMs),
    wholeMs,
    attempts: 1 + (role.maxRetries ?? MODEL_RETRIES),
    ...(role.retryDelayMs !== undefined && { retryDelayMs: role.retryDelayMs }),
    interruptible: true,
  };
}

/** Pins the request of a call: all messages that the thread has now. */
export function pinCall(
  run: Run,
  what: { role: PinnedRole; thread: Thread; model: string; toolsOffered: boolean; compacts?: true },
): PinnedCall {
  const { role, thread, ...how } = what;
  const { id, epoch, messages } = thread;
  const mayCall = how.toolsOffered && offeredTools(run.pinned, role).length > 0;
  const sent = { thread: id, epoch, upTo: messages.length };
  const form = mayCall || how.compacts ? null : formFor(run, role);
  const call: PinnedCall = {
    ...{ callId: run.nextId('c'), role: role.name, ...how, ...sent },
    ...(form !== null && { form }),
  };
  run.state.models.calls = withPinned(run.state, call);
  return call;
}
