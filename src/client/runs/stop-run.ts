/** Asking a run to end. */
import { WorkflowNotFoundError } from '@temporalio/client';
import { SteersmanError } from '../../errors.js';
import { stopSignal } from '../../workflows/messages.js';
import type { Temporal } from './connect.js';
import type { RunDescription } from './runs.js';
import { describeRun, isOpen } from './runs.js';

const SEND_TIMEOUT_MS = 10_000;

/** Asks the run to end with what there is. Throws a SteersmanError when it has ended. */
export async function stopRun(temporal: Temporal, id: string, reason: string): Promise<void> {
  await send(temporal, id, handle => handle.signal(stopSignal, { reason }));
}

/** Cancels the run: Temporal's own. Throws a SteersmanError when it has ended. */
export async function cancelRun(temporal: Temporal, id: string): Promise<void> {
  await send(temporal, id, handle => handle.cancel());
}

type Handle = ReturnType<Temporal['client']['workflow']['getHandle']>;

async function send(
  temporal: Temporal,
  id: string,
  work: (handle: Handle) => Promise<unknown>,
): Promise<void> {
  const { client } = temporal;
  const run = await describeRun(temporal, id);
  if (!isOpen(run)) throw ended(run);
  try {
    await client.withDeadline(Date.now() + SEND_TIMEOUT_MS, () => work(client.workflow.getHandle(id)));
  } catch (error) {
    // It ended between the look and the request.
    if (error instanceof WorkflowNotFoundError) throw ended(await describeRun(temporal, id));
    throw error;
  }
}

function ended(run: RunDescription): SteersmanError {
  const status = run.status.name.toLowerCase().replace('_', ' ');
  return new SteersmanError(
    `The run ${run.workflowId} has ended (${status}): there is nothing to stop.`,
    `Its answer: npm run client -- result ${run.workflowId}`,
    'ended',
  );
}
