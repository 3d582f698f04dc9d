/** Starts the next run of a conversation, or queues the goal in its open run. */
import { randomUUID } from 'node:crypto';
import {
  ApplicationFailure,
  WithStartWorkflowOperation,
  WorkflowExecutionAlreadyStartedError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { jsonBytes } from '../../base/json/json.js';
import { MESSAGE_BYTES } from '../../base/sizes/bounds.js';
import { WORKFLOW_TYPE } from '../../run/agents/run-config.js';
import { idInSession, lastNumberIn } from '../../run/state/stored-line.js';
import { hintOf, verbCall } from '../../shared/process/called-as.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { lastPart } from '../../shared/store/delete-session.js';
import type { SessionStore } from '../../shared/store/store.js';
import { joinUpdate, REFUSED } from '../../workflows/run/definitions.js';
import type { Temporal } from '../connection/connect.js';
import { isOpen, type RunDescription, workspaceOf } from '../record/runs.js';
import {
  START_TIMEOUT_MS,
  type StartedRun,
  type StartRequest,
  shownWith,
  unknownStart,
} from './start-run.js';

/** Limit for runs that the store does not know, which are skipped. */
const MOST_TRIES = 100;

/**
 * Starts the next run of the conversation `session`. Two concurrent starts meet in one run: one of their goals becomes
 * its second.
 */
export async function startInSession(
  temporal: Temporal,
  store: SessionStore | null,
  {
    session,
    token: given,
    ...request
  }: Pick<StartRequest, 'goal' | 'settings' | 'token'> & { session: string },
  taskQueue: string,
): Promise<StartedRun> {
  const token = given ?? randomUUID();
  const last = store === null ? 0 : lastNumberIn(session, await store.runs(session));
  const repeated = given === null ? null : await repeatedIn(temporal, last, { session, token });
  if (repeated) return repeated;
  const first = await firstNumber(temporal, last, session);
  for (let number = first; number < first + MOST_TRIES; number++) {
    const id = idInSession(session, number);
    const started = await startOrJoin(temporal, { ...request, session, id, token }, taskQueue);
    if (started !== null) return started;
  }
  throw new SteersmanError(
    `Temporal has more runs of the conversation ${session} than the store of this machine knows.`,
    `See them: ${hintOf(verbCall('list'), '`client.list()`')}`,
    'conflict',
  );
}

/** Returns the conversation's last run if it has ended and this request started it or queued its goal there. */
async function repeatedIn(
  temporal: Temporal,
  last: number,
  { session, token }: JoinedAs,
): Promise<StartedRun | null> {
  const id = idInSession(session, Math.max(1, last));
  const run = await lookAt(temporal, id);
  // An open run detects repeated messages by their ids.
  if (run === null || isOpen(run)) return null;
  const { runId, taskQueue, memo } = run;
  const joined = memo?.startedBy !== token;
  if (joined && !(await hasJoined(temporal, id, token))) return null;
  return { id, runId, taskQueue, workspace: workspaceOf(memo), joined };
}

/** Temporal stores the outcome of an update with the run's history. */
async function hasJoined({ client }: Temporal, id: string, token: string): Promise<boolean> {
  const update = client.workflow.getHandle(id).getUpdateHandle(token);
  return client
    .withDeadline(Date.now() + START_TIMEOUT_MS, () => update.result())
    .then(
      () => true,
      () => false,
    );
}

/** Returns the number of the last run if it is open, else the next number, even if Temporal has deleted all runs. */
async function firstNumber(temporal: Temporal, last: number, session: string): Promise<number> {
  if (last === 0) return 1;
  const run = await lookAt(temporal, idInSession(session, last));
  return run !== null && isOpen(run) ? last : last + 1;
}

function lookAt({ client }: Temporal, id: string): Promise<RunDescription | null> {
  return client.withDeadline(Date.now() + START_TIMEOUT_MS, () => lastPart(client, id));
}

interface JoinedAs {
  session: string;
  token: string;
}

/** Returns null if the run accepts no more goals: the next number is tried. Throws if it is full, or started differently. */
function passOver(id: string, { cause }: WorkflowUpdateFailedError): null {
  const type = cause instanceof ApplicationFailure ? cause.type : null;
  if (type !== REFUSED.full && type !== REFUSED.differs) return null;
  throw new SteersmanError(
    `The goal was not queued in the run ${id}. ${cause?.message ?? ''}`,
    type === REFUSED.full
      ? `Try again when it has read some messages: ${hintOf(verbCall(`show ${id}`), '`client.attach(id)`')}.`
      : 'Start it as the run was started, wait for its end, or begin another conversation.',
    'conflict',
  );
}

/** Returns null if the run of this id has ended, even just now. */
async function startOrJoin(
  temporal: Temporal,
  { session, id, goal, settings, token }: Pick<StartRequest, 'id' | 'goal' | 'settings'> & JoinedAs,
  taskQueue: string,
): Promise<StartedRun | null> {
  const { client } = temporal;
  const shown = shownWith(goal, settings);
  const { workspace, autoApprove, context = {}, answer, checks, approvePlan } = settings;
  const demands = {
    ...(answer && { answer }),
    ...(checks && { checks }),
    ...(approvePlan && { approvePlan }),
  };
  const operation = new WithStartWorkflowOperation(WORKFLOW_TYPE, {
    workflowId: id,
    taskQueue,
    args: [{ goal, settings: { ...settings, startedBy: token } }],
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    ...shown,
    memo: { ...shown.memo, startedAt: new Date().toISOString(), startedBy: token },
  });
  // The handle may never be awaited: the update reports errors.
  operation.workflowHandle().catch(() => {});
  // A goal that is too long for a message, or has pictures, is only accepted by its own run.
  const isOwnOnly = jsonBytes(goal) > MESSAGE_BYTES || settings.pictures !== undefined;
  const text = isOwnOnly ? '' : goal;
  temporal.signal?.throwIfAborted();
  let isOwn = false;
  try {
    const joined = await client.withDeadline(Date.now() + START_TIMEOUT_MS, () =>
      client.workflow.executeUpdateWithStart(joinUpdate, {
        args: [{ id: token, text, session, workspace, autoApprove, context, ...demands }],
        updateId: token,
        startWorkflowOperation: operation,
      }),
    );
    isOwn = joined.started;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return null;
    if (error instanceof WorkflowUpdateFailedError) return passOver(id, error);
    // The server has the update even if no worker has handled it yet.
    const run = await lookAt(temporal, id).catch(() => null);
    isOwn = run?.memo?.startedBy === token;
    if (!isOwn) throw unknownStart(id, error);
  }
  const run = await lookAt(temporal, id);
  if (isOwn || run === null) return { id, runId: run?.runId ?? '', taskQueue, workspace };
  return { id, runId: run.runId, taskQueue: run.taskQueue, workspace: workspaceOf(run.memo), joined: true };
}
