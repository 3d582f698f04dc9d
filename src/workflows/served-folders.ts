/** The workflow `steersmanFolders`: asks a worker of its task queue, outside of any run, which folders it serves. */
import { proxyActivities } from '@temporalio/workflow';
import type { SteersmanActivities } from '../activities/types.js';

export function steersmanFolders(): Promise<string[]> {
  const worker = proxyActivities<Pick<SteersmanActivities, 'steersmanFolders'>>({
    scheduleToCloseTimeout: '3s',
    retry: { maximumAttempts: 1 },
  });
  return worker.steersmanFolders();
}
