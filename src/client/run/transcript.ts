/** The conversation of a run: what its roles were told, said, called and got. */

import type { Message } from '../../core/state/message.js';
import { MAIN_THREAD } from '../../core/state/thread.js';
import { hintOf, verbCall } from '../../shared/called-as.js';
import { SteersmanError } from '../../shared/errors.js';
import { stateQuery, transcriptQuery } from '../../workflows/messages.js';
import { askRun } from '../ask-run.js';
import type { Temporal } from '../connect.js';
import { explainError, isFinalQueryError } from '../grpc-errors.js';
import { describeRun, mayBeServed } from './runs.js';

export interface ThreadTranscript {
  thread: string;
  messages: Message[];
}

/**
 * The threads of a run, the main one first, each with what is kept of it; `only` one of them. Throws a SteersmanError
 * for an unknown run or thread, and where no worker answers: only a worker knows the conversation, of an ended run too.
 */
export async function readTranscript(
  temporal: Temporal,
  id: string,
  only?: string,
): Promise<ThreadTranscript[]> {
  const { taskQueue } = await describeRun(temporal, id);
  if (!(await mayBeServed(temporal, taskQueue))) throw unserved(id);
  try {
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
  } catch (error) {
    throw isFinalQueryError(error) || explainError(error) === null ? unserved(id) : error;
  }
}

function inOrder(names: string[]): string[] {
  return [...names.filter(name => name === MAIN_THREAD), ...names.filter(name => name !== MAIN_THREAD)];
}

function unserved(id: string): SteersmanError {
  return new SteersmanError(
    `No worker answers for the run ${id}, and only a worker knows its conversation.`,
    `Ask again while a worker of its task queue runs. What its result keeps: ${hintOf(verbCall(`watch ${id}`), '`run.events()`')}`,
    'unserved',
  );
}

function noThread(id: string, thread: string, names: string[]): SteersmanError {
  return new SteersmanError(
    `The run ${id} has no thread ${thread}.`,
    names.length === 0 ? 'It has none yet.' : `It has these: ${names.join(', ')}.`,
    'not_found',
  );
}
