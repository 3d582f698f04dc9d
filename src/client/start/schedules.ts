/** Schedules: Temporal starts a run again and again, with nobody there. */
import { randomUUID } from 'node:crypto';
import {
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  type ScheduleHandle,
  ScheduleNotFoundError,
} from '@temporalio/client';
import { msToTs } from '@temporalio/common';
import { defaultConfigDir } from '../../config/config-dir.js';
import { preview } from '../../core/text/preview.js';
import { scriptCall, verbCall } from '../../shared/called-as.js';
import { SteersmanError } from '../../shared/errors.js';
import { queryText } from '../../stack/open-runs.js';
import { isTrusted } from '../../stack/trust/trust.js';
import { DEFAULT_TASK_QUEUE, WORKFLOW_TYPE } from '../../workflows/messages.js';
import { type Abortable, abortable } from '../abortable.js';
import type { ClientScope } from '../client-scope.js';
import { ALL_RUNS } from '../run/runs.js';
import { OVERLAPS, type Overlap, policyOf, type ScheduleSnapshot, snapshotOf } from './schedule-snapshot.js';
import { type ScheduleTimes, specOf, timesFaults } from './schedule-when.js';
import { type StartOptions, shownWith, startRequest } from './start-run.js';

/** Options of a start that need somebody who is there. */
const UNATTENDED = ['attended', 'keptPermissions', 'approvePlan', 'keepOpenSeconds', 'tools'] as const;

/**
 * How a schedule starts its runs. Nobody attends them: gates take the safe answer at once, and there is no client that
 * would run tools.
 */
export interface ScheduleOptions
  extends ScheduleTimes,
    Omit<StartOptions, (typeof UNATTENDED)[number] | 'id' | 'after'> {
  /**
   * While the run before is open: `skip` (default) starts none, `buffer_one` starts one when it has ended,
   * `cancel_other` cancels it, `allow_all` starts another beside it.
   */
  overlap?: Overlap;
  /** It starts nothing until it is resumed. Default false. */
  paused?: boolean;
  /** A schedule of this id is changed; what it is paused for stays. Default false: it is a `conflict`. */
  replace?: boolean;
}

/** A start that was missed by more, since Temporal was down, is not made up. */
const CATCHUP_MS = 3_600_000;
/** Temporal adds the time of a start to it. */
const LONGEST_ID = 150;
const TRIGGER_TIMEOUT_MS = 10_000;
const MOST_OPEN_TOLD = 100;

/** What a client does with schedules. All throw a `SteersmanError`; `not_found` where there is no schedule of this id. */
export class Schedules {
  readonly #scope: ClientScope;
  /** One after the other: of starts that are asked for at the same moment Temporal may make the last alone. */
  #triggered: Promise<unknown> = Promise.resolve();

  /** Programs get it from a client. */
  constructor(scope: ClientScope) {
    this.#scope = scope;
  }

