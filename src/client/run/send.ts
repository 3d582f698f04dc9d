/** Sends messages, answers and changes to a run, as signals and updates, and interprets the responses. */

import { randomBytes } from 'node:crypto';
import {
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import type { SignalDefinition, UpdateDefinition } from '@temporalio/common';
import { jsonBytes } from '../../base/json/json.js';
import { INPUT_BYTES } from '../../base/sizes/bounds.js';
import type { GateKind } from '../../run/gates/gate.js';
import type { PlannedTask } from '../../run/plan/plan.js';
import type { SteerTime } from '../../run/steering/inbox.js';
import { LONGEST_MESSAGE_ID, readId } from '../../run/steering/inbox.js';
import type { Receipt } from '../../run/steering/receipt.js';
import { allowedAt } from '../../run/tools/permission.js';
import { hintOf, shellWord, startCall, verbCall } from '../../shared/process/called-as.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { withinTime } from '../../shared/waits.js';
import {
  answerGateUpdate,
  stateQuery,
  submitToolResultUpdate,
  withdrawUpdate,
} from '../../workflows/run/definitions.js';
import { type Abortable, abortable } from '../connection/abortable.js';
import { askRun } from '../connection/ask-run.js';
import type { ClientScope } from '../connection/client-scope.js';
import { permissionPlace, type Temporal } from '../connection/connect.js';
import { explainError, isServerAway } from '../connection/grpc-errors.js';
import { RunReader } from '../record/run-reader.js';
import type { RunSnapshot } from '../record/run-snapshot.js';
import type { RunDescription } from '../record/runs.js';
import { describeRun, isOpen, mayBeServed, outcomeShown } from '../record/runs.js';
import type { ToolOutput } from '../start/client-tools.js';
import { keepPermission } from '../stored/saved-permissions.js';
import { lastReceipt, latestReceipt, receiptOf } from './receipts.js';

const SEND_TIMEOUT_MS = 10_000;
const UPDATE_TIMEOUT_MS = 30_000;
const RECEIPT_TIMEOUT_MS = 15_000;
const RECEIPT_POLL_MS = 100;

/** The handle of a run in Temporal's client. */
export type Handle = ReturnType<Temporal['client']['workflow']['getHandle']>;

/** The valid answers of each kind of gate. */
export interface GateAnswers {
  approval: /** `except`: changes of a gate with several `calls` that are not made, by number or call id, each with a reason. */
    | { decision: 'approve'; arguments?: Record<string, unknown>; except?: Readonly<Record<string, string>> }
    /**
     * Always allows this tool in this run; `workspace`: also in later runs of this user in this workspace that are
     * started with `keptPermissions`. Default `run`.
     */
    | { decision: 'always'; arguments?: Record<string, unknown>; alwaysFor?: 'run' | 'workspace' }
    | { decision: 'deny'; reason?: string };
  plan:
    | { decision: 'approve' }
    /** The planner reads the reason. */
    | { decision: 'reject'; reason: string }
    /**
     * These are all the wanted tasks. Omitted fields stay unchanged, null removes one. `shown`: ids of the tasks that
     * the person saw; a task that was added since then stays.
     */
    | {
        decision: 'edit';
        tasks: readonly (Partial<PlannedTask> & { id: string })[];
        shown?: readonly string[];
      };
  question: { text: string };
  /** Another route for the run. Its roles read the reason. */
  route: { decision: 'approve' | 'deny'; reason?: string };
  clientTool: ToolOutput;
  /** A budget that is used up: its new limit, in its own unit. */
  budget: { decision: 'raise'; to: number } | { decision: 'wrap_up' };
  /** A model that failed. */
  failure: { decision: 'retry' | 'stop' } | { decision: 'other_model'; model?: string };
  /** A failed task of a plan: how the plan continues. */
  step: { decision: 'skip' | 'replan' | 'abort'; reason?: string };
  /** A tool server's question: the fields of its form; cancel means neither yes nor no. */
  form: { decision: 'accept'; content?: Record<string, unknown> } | { decision: 'decline' | 'cancel' };
}

/** An answer to any gate except one for a client's tool. */
export type GateReply = GateAnswers[Exclude<GateKind, 'clientTool'>];

/** The result of a call, which is identified by its gate or by the model's id of the call. */
export type ToolResultInput = ToolOutput & ({ gateId: string } | { callId: string });

export function isOutput(given: GateReply | ToolOutput): given is ToolOutput {
  return 'content' in given && !('decision' in given);
}

/**
 * Answers the gate; a tool's result has its own update. A permanent permission, `alwaysFor: 'workspace'`, is stored for
 * this user and the run's workspace after the run has accepted the answer.
 */
export async function answerAndKeep(
  temporal: Temporal,
  id: string,
  gateId: string,
  reply: GateReply | ToolOutput,
): Promise<void> {
  if (isOutput(reply)) {
    await update(temporal, id, submitToolResultUpdate, { gateId, ...reply });
    return;
  }
  const { alwaysFor, ...answer } = { alwaysFor: 'run', ...reply };
  const asked = alwaysFor === 'workspace' ? await new RunReader(temporal, id).snapshot() : null;
  await update(temporal, id, answerGateUpdate, { gateId, ...answer });
  if (asked) await keepFor(temporal, asked, gateId, 'arguments' in reply ? reply.arguments : null);
}

async function keepFor(
  temporal: Temporal,
  { gates, workspace }: RunSnapshot,
  gateId: string,
  edited: Record<string, unknown> | null = null,
): Promise<void> {
  const gate = gates.find(({ id }) => id === gateId);
  if (gate?.kind !== 'approval' || workspace === null) {
    throw new SteersmanError(
      `The run has the answer to ${gateId}. The answer does not hold for later runs of the workspace, because no worker could say what the gate allows.`,
      'Allow it at the next gate.',
      'unserved',
    );
  }
  const { digest = '' } = gate.subject;
  const allowed = allowedAt(gate.subject, edited);
  if (allowed === null) {
    throw new SteersmanError(
      `The run has the answer to ${gateId}. The answer does not hold for later runs of the workspace, because the command is too long to be stored.`,
      'Name it in permissions.auto of steersman.yaml.',
      'usage',
    );
  }
  keepPermission(permissionPlace(temporal, workspace), allowed, digest);
}

export interface SentMessage {
  /** Id of the message. */
  id: string;
  /** `sent`: the server has it, and no worker has sent a receipt yet. Others as in `Receipt`. */
  state: Receipt['state'] | 'sent';
  /** A sentence or two about what will happen to it, or did; '' without a receipt. */
  how: string;
  /** Waits until it is applied or dropped. Throws `ended` if the run ended without a final receipt. */
  applied(options?: Abortable): Promise<Receipt>;
}

export interface MessageOptions extends Abortable {
  /** A repeat under the same id does nothing. Default: a new id. */
  id?: string;
  /** `false`: resolves when the server has the message, without waiting for the run's receipt. Default true. */
  waitForReceipt?: boolean;
}

export interface SteerOptions extends MessageOptions {
  /**
   * The time of its effect. Default `skip`: the tool call in progress ends, the rest of its batch is skipped.
   * `after-batch`: all requested tool calls run first. `interrupt`: the call in progress is cut off, if that is safe.
   */
  when?: SteerTime;
  /**
   * A role that reads messages: `planner`, `executor` or `verifier`; in modes of one role that role; in your own mode
   * one of its steps. Or a running sub-agent, such as `search/1`. Default: the role at work.
   */
  to?: string;
}

/**
 * Sends the message and waits for the run's first receipt. Throws a SteersmanError if the run has ended. If it is
 * unknown whether the run has it: `uncertain`, or with the sender's own id `unreachable`, because it may then be
 * resent.
 */
export function sendMessage<Input extends { text?: string; id?: string }>(
  scope: ClientScope,
  runId: string,
  { as, input }: { as: SignalDefinition<[Input]>; input: Input },
  { id: named, waitForReceipt = true, ...options }: MessageOptions,
): Promise<SentMessage> {
  const { temporal } = scope;
  const id = named ?? `m-${randomBytes(4).toString('hex')}`;
  // The run would send no receipt to a message with this id.
  if (readId(id) !== id) return Promise.reject(badId());
  return abortable(scope, options, async signal => {
    const send = (handle: Handle) => handle.signal(as, { ...input, id });
    const run = await sendToOpen({ ...temporal, signal }, runId, send, input.text).catch((error: unknown) => {
      // A retry under a new id would be a second message, so the error must say that.
      throw named === undefined && isServerAway(error) ? unknownDelivery(runId, error) : error;
    });
    // If no worker serves the run, no receipt can arrive.
    const asks = waitForReceipt && (await mayBeServed(temporal, run.taskQueue));
    const soon = {
      signal: withinTime(RECEIPT_TIMEOUT_MS, signal),
      pollMs: RECEIPT_POLL_MS,
    };
    const first = asks ? await receiptOf(temporal, runId, id, soon) : null;
    // An older message may have this id, and was read or withdrawn: then its latest receipt counts.
    const receipt = first && named !== undefined ? await latestReceipt(temporal, runId, first) : first;
    return {
      id,
      state: receipt?.state ?? 'sent',
      how: receipt?.how ?? '',
      applied: (given = {}) => abortable(scope, given, signal => lastReceipt(temporal, runId, id, signal)),
    };
  });
}

function badId(): SteersmanError {
  return new SteersmanError(
    `The id of a message is a text of 1 to ${LONGEST_MESSAGE_ID} characters, without blanks around it.`,
    'Leave it out, or give a random one.',
    'usage',
  );
}

function unknownDelivery(id: string, error: unknown): SteersmanError {
  const why = explainError(error)?.message ?? String(error);
  return new SteersmanError(
    `It is not known whether the run ${id} has the message. ${why}`,
    `Look before you send it again: ${hintOf(verbCall(`watch ${id}`), '`run.events()`')}`,
    'uncertain',
  );
}

/**
 * Withdraws the last of these messages that is not read yet: returns its text, or null if all were read, also if a
 * sub-agent has read it meanwhile.
 */
export async function takeBack(
  temporal: Temporal,
  id: string,
  ids: readonly string[],
): Promise<string | null> {
  const { inbox } = await askRun(temporal, { id, timeoutMs: RECEIPT_TIMEOUT_MS }, stateQuery);
  const waiting = inbox.findLast(item => ids.includes(item.id));
  if (!waiting) return null;
  const taken = await update(temporal, id, withdrawUpdate, { id: waiting.id });
  if (taken.agent === undefined) return taken.text;
  const last = await receiptOf(temporal, id, waiting.id, {
    signal: AbortSignal.timeout(RECEIPT_TIMEOUT_MS),
    pollMs: RECEIPT_POLL_MS,
    isWanted: ({ state }) => state !== 'accepted',
  });
  return last?.state === 'dropped' ? taken.text : null;
}

export interface PauseOptions extends Abortable {
  /** Cuts off the call in flight, if that is safe, instead of letting it end. Default false. */
  interrupt?: boolean;
}

export interface Asked {
  /** True if a worker serves the run now; if false, the request takes effect when one does. */
  served: boolean;
}

/** Sends to a run that must be open; `say` is a text that a next run could begin with. */
export async function sendToOpen<T>(
  temporal: Temporal,
  id: string,
  work: (handle: Handle) => Promise<T>,
  say?: string,
): Promise<RunDescription> {
  const { client } = temporal;
  const run = await describeRun(temporal, id);
  if (!isOpen(run)) throw closed(run, say);
  temporal.signal?.throwIfAborted();
  try {
    await client.withDeadline(Date.now() + SEND_TIMEOUT_MS, () => work(client.workflow.getHandle(id)));
    return run;
  } catch (error) {
    // The run ended between the check and the request.
    if (error instanceof WorkflowNotFoundError) throw closed(await describeRun(temporal, id), say);
    throw error;
  }
}

/**
 * Sends an update; throws a SteersmanError with the run's own message if it refuses. It needs a worker: without one it
 * would only wait. Too large an input is refused here, because the run's refusal would repeat it, which no worker could
 * send: its run would get stuck.
 */
export async function update<Result, Input>(
  temporal: Temporal,
  id: string,
  wanted: UpdateDefinition<Result, [Input]>,
  input: Input,
): Promise<Result> {
  const { client } = temporal;
  const bytes = jsonBytes(input);
  if (bytes > INPUT_BYTES) throw tooLarge(id, bytes);
  const run = await describeRun(temporal, id);
  if (!isOpen(run)) throw closed(run);
  if (!(await mayBeServed(temporal, run.taskQueue))) throw unserved(id);
  temporal.signal?.throwIfAborted();
  try {
    return await client.withDeadline(Date.now() + UPDATE_TIMEOUT_MS, () =>
      client.workflow.getHandle(id).executeUpdate(wanted, { args: [input] }),
    );
  } catch (error) {
    if (error instanceof WorkflowUpdateFailedError) {
      throw new SteersmanError(
        error.cause?.message ?? error.message,
        `See what is open: ${hintOf(verbCall(`show ${id}`), '`run.show()`')}`,
        'rejected',
      );
    }
    if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) throw unserved(id);
    if (error instanceof WorkflowNotFoundError) throw closed(await describeRun(temporal, id));
    throw error;
  }
}

function tooLarge(id: string, bytes: number): SteersmanError {
  return new SteersmanError(
    `This input has ${bytes} bytes, and the run ${id} takes at most ${INPUT_BYTES} at once.`,
    'Make it shorter.',
    'rejected',
  );
}

function unserved(id: string): SteersmanError {
  return new SteersmanError(
    `No worker answers for the run ${id}: it cannot take this now.`,
    `Go on with runs that were left open: ${hintOf(startCall('--resume-open'), '`client.resumeLeftOpen(await client.leftOpen())`')}`,
    'unserved',
  );
}

/** Returns an error that says that the run has ended, and how the next one can begin with the text. */
function closed(run: RunDescription, text?: string): SteersmanError {
  const { workflowId: id, status } = run;
  const how = outcomeShown(run) ?? status.name.toLowerCase().replace('_', ' ');
  const hint =
    text === undefined
      ? `Its answer: ${hintOf(verbCall(`result ${id}`), '`run.result()`')}`
      : `Start the next run with it, from where this one ended: ${hintOf(startCall(`${shellWord(text)} --after ${id}`), '`client.start(text, { after })`')}`;
  return new SteersmanError(`The run ${id} has ended (${how}): it accepts nothing more.`, hint, 'ended');
}
