/** What stands between the SDK and a run. A worker may serve workflows of an application beside: those are left alone. */
import { type WorkflowInterceptorsFactory, workflowInfo } from '@temporalio/workflow';
import { WORKFLOW_TYPE } from '../messages.js';
import { interceptors as queryGuard } from './query-guard.js';
import { interceptors as signalNames } from './signal-names.js';

export const interceptors: WorkflowInterceptorsFactory = () => {
  if (workflowInfo().workflowType !== WORKFLOW_TYPE) return {};
  return { internals: [queryGuard, signalNames].flatMap(made => made().internals ?? []) };
};
