/** The conversation of a run: what its roles were told, said, called and got. */

import type { Message } from '../../core/state/message.js';
import { MAIN_THREAD } from '../../core/state/thread.js';
import { SteersmanError } from '../../shared/errors.js';
import { stateQuery, transcriptQuery } from '../../workflows/messages.js';
import { askRun } from '../ask-run.js';
import type { Temporal } from '../connect.js';
import { fromWorker } from './runs.js';

export interface ThreadTranscript {
  thread: string;
  messages: Message[];
}

/**
 * The threads of a run, the main one first, each with what is kept of it; `only` one of them. Throws a SteersmanError
 * for an unknown run or thread, and where no worker answers: only a worker knows the conversation, of an ended run too.
 */
export function readTranscript(temporal: Temporal, id: string, only?: string): Promise<ThreadTranscript[]> {
  return fromWorker(temporal, id, { knows: 'its conversation', ask: () => readThreads(temporal, id, only) });
}

async function readThreads(temporal: Temporal, id: string, only?: string): Promise<ThreadTranscript[]> {
  const { internals } = await askRun(temporal, { id }, stateQuery);
  const names = inOrder(Object.keys(internals.threads));
  if (only !== undefined && !names.includes(only)) throw noThread(id, only, names);
  const transcripts: ThreadTranscript[] = [];
  for (const thread of only === undefined ? names : [only]) {
    const messages: Message[] = [];
    for (;;) {
      const page = await askRun(temporal, { id }, transcriptQuery, thread, messages.length);
      if (page.length === 0) break;
      messages.push(...page);
    }
    transcripts.push({ thread, messages });
  }
  return transcripts;
}

function inOrder(names: string[]): string[] {
  return [...names.filter(name => name === MAIN_THREAD), ...names.filter(name => name !== MAIN_THREAD)];
}

function noThread(id: string, thread: string, names: string[]): SteersmanError {
  return new SteersmanError(
    `The run ${id} has no thread ${thread}.`,
    names.length === 0 ? 'It has none yet.' : `It has these: ${names.join(', ')}.`,
    'not_found',
  );
}
