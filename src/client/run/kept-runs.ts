/** What the store keeps of runs: read without Temporal and without a worker, also of runs that both have forgotten. */
import { join } from 'node:path';
import type { JournalEvent } from '../../core/state/journal.js';
import type { Kept, RunRecord } from '../../core/state/kept.js';
import { type Message, textOf } from '../../core/state/message.js';
import { MAIN_THREAD } from '../../core/state/thread.js';
import type { TraceStep } from '../../core/state/trace.js';
import { SteersmanError } from '../../shared/errors.js';
import { openFolder } from '../../shared/store/folder.js';
import type { Hit, SessionLine, SessionStore } from '../../shared/store/store.js';
import { resolveHome } from '../../stack/home.js';

export interface ThreadTranscript {
  thread: string;
  messages: Message[];
}

/** A run of a conversation, as the store has it. */
export interface KeptRun {
  run: RunRecord;
  transcript: ThreadTranscript[];
}

export interface SessionsAsked {
  /** Default 20. */
  limit?: number;
  /** Words of the title. */
  text?: string;
  /** Only those that began in this folder. */
  workspace?: string;
}

/** Conversations in the store of this machine, newest first, open and ended ones. */
export class Sessions {
  readonly #store: SessionStore;

  /** `home`: folder of the local stack, by default as for `connect`. */
  constructor(home?: string) {
    this.#store = sessionsOf(resolveHome(home));
  }

  list({ limit = 20, text, workspace }: SessionsAsked = {}): Promise<SessionLine[]> {
    const workspaces = workspace === undefined ? undefined : [workspace];
    return this.#store.list({
      limit,
      ...(text !== undefined && { text }),
      ...(workspaces && { workspaces }),
    });
  }

  /** Messages that have all of these words, in any case. */
  search(text: string, { limit = 20 }: Pick<SessionsAsked, 'limit'> = {}): Promise<Hit[]> {
    return this.#store.search({ text, limit });
  }

  /** The runs of a conversation, oldest first, each with all that was said. Throws a SteersmanError for an unknown one. */
  async show(id: string): Promise<KeptRun[]> {
    const runs = await this.#store.runs(id);
    if (runs.length === 0)
      throw new SteersmanError(`There is no conversation ${id} in the store.`, '', 'not_found');
    return Promise.all(
      runs.map(async run => ({ run, transcript: inThreads(await keptMessages(this.#store, run)) })),
    );
  }
}

export function sessionsOf(home: string): SessionStore {
  return openFolder(join(home, 'store')).sessions;
}

const ALL = Number.POSITIVE_INFINITY;

/** What was said, each with its thread, in order. */
export async function keptMessages(store: SessionStore, run: RunRecord): Promise<SaidIn[]> {
  const kept = await store.read(run, { kind: 'message', limit: ALL });
  return kept.flatMap(each => (each.kind === 'message' ? [each] : []));
}

export type SaidIn = Pick<Extract<Kept, { kind: 'message' }>, 'thread' | 'message'>;

/** The main thread first. */
export function inThreads(said: readonly SaidIn[]): ThreadTranscript[] {
  const threads = new Map<string, Message[]>();
  for (const { thread, message } of said) threads.set(thread, [...(threads.get(thread) ?? []), message]);
  const byName = [...threads].map(([thread, messages]) => ({ thread, messages }));
  return [
    ...byName.filter(({ thread }) => thread === MAIN_THREAD),
    ...byName.filter(({ thread }) => thread !== MAIN_THREAD),
  ];
}

/** The run of this workflow id that the store knows; `chain`: that one. Null where it knows none. */
export async function keptRun(store: SessionStore, id: string, chain?: string): Promise<RunRecord | null> {
  const runs = await store.find(id);
  return runs.find(run => chain === undefined || run.chain === chain) ?? null;
}

/** Events after a number, with the whole texts of replies. */
export async function keptEvents(
  store: SessionStore,
  run: RunRecord,
  after: number,
): Promise<JournalEvent[]> {
  const events = await store.read(run, { kind: 'event', after, limit: ALL });
  const said = new Map((await keptMessages(store, run)).map(({ message }) => [message.id, message]));
  return events.flatMap(kept => {
    if (kept.kind !== 'event') return [];
    const { event } = kept;
    const message = event.type === 'model_call_ended' ? said.get(event.messageId) : undefined;
    return [message && event.type === 'model_call_ended' ? { ...event, text: textOf(message) } : event];
  });
}

export async function keptSteps(store: SessionStore, run: RunRecord): Promise<TraceStep[]> {
  const steps = await store.read(run, { kind: 'step', limit: ALL });
  return steps.flatMap(kept => (kept.kind === 'step' ? [kept.step] : []));
}
