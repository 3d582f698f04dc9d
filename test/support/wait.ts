/** Waiting for a condition instead of for time. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { vi } from 'vitest';

const LOOK_EVERY_MS = 20;
const GIVE_UP_AFTER_MS = 90_000;

/** Looks until `look` gives something. @throws when that takes over 90 s; the message names `what`. */
export async function until<T>(
  what: string,
  look: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  giveUpAfterMs = GIVE_UP_AFTER_MS,
): Promise<T> {
  const deadline = performance.now() + giveUpAfterMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await sleep(LOOK_EVERY_MS);
  }
}

/** Waits until `assert` no longer throws. @throws what it threw last, after 45 s. */
export function eventually<T>(assert: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(assert, { timeout: 45_000, interval: LOOK_EVERY_MS });
}

/** Waits until a heartbeat of an activity in flight holds `text`: what a watcher of the live text sees. */
export async function untilHeartbeat(handle: WorkflowHandle, text: string): Promise<void> {
  await until(`a heartbeat shows "${text}"`, async () => {
    const { raw } = await handle.describe();
    const payloads = (raw.pendingActivities ?? []).flatMap(
      ({ heartbeatDetails }) => heartbeatDetails?.payloads ?? [],
    );
    return payloads.some(({ data }) => data && Buffer.from(data).toString('utf8').includes(text));
  });
}
