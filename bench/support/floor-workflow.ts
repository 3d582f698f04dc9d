/** The smallest workflow that makes as many calls as a run: empty activities, one after the other. */
import { proxyActivities } from '@temporalio/workflow';

const { wait } = proxyActivities<{ wait(): Promise<void> }>({ startToCloseTimeout: '1 minute' });

export async function floorRun(calls: number): Promise<number> {
  for (let call = 0; call < calls; call++) await wait();
  return calls;
}
