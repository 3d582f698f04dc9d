/** Sending to a run: signals, updates, and what becomes of them. */

import { randomBytes } from 'node:crypto';
import {
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import type { UpdateDefinition } from '@temporalio/common';
import type { GateKind } from '../../core/gates/gate.js';
import type { Limits } from '../../core/limits/limits.js';
import type { PlannedTask } from '../../core/plan/plan.js';
import { INPUT_BYTES } from '../../core/state/bounds.js';
import { jsonBytes } from '../../core/text/json.js';
import { hintOf, shellWord, startCall, verbCall } from '../../shared/called-as.js';
import { SteersmanError } from '../../shared/errors.js';
import type { FollowUpInput, SteerInput } from '../../workflows/messages.js';
import {
  answerGateUpdate,
  claimToolCallUpdate,
  editPlanUpdate,
  finishSignal,
  followUpSignal,
  pauseSignal,
  resumeSignal,
  setBudgetUpdate,
  setModelUpdate,
  steerSignal,
  stopSignal,
  submitToolResultUpdate,
} from '../../workflows/messages.js';
import type { Temporal } from '../connect.js';
import { explainError, isServerAway } from '../grpc-errors.js';
import type { RunDescription } from './runs.js';
import { describeRun, isOpen, mayBeServed } from './runs.js';

const SEND_TIMEOUT_MS = 10_000;
const UPDATE_TIMEOUT_MS = 30_000;

type Handle = ReturnType<Temporal['client']['workflow']['getHandle']>;

/** Id of a message: a repeat under the same id does nothing. */
export function newMessageId(): string {
  return `m-${randomBytes(4).toString('hex')}`;
}

/** A message to the running goal, or the next goal. */
export type OutgoingMessage =
  | { kind: 'steer'; input: SteerInput & { id: string } }
  | { kind: 'follow-up'; input: FollowUpInput & { id: string } };

/** Resolves when the server has taken the message. Throws a SteersmanError when the run has ended. */
export function deliver(temporal: Temporal, id: string, message: OutgoingMessage): Promise<RunDescription> {
  const signal = (handle: Handle) =>
    message.kind === 'steer'
      ? handle.signal(steerSignal, message.input)
      : handle.signal(followUpSignal, message.input);
  return sendToOpen(temporal, id, signal, message.input.text);
}

/** Typed again, a message whose sender lost sight of it is another one: nobody may do that unaware. */
export function uncertainDelivery(id: string, error: unknown): unknown {
  return isServerAway(error) ? notTold(id, error) : error;
}

function notTold(id: string, error: unknown): SteersmanError {
  const why = explainError(error)?.message ?? String(error);
  return new SteersmanError(
    `It is not known whether the run ${id} has the message. ${why}`,
    `Look before you send it again: ${hintOf(verbCall(`watch ${id}`), '`run.events()`')}`,
    'uncertain',
  );
}

/** What a run is asked to do without a receipt; `hold` is a pause that cuts off the call in flight. */
export type Switch = 'pause' | 'hold' | 'resume' | 'finish' | 'stop' | 'cancel';

export interface Asked {
  /** A worker serves the run now; where false, it is done when one does. */
  served: boolean;
}

/** Throws a SteersmanError when the run has ended. */
export async function sendSwitch(
  temporal: Temporal,
  id: string,
  what: Switch,
  reason: string,
): Promise<Asked> {
  const run = await sendToOpen(temporal, id, (handle): Promise<unknown> => {
    switch (what) {
      case 'pause':
        return handle.signal(pauseSignal, { reason });
      case 'hold':
        return handle.signal(pauseSignal, { reason, interrupt: true });
      case 'resume':
        return handle.signal(resumeSignal, { reason });
      case 'finish':
        return handle.signal(finishSignal);
      case 'stop':
        return handle.signal(stopSignal, { reason });
      case 'cancel':
        return handle.cancel();
    }
  });
  return { served: await mayBeServed(temporal, run.taskQueue) };
}

/** What each kind of gate takes. */
export interface GateAnswers {
  approval:
    | { decision: 'approve'; arguments?: Record<string, unknown> }
    /**
     * Of this tool in this run; `workspace`: also in later runs of this user in this workspace that are started with
     * `keptPermissions`. Default `run`.
     */
    | { decision: 'always'; arguments?: Record<string, unknown>; alwaysFor?: 'run' | 'workspace' }
    | { decision: 'deny'; reason?: string };
  plan:
    | { decision: 'approve' }
    /** The planner reads why. */
    | { decision: 'reject'; reason: string }
    /**
     * These tasks are all that is to be done. Fields that are left out stay as they are, null takes one away.
     * `shown`: ids of the tasks that the person saw; one that was added meanwhile then stays.
     */
    | {
        decision: 'edit';
        tasks: readonly (Partial<PlannedTask> & { id: string })[];
        shown?: readonly string[];
      };
  question: { text: string };
  /** A new course. */
  route: { decision: 'approve' } | { decision: 'deny'; reason?: string };
  clientTool: ToolOutput;
  /** A budget that is used up: its new limit, in its own unit. */
  budget: { decision: 'raise'; to: number } | { decision: 'wrap_up' };
  /** A model that failed. */
  failure: { decision: 'retry' | 'stop' } | { decision: 'other_model'; model?: string };
  /** A task of a plan that failed: how the plan goes on. */
  step: { decision: 'skip' | 'replan' | 'abort'; reason?: string };
  /** A tool server asks: the fields of its form; cancel says neither yes nor no. */
  form: { decision: 'accept'; content?: Record<string, unknown> } | { decision: 'decline' | 'cancel' };
}

/** An answer to a gate that is about anything but a tool of the client. */
export type GateReply = GateAnswers[Exclude<GateKind, 'clientTool'>];

/** What a tool of the client gives: a text, blocks of tool content or any JSON. */
export interface ToolOutput {
  content: unknown;
  /** Default false. */
  isError?: boolean;
}

/** The output for a call, named by its gate or by the model's id of the call. */
export type ToolResultInput = ToolOutput & ({ gateId: string } | { callId: string });

/** Answers a gate. Throws a SteersmanError with the run's own sentence when it does not take the answer. */
export function answerGate(temporal: Temporal, id: string, input: Record<string, unknown>) {
  return update(temporal, id, { update: answerGateUpdate, input });
}

/** Gives the result of a client tool. Throws as `answerGate` does. */
export function submitToolResult(temporal: Temporal, id: string, input: Record<string, unknown>) {
  return update(temporal, id, { update: submitToolResultUpdate, input });
}

/** Says that this client is about to run a call of its tools. Throws as `answerGate` does, where another has begun it. */
export function claimToolCall(temporal: Temporal, id: string, input: Record<string, unknown>) {
  return update(temporal, id, { update: claimToolCallUpdate, input });
}

/** Adds or changes tasks that have not begun; `tasks` is checked by the run. Throws as `answerGate` does. */
export function editPlan(temporal: Temporal, id: string, tasks: Partial<PlannedTask>[]) {
  return update(temporal, id, { update: editPlanUpdate, input: { tasks } });
}

/** Changes limits. Throws as `answerGate` does. */
export function setBudget(temporal: Temporal, id: string, limits: Partial<Limits>) {
  return update(temporal, id, { update: setBudgetUpdate, input: limits });
}

/** Changes the model of a role, or of all. Gives the roles. Throws as `answerGate` does. */
export async function setModel(
  temporal: Temporal,
  id: string,
  input: { model: string; role?: string },
): Promise<string[]> {
  return (await update(temporal, id, { update: setModelUpdate, input })).roles;
}

/** Sends to a run that must be open; `say` is the text that a next run could begin with. */
async function sendToOpen<T>(
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
    // It ended between the look and the request.
    if (error instanceof WorkflowNotFoundError) throw closed(await describeRun(temporal, id), say);
    throw error;
  }
}

