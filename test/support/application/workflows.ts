/** Workflows of an application that shares its worker with runs. */
import { proxyActivities } from '@temporalio/workflow';
import { executeRun } from '../../../src/workflows/index.js';

export interface Activities {
  charge(order: string): Promise<string>;
}

const { charge } = proxyActivities<Activities>({ startToCloseTimeout: '10 seconds' });

/** Charges, then has a team work on the order. */
export async function settleOrder(order: string, workspace: string) {
  const receipt = await charge(order);
  const { id, outcome, answer } = await executeRun(
    `Refund the order ${order}`,
    { workspace, autoApprove: true },
    { workflowId: `refund-${order}` },
  );
  return { receipt, id, outcome, answer };
}

/** A goal that no team can begin: a run that fails leaves its result all the same. */
export async function tryWithout(workspace: string) {
  const { outcome } = await executeRun('Try it', { workspace, model: 'nobody/there' });
  return outcome;
}
