/** Who has to do with a run of a chaos: one watches, one asks again and again, one speaks. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import type { Temporal } from '../../../src/client/connection/connect.js';
import { isServerAway } from '../../../src/client/connection/grpc-errors.js';
import type { RunEnd } from '../../../src/client/record/run-end.js';
import { RunReader } from '../../../src/client/record/run-reader.js';
import type { RunEvent } from '../../../src/client/watch/run-event.js';
import { watchRun } from '../../../src/client/watch/watch-run.js';
import type { Gate } from '../../../src/run/gates/gate.js';
import type { JournalEvent } from '../../../src/run/state/journal.js';
import type { SteerTime } from '../../../src/run/steering/inbox.js';
import { queryTrouble } from '../../../src/shared/query-errors.js';
import {
  answerGateUpdate,
  followUpSignal,
  pauseSignal,
  type RunView,
  resumeSignal,
  stateQuery,
  steerSignal,
  stopSignal,
} from '../../../src/workflows/run/definitions.js';
import type { Random } from '../../simulation/random.js';
import { answerTo } from './answers.js';
import type { RunDraft } from './kinds.js';

const QUERY_TIMEOUT_MS = 12_000;
const EVENTS_UNTOLD = /^No worker tells the events/;

export class People {
  /** What the watcher was told, in order; by the way to them what it was told of agents. */
  readonly events: JournalEvent[] = [];
  readonly agentEvents = new Map<string, JournalEvent[]>();
  end: RunEnd | null = null;
  /** The watcher was told that the last events could not be read: all workers were away for long. */
  toldOfGap = false;
  /** Errors that nobody should see. */
  readonly faults: string[] = [];
  /** Gates at which a person said yes, taken or not. */
  readonly approved: Gate[] = [];
  readonly counts = { queries: 0, queriesFailed: 0, messages: 0, toAgents: 0, pauses: 0, answers: 0 };
  readonly handle: WorkflowHandle;
  readonly draft: RunDraft;
  readonly #temporal: Temporal;
  readonly #random: Random;
  /** Ways to the agents at work, as far as the watcher knows. */
  readonly #agents = new Set<string>();
  #paused = false;
  #quiet = false;
  #gone = false;

  constructor(temporal: Temporal, handle: WorkflowHandle, given: { draft: RunDraft; random: Random }) {
    this.#temporal = temporal;
    this.handle = handle;
    this.draft = given.draft;
    this.#random = given.random;
  }

  /** Resolves when the watcher has seen the end of the run, or gave up. */
  async attend(): Promise<void> {
    const others = [this.#ask(), this.#speak()];
    try {
      for await (const item of watchRun(new RunReader(this.#temporal, this.handle.workflowId), {
        pollMs: 100,
      }))
        this.#sees(item);
    } catch (error) {
      this.faults.push(`the watcher: ${textOf(error)}`);
    }
    this.#gone = true;
    await Promise.all(others);
  }

  #sees(item: RunEvent): void {
    if (item.type === 'end') this.end = item.end;
    if (item.type === 'notice' && EVENTS_UNTOLD.test(item.text)) this.toldOfGap = true;
    if (!('seq' in item)) return;
    const { path: agent } = item;
    if (agent === undefined) this.events.push(item);
    else this.agentEvents.set(agent, [...(this.agentEvents.get(agent) ?? []), item]);
    this.#follow(agent, item);
  }

  #follow(agent: string | undefined, event: JournalEvent): void {
    if (event.type !== 'subagent_started' && event.type !== 'subagent_ended') return;
    const path = agent === undefined ? event.id : `${agent}/${event.id}`;
    if (event.type === 'subagent_started') this.#agents.add(path);
    else this.#agents.delete(path);
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
      for (const gate of view?.gates ?? []) await this.#answer(gate);
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

  async #answer(gate: Gate): Promise<void> {
    const answer = answerTo(gate, this.#random);
    if (answer.decision === 'approve') this.approved.push(gate);
    const answering = () =>
      this.handle.executeUpdate(answerGateUpdate, { args: [{ gateId: gate.id, ...answer }] });
    // Gates are withdrawn by messages meanwhile, and workers die: then it is asked again.
    await this.#within(answering).then(
      () => {
        this.counts.answers += 1;
      },
      () => undefined,
    );
  }

  async #speak(): Promise<void> {
    for (let number = 1; !this.#gone; number++) {
      await sleep(this.#random.int(300, 3_500));
      if (this.#quiet || this.#gone) continue;
      if (this.draft.losesAgents && this.#random.chance(0.2)) await this.#losesOne();
      else if (this.draft.quits && this.#random.chance(0.1)) await this.#quit(this.draft.quits);
      else if (this.#paused ? this.#random.chance(0.7) : this.#random.chance(0.1))
        await this.#pauseOrResume();
      else await this.#says(number);
    }
  }

  async #says(number: number): Promise<void> {
    const message = { id: `m${number}`, text: `message ${number} of ${this.handle.workflowId}` };
    const when = this.#random.weighted<SteerTime>([
      [2, 'skip'],
      [2, 'after-batch'],
      [2, 'interrupt'],
    ]);
    const isFollowUp = this.#random.chance(0.1);
    this.counts.messages += 1;
    const agents = [...this.#agents];
    if (agents.length > 0 && this.#random.chance(0.5))
      return this.#saysToAgent(this.#random.pick(agents), { ...message, when });
    await this.#send(() =>
      isFollowUp
        ? this.handle.signal(followUpSignal, message)
        : this.handle.signal(steerSignal, { ...message, when }),
    );
  }

  /** By its run's own, or at its own run, as somebody may who sees that in the Web UI. */
  async #saysToAgent(path: string, message: { id: string; text: string; when: SteerTime }): Promise<void> {
    this.counts.toAgents += 1;
    const { workflowId } = this.handle;
    const isDirect = this.#random.chance(0.2);
    await this.#send(() =>
      isDirect
        ? this.#temporal.client.workflow.getHandle(`${workflowId}/${path}`).signal(steerSignal, message)
        : this.handle.signal(steerSignal, { ...message, to: path }),
    );
  }

  async #losesOne(): Promise<void> {
    const [path] = this.#random.some([...this.#agents], 0.5);
    if (path === undefined) return;
    const agent = this.#temporal.client.workflow.getHandle(`${this.handle.workflowId}/${path}`);
    await this.#send(async () => {
      await agent.terminate('somebody saw no use in it');
    });
  }

  async #quit(how: 'stop' | 'cancel'): Promise<void> {
    await this.#send(async () => {
      if (how === 'stop') await this.handle.signal(stopSignal);
      else await this.handle.cancel();
    });
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