/**
 * An update needs a worker: without one it would only wait. A refusal repeats it: of one that is far too large no worker
 * could send it, and its run would stand still.
 */
export async function update<Result, Input>(
  temporal: Temporal,
  id: string,
  { update: wanted, input }: { update: UpdateDefinition<Result, [Input]>; input: Input },
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
    `It has ${bytes} bytes, and the run ${id} takes at most ${INPUT_BYTES} at once.`,
    'Say it in less.',
    'rejected',
  );
}

function unserved(id: string): SteersmanError {
  return new SteersmanError(
    `No worker answers for the run ${id}: it can not take this now.`,
    `Go on with runs that were left open: ${hintOf(startCall('--resume-open'), '`client.resumeLeftOpen(await client.leftOpen())`')}`,
    'unserved',
  );
}

/** Says that the run has ended, and how the next one can begin with what was to be said. */
function closed({ workflowId: id, status, memo }: RunDescription, text?: string): SteersmanError {
  // Temporal's `completed` says of any answer only that there is one.
  const how = memo?.outcome ?? status.name.toLowerCase().replace('_', ' ');
  const hint =
    text === undefined
      ? `Its answer: ${hintOf(verbCall(`result ${id}`), '`run.result()`')}`
      : `Start the next run with it, from where this one ended: ${hintOf(startCall(`${shellWord(text)} --after ${id}`), '`client.start(text, { after })`')}`;
  return new SteersmanError(`The run ${id} has ended (${how}): it takes nothing more.`, hint, 'ended');
}
