/** All runs of a chaos, and their people. */
import type { Temporal } from '../../../src/client/connection/connect.js';
import { WORKFLOW_TYPE } from '../../../src/run/agents/run-config.js';
import { Random } from '../../simulation/random.js';
import type { FakeMcpEvent } from '../fake-mcp-server.js';
import { type RecordedPart, replayAll } from '../histories.js';
import { runSettings } from '../rig.js';
import { until } from '../wait.js';
import { faultsOf } from './findings.js';
import { type ChaosKind, draftRun, endsWell } from './kinds.js';
import { People, textOf } from './people.js';
import { eventsOf, recordsOf } from './records.js';

/** A run that has not ended so long after the last fault hangs. */
const SETTLE_WITHIN_MS = 180_000;

export interface CrowdOptions {
  taskQueue: string;
  workspace: string;
  seed: number;
  kinds: readonly ChaosKind[];
}

export class Crowd {
  readonly #temporal: Temporal;
  readonly #given: CrowdOptions;
  readonly #people: People[] = [];
  #started = 0;
  #agents = 0;
  #ending = false;

  constructor(temporal: Temporal, given: CrowdOptions) {
    this.#temporal = temporal;
    this.#given = given;
  }

  /** So many runs at once. Resolves when the last has ended. */
  async keep(runs: number): Promise<void> {
    const place = async () => {
      while (!this.#ending) await (await this.#start()).attend();
    };
    await Promise.all(Array.from({ length: runs }, place));
  }

  /** Resolves when all runs have ended; rejects when one hangs. */
  async end(): Promise<void> {
    this.#ending = true;
    const open = () => this.#people.filter(({ end, faults }) => end === null && faults.length === 0);
    await Promise.all(open().map(people => people.beQuiet()));
    await until('all runs have ended', () => open().length === 0, SETTLE_WITHIN_MS);
  }

  /** What the runs that hang say of themselves. */
  async unfinished(): Promise<string[]> {
    const open = this.#people.filter(({ end }) => end === null);
    return Promise.all(
      open.map(async ({ handle }) => {
        const { raw } = await handle.describe();
        const pending = (raw.pendingActivities ?? []).map(
          ({ activityType, state, attempt, lastFailure }) =>
            `${activityType?.name} in state ${state}, attempt ${attempt}: ${lastFailure?.message ?? ''}`,
        );
        const task = raw.pendingWorkflowTask;
        if (task) pending.push(`workflow task in state ${task.state}, attempt ${task.attempt}`);
        for (const { workflowId } of raw.pendingChildren ?? []) pending.push(`agent ${workflowId}`);
        return `${handle.workflowId} hangs: ${pending.join('; ') || 'nothing is pending'}`;
      }),
    );
  }

  /** Looks at every run; asks the workers for its conversation. */
  async examine(toolLog: readonly FakeMcpEvent[], mayFail: boolean) {
    const found: string[] = [];
    const histories: RecordedPart[] = [];
    for (const people of this.#people) {
      const { workflowId } = people.handle;
      const note = (faults: string[]) =>
        found.push(...faults.map(fault => `${workflowId} (${people.draft.kind}): ${fault}`));
      try {
        const records = await recordsOf(this.#temporal, workflowId);
        this.#agents += records.length - 1;
        histories.push(...records.flatMap(({ parts }) => parts));
        note(faultsOf({ people, records, toolLog, mayFail }));
      } catch (error) {
        note([textOf(error)]);
      }
    }
    found.push(...(await replayFaults(histories)));
    return { found, historyEvents: eventsOf({ parts: histories }).length };
  }

  async terminate(): Promise<void> {
    const open = this.#people.filter(({ end }) => end === null);
    await Promise.all(open.map(({ handle }) => handle.terminate().catch(() => undefined)));
  }

  counts() {
    const sum = (name: 'queries' | 'queriesFailed' | 'messages' | 'toAgents') =>
      this.#people.reduce((total, { counts }) => total + counts[name], 0);
    const { length: completed } = this.#people.filter(({ draft, end }) => end && endsWell(draft, end));
    return {
      ...{ runs: this.#people.length, completed, agents: this.#agents, queries: sum('queries') },
      ...{ queriesFailed: sum('queriesFailed'), messages: sum('messages'), toAgents: sum('toAgents') },
    };
  }

  async #start(): Promise<People> {
    const { taskQueue, workspace, seed, kinds } = this.#given;
    this.#started += 1;
    const number = this.#started;
    const random = new Random(seed, 'people', number);
    // In turn, from another one in each seed.
    const kind = kinds[(seed + number) % kinds.length] ?? 'team';
    const draft = draftRun(kind, random);
    const workflowId = `${taskQueue}-${number}`;
    const goal = `Weather the chaos of a ${kind} run, ${workflowId}`;
    const args = [{ goal, settings: runSettings(workspace, draft.settings) }];
    const { workflow } = this.#temporal.client;
    const start = () => workflow.start(WORKFLOW_TYPE, { args, taskQueue, workflowId });
    // The server may be away just now.
    const handle = await until(`${workflowId} is started`, () => start().catch(startedAlready), 60_000);
    const people = new People(this.#temporal, handle === true ? workflow.getHandle(workflowId) : handle, {
      draft,
      random,
    });
    this.#people.push(people);
    return people;
  }
}

/** True where an earlier try was taken and its answer lost. */
function startedAlready(error: unknown): boolean {
  return error instanceof Error && error.name === 'WorkflowExecutionAlreadyStartedError';
}

async function replayFaults(histories: readonly RecordedPart[]): Promise<string[]> {
  try {
    await replayAll(histories);
    return [];
  } catch (error) {
    return [textOf(error)];
  }
}
