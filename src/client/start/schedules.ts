/** Schedules: Temporal starts runs at set times, and no person attends them. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  type ScheduleHandle,
  ScheduleNotFoundError,
} from '@temporalio/client';
import { msToTs } from '@temporalio/common';
import { WORKFLOW_TYPE } from '../../run/agents/run-config.js';
import { queryText } from '../../shared/local/open-runs.js';
import { hintOf, scriptCall, verbCall } from '../../shared/process/called-as.js';
import { SteersmanError, unlessUnknown } from '../../shared/process/errors.js';
import { DEFAULT_TASK_QUEUE } from '../../workflows/run/definitions.js';
import { type Abortable, abortable } from '../connection/abortable.js';
import type { ClientScope } from '../connection/client-scope.js';
import { ALL_RUNS } from '../record/runs.js';
import {
  OVERLAPS,
  type Overlap,
  policyOf,
  type ScheduleSnapshot,
  type ScheduleTimes,
  snapshotOf,
  specOf,
  timesFaults,
} from './schedule-snapshot.js';
import { type StartOptions, shownWith, startRequest } from './start-run.js';

/** Options of a start that need an attending person or client. */
const UNATTENDED = ['attended', 'keptPermissions', 'approvePlan', 'keepOpenSeconds', 'tools'] as const;

/** Options of a schedule's runs. They are unattended: gates take the safe answer at once, and no client can run tools. */
export interface ScheduleOptions
  extends ScheduleTimes,
    Omit<StartOptions, (typeof UNATTENDED)[number] | 'id' | 'after' | 'messages' | 'pictures'> {
  /**
   * Policy while the previous run is open: `skip` (default) starts no run, `buffer_one` starts one when it has ended,
   * `cancel_other` cancels it, `allow_all` starts another in parallel.
   */
  overlap?: Overlap;
  /** It starts nothing until it is resumed. Default false. */
  paused?: boolean;
  /** Changes an existing schedule of this id, which stays paused if it is. Default false: an existing id is a `conflict`. */
  replace?: boolean;
}

/** A start that was missed by more than this, because Temporal was down, is dropped. */
const CATCHUP_MS = 3_600_000;
/** Temporal appends the time of a start to it. */
const LONGEST_SCHEDULE_ID = 150;
const TRIGGER_TIMEOUT_MS = 10_000;
const MOMENT_MS = 100;
const MOST_OPEN_TOLD = 100;

/** The client's methods for schedules. All throw a `SteersmanError`; `not_found` if there is no schedule of this id. */
export class Schedules {
  readonly #scope: ClientScope;
  /** Triggers run one after another, because Temporal may perform only the last of several simultaneous ones. */
  #triggered: Promise<unknown> = Promise.resolve();

  /** Programs get it from a client. */
  constructor(scope: ClientScope) {
    this.#scope = scope;
  }

