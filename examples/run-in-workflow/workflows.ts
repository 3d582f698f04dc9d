import { proxyActivities } from '@temporalio/workflow';
import { executeRun } from 'steersman/workflow';
import type { Activities } from './activities.ts';

const { collect, publish } = proxyActivities<Activities>({ startToCloseTimeout: '1 minute' });

/** Collects the changes, has a team write about them, and publishes the text if it was verified. */
export async function releaseNotes(version: string, workspace: string): Promise<string> {
  const changes = await collect(version);
  const goal = `Write release notes of version ${version} for people who use it. The changes:\n${changes}`;
  const { outcome, text } = await executeRun(goal, { workspace, limits: { turns: 30 } });
  // A run that did not complete has an answer too, but an unverified one.
  if (outcome !== 'completed') return `Not published (${outcome}): ${text}`;
  return publish(version, text);
}
