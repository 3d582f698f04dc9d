/**
 * Only runs may call Steersman's activities: a run checks permissions and asks people, an activity obeys. A server
 * would also let clients start activities directly, and other workflows on the same queue.
 */
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { SteersmanActivities } from '../../activities/types.js';
import { WORKER_FEATURES } from '../../features/workers.js';
import { FOLDERS_TYPE, WORKFLOW_TYPE } from '../../run/agents/run-config.js';
import { FAILURE } from '../../run/limits/failure.js';

const OURS: Readonly<Record<keyof SteersmanActivities, true>> = {
  steersmanLoadRun: true,
  steersmanCallModel: true,
  steersmanCallTool: true,
  steersmanCheckCall: true,
  steersmanRunCheck: true,
  steersmanResolveModel: true,
  steersmanTransform: true,
  steersmanStoreText: true,
  steersmanKeep: true,
  steersmanOpenSession: true,
  steersmanHook: true,
  steersmanCompareFile: true,
  steersmanLook: true,
  steersmanFolders: true,
};
const OF_FEATURES = WORKER_FEATURES.flatMap(({ activities = {} }) => Object.keys(activities));

/** False for activities of an application on the same worker, which are not restricted. */
export function isOurs(activityType: string): boolean {
  return Object.hasOwn(OURS, activityType) || OF_FEATURES.includes(activityType);
}

export const onlyRuns: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    execute(input, next) {
      if (!isOurs(info.activityType)) return next(input);
      const asker = info.activityType === FOLDERS_TYPE ? FOLDERS_TYPE : WORKFLOW_TYPE;
      if (info.inWorkflow && info.workflowType === asker) return next(input);
      const message = `${info.activityType} is for runs of type ${WORKFLOW_TYPE} only: start a run instead.`;
      throw ApplicationFailure.nonRetryable(message, FAILURE.run.badInput);
    },
  },
});