  /**
   * Creates a schedule. Each run's id is the schedule's id and the time of the start. Throws `usage` with all faults of
   * goal and options, on the local stack also without a `taskQueue`, and `conflict` for an id in use.
   */
  create(id: string, goal: string, { signal, ...given }: ScheduleOptions & Abortable): Promise<void> {
    return this.#do(signal, async ending => {
      const { cron: _c, everySeconds: _e, timezone: _t, overlap = 'skip', paused, replace, ...start } = given;
      const faults = timesFaults(given);
      if (!OVERLAPS.includes(overlap)) faults.push(`overlap must be one of ${OVERLAPS.join(', ')}.`);
      if (!/^\S+$/.test(id) || id.length > LONGEST_SCHEDULE_ID)
        faults.push(`The id must be 1 to ${LONGEST_SCHEDULE_ID} characters without spaces.`);
      for (const name of UNATTENDED)
        if (name in start) faults.push(`It takes no ${name}: no person attends scheduled runs.`);
      for (const name of ['messages', 'pictures'])
        if (name in start) faults.push(`It takes no ${name}: each of its runs would begin with them.`);
      if (faults.length > 0) throw refused(faults.join(' '));
      const { settings, taskQueue } = await this.#requestOf(goal, start);
      const schedule = {
        spec: specOf(given),
        policies: { overlap: policyOf(overlap), catchupWindow: CATCHUP_MS },
        action: {
          type: 'startWorkflow' as const,
          workflowType: WORKFLOW_TYPE,
          workflowId: id,
          taskQueue,
          args: [{ goal, settings }],
          ...shownWith(goal, settings),
        },
      };
      const { schedule: schedules } = this.#scope.temporal.client;
      const handle = schedules.getHandle(id);
      const before = replace === true ? await this.#describe(id).catch(unlessUnknown) : null;
      ending.throwIfAborted();
      try {
        const state = {
          ...before?.description.state,
          paused: paused ?? before?.description.state.paused ?? false,
        };
        if (before) await handle.update(() => ({ ...schedule, state }));
        else await schedules.create({ scheduleId: id, ...schedule, state });
      } catch (error) {
        if (error instanceof ScheduleAlreadyRunning) throw taken(id);
        // The server could not parse a time.
        throw error instanceof TypeError ? refused(`${error.message}.`) : error;
      }
      if ((await handle.describe()).info.nextActionTimes.length > 0) return;
      await (before ? handle.update(() => before.description) : handle.delete());
      throw refused('The time of its start never comes.');
    });
  }

  /** Yields the schedules that start runs, in no order. */
  async *list({ signal }: Abortable = {}): AsyncGenerator<ScheduleSnapshot> {
    const { client } = this.#scope.temporal;
    const ids = await this.#do(signal, async () => {
      const found: string[] = [];
      for await (const { scheduleId, action } of client.schedule.list())
        if (action === undefined || action.workflowType === WORKFLOW_TYPE) found.push(scheduleId);
      return found;
    });
    for (const id of ids) {
      // It may have been deleted since it was listed.
      const snapshot = await this.show(id, { signal }).catch(unlessUnknown);
      if (snapshot !== null) yield snapshot;
    }
  }

  /** Returns the state of a schedule. */
  show(id: string, { signal }: Abortable = {}): Promise<ScheduleSnapshot> {
    return this.#do(signal, async () => {
      const snapshot = snapshotOf((await this.#describe(id)).description);
      // The schedule does not know which of several parallel runs are open.
      return snapshot.overlap === 'allow_all' ? { ...snapshot, open: await this.#openRuns(id) } : snapshot;
    });
  }

  /** Pauses a schedule: it starts nothing until it is resumed; an open run continues. */
  pause(id: string, { note = 'paused', signal }: { note?: string } & Abortable = {}): Promise<void> {
    return this.#do(signal, async ending => (await this.#describe(id, ending)).handle.pause(note));
  }

  /** Resumes a schedule: it starts runs again. */
  resume(id: string, { note = 'resumed', signal }: { note?: string } & Abortable = {}): Promise<void> {
    return this.#do(signal, async ending => (await this.#describe(id, ending)).handle.unpause(note));
  }

  /**
   * Starts a run now, even if the schedule is paused. Resolves with the run's id, or null if an earlier run is open and
   * the overlap policy starts no run.
   */
  trigger(id: string, { signal }: Abortable = {}): Promise<string | null> {
    return this.#do(signal, ending => {
      const triggered = this.#triggered.then(() => {
        ending.throwIfAborted();
        return this.#trigger(id, ending);
      });
      this.#triggered = triggered.catch(() => {});
      return triggered;
    });
  }

  /** Deletes a schedule; its runs continue. */
  delete(id: string, { signal }: Abortable = {}): Promise<void> {
    return this.#do(signal, async ending => (await this.#describe(id, ending)).handle.delete());
  }

  /**
   * Starts by the schedule's policy, in a second that no recent run has, because the second is part of the id. A
   * scheduled start may still take the next one.
   */
  async #trigger(scheduleId: string, ending: AbortSignal): Promise<string | null> {
    const { client, namespace } = this.#scope.temporal;
    const { handle, description: before } = await this.#describe(scheduleId, ending);
    const taken = before.info.recentActions.map(({ scheduledAt }) => secondOf(scheduledAt));
    while (taken.includes(secondOf(new Date()))) await delay(MOMENT_MS);
    const second = secondOf(new Date());
    await client.workflowService.patchSchedule({
      ...{ namespace, scheduleId, identity: client.options.identity, requestId: randomUUID() },
      patch: { triggerImmediately: { scheduledTime: msToTs(second * 1_000) } },
    });
    for (const deadline = Date.now() + TRIGGER_TIMEOUT_MS; Date.now() < deadline; await delay(MOMENT_MS)) {
      const { info } = await handle.describe();
      const begun = info.recentActions.find(({ scheduledAt }) => secondOf(scheduledAt) === second);
      if (begun) return begun.action.workflow.workflowId;
      if (info.numActionsSkippedOverlap > before.info.numActionsSkippedOverlap) return null;
      if (before.info.runningActions.length > 0 && before.policies.overlap === 'BUFFER_ONE') return null;
    }
    throw notStarted(scheduleId);
  }

  async #openRuns(scheduleId: string): Promise<string[]> {
    const startedBy = `TemporalScheduledById = ${queryText(scheduleId)}`;
    const query = `${startedBy} AND ${ALL_RUNS} AND ExecutionStatus = 'Running'`;
    const open: string[] = [];
    for await (const { workflowId } of this.#scope.temporal.client.workflow.list({ query })) {
      if (open.length >= MOST_OPEN_TOLD) break;
      open.push(workflowId);
    }
    return open;
  }

  #do<T>(signal: AbortSignal | undefined, work: (ending: AbortSignal) => Promise<T>): Promise<T> {
    return abortable(this.#scope, { signal }, work);
  }

  /** `ending`: signal of a call that has an effect next. */
  async #describe(
    id: string,
    ending?: AbortSignal,
  ): Promise<{ handle: ScheduleHandle; description: ScheduleDescription }> {
    const handle = this.#scope.temporal.client.schedule.getHandle(id);
    try {
      const description = await handle.describe();
      ending?.throwIfAborted();
      if (description.action.workflowType === WORKFLOW_TYPE) return { handle, description };
    } catch (error) {
      if (!(error instanceof ScheduleNotFoundError)) throw error;
    }
    throw new SteersmanError(
      `There is no schedule ${id} that starts runs.`,
      `List them with: ${hintOf(verbCall('schedule list'), '`client.schedules.list()`')}`,
      'not_found',
    );
  }

  async #requestOf(goal: string, start: StartOptions) {
    const { temporal, project } = this.#scope;
    const local = temporal.local !== null;
    // Workers of the local stack are on this machine, for any queue; an untrusted folder is not read.
    const known = start.configDir !== undefined || project?.isTrusted() === true;
    const { settings, taskQueue } = await startRequest(goal, start, {
      ...{ project, local },
      servedHere: local && known,
    });
    if (taskQueue === null && local) throw noQueue();
    return { settings, taskQueue: taskQueue ?? DEFAULT_TASK_QUEUE };
  }
}