  /**
   * Makes a schedule whose runs have the id and the time of their start as id. Throws `usage` with all that is wrong
   * with goal and options, on the local stack also where no `taskQueue` is named, and `conflict` for an id that is taken.
   */
  create(id: string, goal: string, { signal, ...given }: ScheduleOptions & Abortable): Promise<void> {
    return this.#do(signal, async ending => {
      const { cron, everySeconds, timezone, overlap = 'skip', paused, replace, ...start } = given;
      const times = said({ cron, everySeconds, timezone });
      const { settings, taskQueue } = await this.#requestOf(id, goal, start, { ...times, overlap });
      const schedule = {
        spec: specOf(times),
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
      const { client } = this.#scope.temporal;
      const options = { scheduleId: id, ...schedule, state: { paused: paused ?? false } };
      ending.throwIfAborted();
      const made = await madeOf(client.schedule.create(options));
      if (made) return;
      if (replace !== true) throw taken(id);
      // Looked at first: one that starts something else is somebody else's.
      const { handle } = await this.#describe(id, ending);
      const stateOf = ({ state }: ScheduleDescription) =>
        paused === undefined ? state : { ...state, paused };
      await madeOf(handle.update(before => ({ ...schedule, state: stateOf(before) })));
    });
  }

  /** Those that start runs, in no order. */
  async *list({ signal }: Abortable = {}): AsyncGenerator<ScheduleSnapshot> {
    const { client } = this.#scope.temporal;
    const ids = await this.#do(signal, async () => {
      const found: string[] = [];
      for await (const { scheduleId, action } of client.schedule.list())
        if (action === undefined || action.workflowType === WORKFLOW_TYPE) found.push(scheduleId);
      return found;
    });
    for (const id of ids) {
      const snapshot = await this.show(id, signal ? { signal } : {}).catch(unlessGone);
      if (snapshot !== null) yield snapshot;
    }
  }

  /** How it stands. */
  show(id: string, { signal }: Abortable = {}): Promise<ScheduleSnapshot> {
    return this.#do(signal, async () => {
      const snapshot = snapshotOf((await this.#describe(id)).description);
      // Of runs beside each other the schedule itself does not know which are open.
      return snapshot.overlap === 'allow_all' ? { ...snapshot, open: await this.#openRuns(id) } : snapshot;
    });
  }

  /** It starts nothing until it is resumed; a run that is open goes on. */
  pause(id: string, { note = 'paused', signal }: { note?: string } & Abortable = {}): Promise<void> {
    return this.#do(signal, async ending => (await this.#describe(id, ending)).handle.pause(note));
  }

  /** It starts runs again. */
  resume(id: string, { note = 'resumed', signal }: { note?: string } & Abortable = {}): Promise<void> {
    return this.#do(signal, async ending => (await this.#describe(id, ending)).handle.unpause(note));
  }

  /**
   * Starts a run now, also of one that is paused. Resolves with the id of the run; null where its overlap policy has
   * none started now, for an earlier one is open.
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

  /** Removes it; runs that it has started go on. */
  delete(id: string, { signal }: Abortable = {}): Promise<void> {
    return this.#do(signal, async ending => (await this.#describe(id, ending)).handle.delete());
  }

  async #trigger(id: string, ending: AbortSignal): Promise<string | null> {
    const { handle, description: before } = await this.#describe(id, ending);
    const second = await this.#startNow(before);
    const deadline = Date.now() + TRIGGER_TIMEOUT_MS;
    for (;;) {
      const { info } = await handle.describe();
      const begun = info.recentActions.find(({ scheduledAt }) => secondOf(scheduledAt) === second);
      if (begun) return begun.action.workflow.workflowId;
      if (info.numActionsSkippedOverlap > before.info.numActionsSkippedOverlap) return null;
      if (before.info.runningActions.length > 0 && before.policies.overlap === 'BUFFER_ONE') return null;
      if (Date.now() > deadline) throw notStarted(id);
      await aMoment();
    }
  }

  /**
   * By the schedule's own policy, in a second that none of its latest runs has: a second run would have the same id. One
   * to come may be that of a start by the clock.
   */
  async #startNow({ scheduleId, info }: ScheduleDescription): Promise<number> {
    const { client, namespace } = this.#scope.temporal;
    const taken = info.recentActions.map(({ scheduledAt }) => secondOf(scheduledAt));
    while (taken.includes(secondOf(new Date()))) await aMoment();
    const second = secondOf(new Date());
    const triggerImmediately = { scheduledTime: msToTs(second * 1_000) };
    await client.workflowService.patchSchedule({
      ...{ namespace, scheduleId, identity: client.options.identity, requestId: randomUUID() },
      patch: { triggerImmediately },
    });
    return second;
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
    return abortable(this.#scope, signal ? { signal } : {}, work);
  }

  /** `ending`: of what has an effect on it next. */
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
      `List them with: ${verbCall('schedule list')}`,
      'not_found',
    );
  }

  async #requestOf(
    id: string,
    goal: string,
    start: StartOptions,
    rest: ScheduleTimes & { overlap: Overlap },
  ) {
    const { local } = this.#scope.temporal;
    const faults = timesFaults(rest);
    if (!OVERLAPS.includes(rest.overlap)) faults.push(`overlap must be one of ${OVERLAPS.join(', ')}.`);
    if (!/^\S+$/.test(id) || id.length > LONGEST_ID)
      faults.push(`The id must be 1 to ${LONGEST_ID} characters without spaces.`);
    for (const name of UNATTENDED) if (name in start) faults.push(`It takes no ${name}: nobody is there.`);
    if (faults.length > 0)
      throw new SteersmanError(`It can not be scheduled: ${faults.join(' ')}`, SEE_HELP, 'usage');
    // The workers of the local stack are on this machine, whatever their queue; nothing is read of a folder that is not trusted.
    const known = start.configDir !== undefined || isTrusted(defaultConfigDir());
    const request = await startRequest(goal, start, {
      local: local !== null,
      servedHere: local !== null && known,
    });
    const taskQueue = request.taskQueue ?? (local === null ? DEFAULT_TASK_QUEUE : null);
    if (taskQueue === null) throw noQueue();
    return { settings: request.settings, taskQueue };
  }
}

function aMoment(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, 100));
}

function secondOf(time: Date): number {
  return Math.floor(time.getTime() / 1_000);
}

const SEE_HELP = `See: ${verbCall('schedule create --help')}, or ScheduleOptions.`;

function said<T extends object>(options: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}

/** False where there is one of this id. What the server does not read as a time, the SDK throws as a TypeError. */
async function madeOf(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) return false;
    if (!(error instanceof TypeError)) throw error;
    throw new SteersmanError(`It can not be scheduled: ${error.message}.`, SEE_HELP, 'usage');
  }
}

/** Deleted since it was listed. */
function unlessGone(error: unknown): null {
  if (error instanceof SteersmanError && error.code === 'not_found') return null;
  throw error;
}

function taken(id: string): SteersmanError {
  return new SteersmanError(
    `There is a schedule with the id ${id} already.`,
    `Look at it with: ${verbCall(`schedule show ${preview(id)}`)}. To change it: --replace.`,
    'conflict',
  );
}

/** Its own workers end a minute after their last run, each with its queue. */
function noQueue(): SteersmanError {
  return new SteersmanError(
    'A schedule needs a worker that stays, and the background workers of the local stack do not.',
    `Start one with a queue of its own, such as: ${scriptCall('worker', '--task-queue nightly')}, with the folders of its runs under workspaces in its steersman.yaml. Then name that queue: --task-queue nightly.`,
    'usage',
  );
}

function notStarted(id: string): SteersmanError {
  return new SteersmanError(
    `Temporal has not started a run of ${id} within ${TRIGGER_TIMEOUT_MS / 1_000} s.`,
    `It may still do, or never where another client asked for one at the same moment: ${verbCall(`schedule show ${id}`)}.`,
    'uncertain',
  );
}
