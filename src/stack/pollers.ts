/** Who takes work from a task queue. */
import type { Client } from '@temporalio/client';

/** A poll lasts up to a minute: who has not polled for longer is gone. */
const RECENT_POLL_MS = 90_000;
const QUEUE_TYPES = { workflows: 1, activities: 2 } as const;

export type QueueType = keyof typeof QUEUE_TYPES;

/** Identities (`<process id>@<host>` by default) of workers that poll for this kind of task, sorted. */
export async function recentPollers(client: Client, taskQueue: string, type: QueueType): Promise<string[]> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: QUEUE_TYPES[type],
  });
  const oldest = Date.now() - RECENT_POLL_MS;
  const recent = (pollers ?? []).filter(
    ({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1_000 >= oldest,
  );
  return [...new Set(recent.map(({ identity }) => identity ?? '?'))].sort();
}
