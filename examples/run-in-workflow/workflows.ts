import { proxyActivities } from '@temporalio/workflow';
import { executeRun } from 'steersman/workflow';
import type { Activities } from './activities.ts';

const { collect, publish } = proxyActivities<Activities>({ startToCloseTimeout: '1 minute' });

/** Collects what changed, has a team write it up, and publishes what the team is sure of. */
export async function releaseNotes(version: string, workspace: string): Promise<string> {
  const changes = await collect(version);
  const goal = `Write release notes of version ${version} for people who use it. The changes:\n${changes}`;
  const { outcome, text } = await executeRun(goal, { workspace, limits: { turns: 30 } });
  // A run that did not complete has an answer too, which nobody has verified.
  if (outcome !== 'completed') return `Not published (${outcome}): ${text}`;
  return publish(version, text);
}
