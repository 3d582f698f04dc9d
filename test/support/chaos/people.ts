/** Who has to do with a run of a chaos: one watches, one asks again and again, one speaks. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import type { Temporal } from '../../../src/client/runs/connect.js';
import { isServerAway } from '../../../src/client/runs/grpc-errors.js';
import type { RunEnd } from '../../../src/client/runs/run-end.js';
import { watchRun } from '../../../src/client/runs/watch-run.js';
import type { SteerTime } from '../../../src/core/inbox.js';
import type { JournalEvent } from '../../../src/core/journal.js';
import { queryTrouble } from '../../../src/shared/query-errors.js';
import {
  answerGateUpdate,
  followUpSignal,
  pauseSignal,
  type RunView,
  resumeSignal,
  stateQuery,
  steerSignal,
} from '../../../src/workflows/messages.js';
import type { Random } from '../../simulation/random.js';

const QUERY_TIMEOUT_MS = 12_000;
const EVENTS_UNTOLD = /^No worker tells the events/;

export class People {
  /** What the watcher was told, in order. */
  readonly events: JournalEvent[] = [];
  end: RunEnd | null = null;
  /** The watcher was told that the last events could not be read: all workers were away for long. */
  toldOfGap = false;
  /** Errors that nobody should see. */
  readonly faults: string[] = [];
  readonly counts = { queries: 0, queriesFailed: 0, messages: 0, pauses: 0, answers: 0 };
  readonly handle: WorkflowHandle;
  readonly #temporal: Temporal;
  readonly #random: Random;
  #paused = false;
  #quiet = false;
  #gone = false;

  constructor(temporal: Temporal, handle: WorkflowHandle, random: Random) {
    this.#temporal = temporal;
    this.handle = handle;
    this.#random = random;
  }

  /** Resolves when the watcher has seen the end of the run, or gave up. */
  async attend(): Promise<void> {
    const others = [this.#ask(), this.#speak()];
    try {
      for await (const item of watchRun(this.#temporal, this.handle.workflowId, { pollMs: 100 })) {
        if (item.type === 'journal') this.events.push(item.event);
        if (item.type === 'notice' && EVENTS_UNTOLD.test(item.text)) this.toldOfGap = true;
        if (item.type === 'end') this.end = item.end;
      }
    } catch (error) {
      this.faults.push(`the watcher: ${textOf(error)}`);
    }
    this.#gone = true;
    await Promise.all(others);
  }

  /** From here on nothing new is said, and a run that is paused goes on. */
  async beQuiet(): Promise<void> {
    this.#quiet = true;
    this.#paused = false;
    await this.#send(() => this.handle.signal(resumeSignal));
  }

  /** Asks without patience, as the Web UI does, and answers the gates that it sees. */
  async #ask(): Promise<void> {
    while (!this.#gone) {
      await sleep(this.#random.int(10, 200));
      const view = await this.#look();
      for (const { id: gateId } of view?.gates ?? []) await this.#answer(gateId);
    }
  }

  async #look(): Promise<RunView | null> {
    this.counts.queries += 1;
    try {
      return await this.#within(() => this.handle.query(stateQuery));
    } catch (error) {
      this.counts.queriesFailed += 1;
      if (queryTrouble(error) !== 'passing') this.faults.push(`a query: ${textOf(error)}`);
      return null;
    }
  }

  async #answer(gateId: string): Promise<void> {
    const decision = this.#random.pick(['approve', 'deny']);
    const answering = () => this.handle.executeUpdate(answerGateUpdate, { args: [{ gateId, decision }] });
    // Gates are withdrawn by messages meanwhile, and workers die: then it is asked again.
    await this.#within(answering).then(
      () => {
        this.counts.answers += 1;
      },
      () => undefined,
    );
  }

  async #speak(): Promise<void> {
    const { workflowId } = this.handle;
    for (let number = 1; !this.#gone; number++) {
      await sleep(this.#random.int(300, 3_500));
      if (this.#quiet || this.#gone) continue;
      if (this.#paused ? this.#random.chance(0.7) : this.#random.chance(0.1)) {
        await this.#pauseOrResume();
        continue;
      }
      const message = { id: `m${number}`, text: `message ${number} of ${workflowId}` };
      const when = this.#random.weighted<SteerTime>([
        [2, 'skip'],
        [2, 'after-batch'],
        [2, 'interrupt'],
      ]);
      const isFollowUp = this.#random.chance(0.1);
      this.counts.messages += 1;
      await this.#send(() =>
        isFollowUp
          ? this.handle.signal(followUpSignal, message)
          : this.handle.signal(steerSignal, { ...message, when }),
      );
    }
  }

  async #pauseOrResume(): Promise<void> {
    this.#paused = !this.#paused;
    if (this.#paused) this.counts.pauses += 1;
    await this.#send(() => this.handle.signal(this.#paused ? pauseSignal : resumeSignal));
  }

  /** Until the server has taken it: its id makes a repeat harmless. */
  async #send(send: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await this.#within(send);
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return;
        if (!isServerAway(error)) {
          this.faults.push(`a signal: ${textOf(error)}`);
          return;
        }
        await sleep(200);
      }
    }
  }

  #within<T>(work: () => Promise<T>): Promise<T> {
    return this.#temporal.client.withDeadline(Date.now() + QUERY_TIMEOUT_MS, work);
  }
}

export function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${textOf(error.cause)}` : error.message;
}