function secondOf(time: Date): number {
  return Math.floor(time.getTime() / 1_000);
}

function refused(why: string): SteersmanError {
  const help = hintOf(verbCall('schedule create --help'), 'ScheduleOptions');
  return new SteersmanError(`This cannot be scheduled: ${why}`, `See: ${help}.`, 'usage');
}

function taken(id: string): SteersmanError {
  return new SteersmanError(
    `There is a schedule with the id ${id} already.`,
    `Look at it with: ${hintOf(verbCall(`schedule show ${id}`), '`client.schedules.show(id)`')}. To change it: ${hintOf('--replace', '`replace`')}.`,
    'conflict',
  );
}

/** The stack's own workers end a minute after their last run, together with their queue. */
function noQueue(): SteersmanError {
  return new SteersmanError(
    'A schedule needs a worker that stays, and the background workers of the local stack do not.',
    `Start one with a queue of its own, such as: ${scriptCall('worker', '--task-queue nightly')}, and list the folders of its runs as \`workspaces\` in its steersman.yaml. Then name that queue: ${hintOf('--task-queue nightly', '`taskQueue`')}.`,
    'usage',
  );
}

function notStarted(id: string): SteersmanError {
  return new SteersmanError(
    `Temporal has not started a run of ${id} within ${TRIGGER_TIMEOUT_MS / 1_000} s.`,
    `It may still start. It never will if another client triggered this schedule at the same moment. Look with: ${hintOf(verbCall(`schedule show ${id}`), '`client.schedules.show(id)`')}.`,
    'uncertain',
  );
}
