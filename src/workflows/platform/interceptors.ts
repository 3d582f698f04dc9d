/** What stands between the SDK and a run. A worker may serve workflows of an application beside: those are left alone, but for what keeps the worker. */
import { type WorkflowInterceptorsFactory, workflowInfo } from '@temporalio/workflow';
import { WORKFLOW_TYPE } from '../messages.js';
import { interceptors as queryGuard } from './query-guard.js';
import { interceptors as signalNames } from './signal-names.js';
import { interceptors as wholeSteps } from './whole-steps.js';

export const interceptors: WorkflowInterceptorsFactory = () => {
  const ofRuns = workflowInfo().workflowType === WORKFLOW_TYPE ? [queryGuard, signalNames] : [];
  return { internals: [wholeSteps, ...ofRuns].flatMap(made => made().internals ?? []) };
};
