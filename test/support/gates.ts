/** What tests of gates send and read. */
import { type WorkflowHandle, WorkflowUpdateFailedError } from '@temporalio/client';
import type { RunResult } from '../../src/workflows/run/definitions.js';
import { answerGateUpdate } from '../../src/workflows/run/definitions.js';
import type { ScriptedToolCall } from './endpoint/model.js';
import { eventsOf } from './run-views.js';

/** Calls of the file system server. */
export const read = (path: string): ScriptedToolCall => ({ name: 'read_text_file', arguments: { path } });
export const write = (path: string, text: string): ScriptedToolCall => ({
  name: 'write_file',
  arguments: { path, content: text },
});

export const answerGate = (handle: WorkflowHandle, given: Record<string, unknown>) =>
  handle.executeUpdate(answerGateUpdate, { args: [given] });

export const endings = ({ trace }: RunResult) => trace.steps.flatMap(step => step.ending ?? []);

export const gatesClosed = async (handle: WorkflowHandle) =>
  (await eventsOf(handle, 'gate_closed')).map(({ kind, by, decision }) => `${kind} ${by} ${decision}`);

/** Says why an update was refused; undefined when it was taken. */
export async function refusal(sent: Promise<unknown>): Promise<string | undefined> {
  try {
    await sent;
    return undefined;
  } catch (error) {
    if (!(error instanceof WorkflowUpdateFailedError)) throw error;
    return error.cause instanceof Error ? error.cause.message : String(error.cause);
  }
}
