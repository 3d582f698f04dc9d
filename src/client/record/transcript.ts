/** Reads the conversation of a run: the messages and calls of its roles, and their results. */

import type { Message } from '../../run/messages/message.js';
import { messageNumber, type RunRecord } from '../../run/state/stored-line.js';
import { SteersmanError } from '../../shared/process/errors.js';
import type { SessionStore } from '../../shared/store/store.js';
import { stateQuery, transcriptQuery } from '../../workflows/run/definitions.js';
import { askRun } from '../connection/ask-run.js';
import type { Temporal } from '../connection/connect.js';
import {
  inThreads,
  storedMessages,
  type ThreadMessage,
  type ThreadTranscript,
} from '../stored/stored-runs.js';
import { fromWorker } from './runs.js';

/** A run and the store that has it. */
export interface RunInStore {
  store: SessionStore;
  run: RunRecord;
}

interface Wanted {
  id: string;
  only: string | undefined;
  kept: RunInStore | null;
  /** True if the store has all messages. */
  isAll: boolean;
}

/**
 * Returns the threads of a run, the main one first, with all messages that the store or the run itself has; `only`: one
 * of them. Throws a SteersmanError for an unknown run or thread, and if neither store nor worker has the conversation.
 */
export async function readTranscript(
  temporal: Temporal,
  { id, only, kept: known, isAll }: Wanted,
): Promise<ThreadTranscript[]> {
  const stored = known ? await storedMessages(known.store, known.run) : [];
  const messages = isAll ? stored : await withNews(stored, () => readLive(temporal, id));
  const threads = inThreads(messages);
  const wanted = threads.filter(({ thread }) => only === undefined || thread === only);
  if (only !== undefined && wanted.length === 0) throw noThread(id, only, threads);
  return wanted;
}

/** Returns stored messages and the run's newer ones. If no worker answers, the stored ones are returned alone. */
type Spoken = readonly ThreadMessage[];

async function withNews(stored: Spoken, ask: () => Promise<Spoken>): Promise<Spoken> {
  if (stored.length === 0) return ask();
  const live = await ask().catch(error => {
    if (error instanceof SteersmanError && error.code === 'unserved') return [];
    throw error;
  });
  const known = new Set(stored.map(({ message }) => message.id));
  // Notes of cuts are redundant in a complete conversation, as are messages that the run began with: another run has them.
  const isNews = ({ kind, id, from }: ThreadMessage['message']) =>
    kind !== 'cut' && from === undefined && !known.has(id);
  const news = live.filter(({ message }) => isNews(message));
  // The store may have later messages than one that it lacks.
  return [...stored, ...news].sort((a, b) => messageNumber(a.message) - messageNumber(b.message));
}

function readLive(temporal: Temporal, id: string): Promise<ThreadMessage[]> {
  return fromWorker(temporal, id, { knows: 'its conversation', ask: () => askThreads(temporal, id) });
}

async function askThreads(temporal: Temporal, id: string): Promise<ThreadMessage[]> {
  const { internals } = await askRun(temporal, { id }, stateQuery);
  const messages: ThreadMessage[] = [];
  for (const thread of Object.keys(internals.threads)) {
    for (let from = 0; ; ) {
      const page: Message[] = await askRun(temporal, { id }, transcriptQuery, thread, from);
      if (page.length === 0) break;
      from += page.length;
      messages.push(...page.map(message => ({ thread, message })));
    }
  }
  return messages;
}

function noThread(id: string, thread: string, known: readonly ThreadTranscript[]): SteersmanError {
  return new SteersmanError(
    `The run ${id} has no thread ${thread}.`,
    known.length === 0 ? 'It has none yet.' : `It has these: ${known.map(each => each.thread).join(', ')}.`,
    'not_found',
  );
}
