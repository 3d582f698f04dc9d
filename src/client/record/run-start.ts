/** Reads what a run was started with, from the first event of its history: no worker is needed. */
import { readStart } from '../../rules/agents/run-input.js';
import type { RunSettings } from '../../run/agents/run-config.js';
import type { Message } from '../../run/messages/message.js';
import { valuesIn } from '../../shared/temporal/temporal-client.js';
import type { Temporal } from '../connection/connect.js';
import { explainError } from '../connection/grpc-errors.js';
import { chainIn, describeRun } from './runs.js';

/** The goal, settings and messages that a run was started with. */
export interface RunStart {
  goal: string;
  settings: RunSettings;
  /** The messages with which it began. */
  messages: Message[];
}

const READ_TIMEOUT_MS = 10_000;

/** Returns null if Temporal has deleted its first segment, or its input can't be read here. Throws for an unknown run. */
export async function readRunStart(temporal: Temporal, id: string): Promise<RunStart | null> {
  const { client } = temporal;
  const execution = { workflowId: id, runId: chainIn(await describeRun(temporal, id)) };
  const { namespace } = client.options;
  const ask = () =>
    client.workflowService.getWorkflowExecutionHistory({ namespace, execution, maximumPageSize: 1 });
  const found = await client.withDeadline(Date.now() + READ_TIMEOUT_MS, ask).catch(error => {
    if (explainError(error)?.code === 'not_found') return null;
    throw error;
  });
  const [begun] = found?.history?.events ?? [];
  const { payloads } = begun?.workflowExecutionStartedEventAttributes?.input ?? {};
  const [input] = await valuesIn(client, payloads ?? []);
  const start = readStart(input);
  return start.ok ? { goal: start.goal, settings: start.settings, messages: start.given.messages } : null;
}
