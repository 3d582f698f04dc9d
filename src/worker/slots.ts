/** How many tasks a worker takes at a time: fewer while it replays. */
import type {
  CustomSlotSupplier,
  SlotPermit,
  SlotReserveContext,
  WorkerOptions,
  WorkflowSlotInfo,
} from '@temporalio/worker';

/** 100 streaming runs fill the SDK's default of 100 slots. */
const ACTIVITIES = 400;
/** The SDK's default. */
const OTHERS = 100;
/**
 * Tasks at a time of runs that are not cached. After a crash every run is replayed, which is work for one CPU. With the
 * SDK's 40 concurrent tasks, 50 runs of 100 turns would slow each other down until all exceed the server's limit of
 * 10 s and start again, endlessly.
 */
export const REPLAYS = 4;
/** Tasks at a time of cached runs. */
export const CACHED = 12;
/** The same while something is replayed, so that all runs are back soon after a crash. */
export const BESIDE_REPLAYS = 2;
/** The server stores each task for which no poll waits. The SDK uses four of five workflow polls for cached runs. */
const POLLS = { workflow: 15, activity: 20 };

/** Returns how many tasks a worker takes at a time. What the application has set stays. */
export function slotsOf(options: WorkerOptions): Partial<WorkerOptions> {
  if (options.tuner) return {};
  // The SDK takes a tuner or limits, and not both.
  if (Object.keys(options).some(name => /^maxConcurrent\w+Executions$/.test(name)))
    return { maxConcurrentWorkflowTaskExecutions: REPLAYS, maxConcurrentActivityTaskExecutions: ACTIVITIES };
  const fixed = (numSlots: number) => ({ type: 'fixed-size', numSlots }) as const;
  return {
    workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: POLLS.workflow },
    activityTaskPollerBehavior: { type: 'simple-maximum', maximum: POLLS.activity },
    tuner: {
      workflowTaskSlotSupplier: new WorkflowSlots(),
      activityTaskSlotSupplier: fixed(ACTIVITIES),
      localActivityTaskSlotSupplier: fixed(OTHERS),
      nexusTaskSlotSupplier: fixed(OTHERS),
    },
  };
}

interface Permit extends SlotPermit {
  /** For a run that this worker has in its cache. */
  isSticky: boolean;
}

type Asked = Pick<SlotReserveContext, 'isSticky'>;

/** A poll takes a slot before it begins, so the slots also limit the polls that wait for a task. */
export class WorkflowSlots implements CustomSlotSupplier<WorkflowSlotInfo> {
  readonly type = 'custom';
  #cached = 0;
  #others = 0;
  /** Tasks at work for runs that are not in the cache: replays, and new runs. */
  #replays = 0;
  readonly #waiting = new Set<{ asked: Asked; give: (permit: Permit) => void }>();

  reserveSlot(asked: Asked, signal: AbortSignal): Promise<Permit> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const wait = { asked, give: resolve };
      this.#waiting.add(wait);
      signal.addEventListener('abort', () => {
        if (this.#waiting.delete(wait)) reject(signal.reason);
      });
      this.#serve();
    });
  }

  tryReserveSlot({ isSticky }: Asked): Permit | null {
    const isFree = isSticky
      ? this.#cached < (this.#replays > 0 ? BESIDE_REPLAYS : CACHED)
      : this.#others < REPLAYS;
    if (!isFree) return null;
    if (isSticky) this.#cached += 1;
    else this.#others += 1;
    return { isSticky };
  }

  markSlotUsed({ permit }: { permit: SlotPermit }): void {
    if (!(permit as Permit).isSticky) this.#replays += 1;
  }

  /** Without `slotInfo` the slot was never at work. */
  releaseSlot({ permit, slotInfo }: { permit: SlotPermit; slotInfo?: WorkflowSlotInfo }): void {
    if ((permit as Permit).isSticky) this.#cached -= 1;
    else {
      this.#others -= 1;
      if (slotInfo) this.#replays -= 1;
    }
    this.#serve();
  }

  #serve(): void {
    for (const wait of this.#waiting) {
      const permit = this.tryReserveSlot(wait.asked);
      if (!permit) continue;
      this.#waiting.delete(wait);
      wait.give(permit);
    }
  }
}
