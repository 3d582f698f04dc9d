/** Conversations in the store of this machine, read without Temporal or a worker. */
import { randomBytes } from 'node:crypto';
import { nameFault } from '../../rules/agents/run-input.js';
import type { UsageEntry } from '../../run/limits/usage-by.js';
import type { RunRecord, StoredLine } from '../../run/state/stored-line.js';
import { resolveHome } from '../../shared/local/home.js';
import { hintOf, quietVerbCall } from '../../shared/process/called-as.js';
import { SteersmanError } from '../../shared/process/errors.js';
import {
  type Hit,
  lineageOf,
  messageById,
  messagesOfEach,
  type SessionLine,
  type SessionStore,
} from '../../shared/store/store.js';
import type { ReadableStore } from '../connection/client-scope.js';
import {
  completeEvents,
  inThreads,
  noSession,
  removeWhole,
  type ThreadTranscript,
} from '../stored/stored-runs.js';
import { type ExportedSession, exported } from './export-session.js';
import { storeIn } from './store-in.js';

/** The usage of a run. */
export interface SpentRun extends Pick<RunRecord, 'startedAt' | 'outcome' | 'usage'> {
  id: string;
  /** By role and model; empty while the first goal is pursued. */
  usageBy: UsageEntry[];
}

const MOST_COUNTED = 2_000;

/** The stored record of a conversation's run. */
export interface StoredRun {
  run: RunRecord;
  transcript: ThreadTranscript[];
}

export interface SessionsAsked {
  /** Default 20. */
  limit?: number;
  /** Words of the title. */
  text?: string;
  /** Only conversations that began in this folder. */
  workspace?: string;
}

/** Conversations in the store of this machine, newest first, open and ended ones. */
export class Sessions {
  readonly #stores: ReadableStore;
  readonly #store: SessionStore;

  /** `home`: folder of the local stack; default as for `connect`. */
  constructor(home?: string) {
    this.#stores = storeIn(resolveHome(home));
    this.#store = this.#stores.sessions;
  }

  list({ limit = 20, text, workspace }: SessionsAsked = {}): Promise<SessionLine[]> {
    const workspaces = workspace === undefined ? undefined : [workspace];
    return this.#store.list({
      limit,
      ...(text !== undefined && { text }),
      ...(workspaces && { workspaces }),
    });
  }

  /** Finds messages that contain all of these words, in any case. */
  search(text: string, { limit = 20 }: Pick<SessionsAsked, 'limit'> = {}): Promise<Hit[]> {
    return this.#store.search({ text, limit });
  }

  /**
   * Returns the tokens and the cost of each stored run that began at `since` or later, newest conversations first. A
   * run's usage includes its sub-agents. At most 2,000 conversations are read.
   */
  async spent(since: Date): Promise<SpentRun[]> {
    const lines = await this.#store.list({ limit: MOST_COUNTED });
    const spent: SpentRun[] = [];
    for (const { id, changedAt } of lines) {
      if (changedAt < since.getTime()) continue;
      for (const { parent, workflowId, startedAt, outcome, usage, rest } of await this.#store.runs(id))
        if (parent === undefined && startedAt >= since.getTime())
          spent.push({ id: workflowId, startedAt, outcome, usage, usageBy: rest?.usageBy ?? [] });
    }
    return spent;
  }

  /**
   * Returns the runs of a conversation, oldest first, each with all messages. A branch includes the runs that it
   * shares, up to its branching message. Throws a SteersmanError for an unknown id.
   */
  async show(id: string): Promise<StoredRun[]> {
    const runs = await lineageOf(this.#store, id);
    if (runs.length === 0) throw noSession(id);
    const kept: StoredRun[] = [];
    for await (const { run, messages } of messagesOfEach(this.#store, runs))
      kept.push({ run, transcript: inThreads(messages) });
    return kept;
  }

  /**
   * Returns all of a conversation as data: messages, notes and tool events, each with its type. Throws a SteersmanError
   * for an unknown id.
   */
  async export(id: string): Promise<ExportedSession> {
    const runs = await lineageOf(this.#store, id);
    if (runs.length === 0) throw noSession(id);
    const events = await eventsIn(
      this.#store,
      runs.filter(({ upTo }) => upTo === undefined).map(({ run }) => run),
    );
    const told: ExportedSession['runs'] = [];
    for await (const { run, messages } of messagesOfEach(this.#store, runs)) {
      const happened = completeEvents(run, events.get(run.chain) ?? [], messages);
      told.push({ run, messages: exported(messages, happened) });
    }
    return { session: await this.#store.line(id), runs: told };
  }

  /**
   * Creates the conversation `to`, which branches from a message of this one: `client.start(goal, { session: to })`
   * runs its next goal. `at`: the message's id, such as `m12` of the newest run that has it, or `pool~2/m12`.
   */
  async branch(id: string, { at, to }: { at: string; to?: string }): Promise<string> {
    const slash = at.lastIndexOf('/');
    const [run, message] = [at.slice(0, Math.max(slash, 0)), at.slice(slash + 1)];
    const runs = (await lineageOf(this.#store, id)).filter(each => each.run.parent === undefined);
    if (runs.length === 0) throw noSession(id);
    const meant = runs.filter(said => run === '' || said.run.workflowId === run);
    for (const part of meant.reverse()) {
      if ((await messageById(this.#store, part, message)) === null) continue;
      const branch = to ?? `${id}-${message}-${randomBytes(2).toString('hex')}`;
      const fault = nameFault(branch, hintOf('--to', 'to'));
      if (fault !== null) throw new SteersmanError(fault, 'Give another name.', 'usage');
      if (await this.#store.line(branch))
        throw new SteersmanError(
          `There is a conversation ${branch} already.`,
          'Give another name.',
          'conflict',
        );
      const { session, chain } = part.run;
      await this.#store.branch({ session, chain, message }, branch);
      return branch;
    }
    throw new SteersmanError(
      `The conversation ${id} has no message ${at}.`,
      `See its messages: ${hintOf(quietVerbCall(`sessions export ${id} --format json`), '`sessions.export(id)`')}`,
      'not_found',
    );
  }

  /**
   * Removes a conversation from the store, with its texts; returns the workflow ids of its runs. Later messages of its
   * open runs are not stored. Its runs in Temporal stay: `client.deleteSession(id)` removes them too. Throws a
   * SteersmanError for an unknown id, and if branches share its messages.
   */
  remove(id: string): Promise<{ workflowIds: string[] }> {
    return removeWhole(this.#stores, id, null);
  }
}

async function eventsIn(store: SessionStore, runs: readonly RunRecord[]): Promise<Map<string, StoredLine[]>> {
  const found = new Map<string, StoredLine[]>();
  for (const session of new Set(runs.map(run => run.session))) {
    const chains = runs.filter(run => run.session === session).map(({ chain }) => chain);
    for await (const { chain, records } of await store.readEach(session, { kind: 'event', chains }))
      found.set(chain, records);
  }
  return found;
}
