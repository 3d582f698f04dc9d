/** Reads the request of a model call, as its run has pinned it. */
import type { ModelRequestHead, ModelRequestPage } from '../../rules/prompts/model-request.js';
import type { Message } from '../../run/messages/message.js';
import { modelRequestQuery } from '../../workflows/run/definitions.js';
import { askRun } from '../connection/ask-run.js';
import type { Temporal } from '../connection/connect.js';
import { fromWorker } from './runs.js';

/** The request of a model call: it has the thread's messages up to the call. */
export interface ModelRequest extends Pick<ModelRequestPage, 'callId' | 'role' | 'thread' | 'epoch'> {
  head: ModelRequestHead;
  messages: Message[];
}

/** Throws a SteersmanError `unserved` without a worker; the query's failure if the run no longer has the request. */
export function readModelRequest(temporal: Temporal, id: string, callId: string): Promise<ModelRequest> {
  const ask = async () => {
    const first = await askRun(temporal, { id }, modelRequestQuery, callId);
    const messages = [...first.messages];
    for (let next = first.next; next !== null; ) {
      const page = await askRun(temporal, { id }, modelRequestQuery, callId, {
        from: next,
        headKey: first.headKey,
      });
      messages.push(...page.messages);
      next = page.next;
    }
    const { role, thread, epoch, head } = first;
    // The first page always has the head, because no key was given.
    return { callId, role, thread, epoch, head: head as ModelRequestHead, messages };
  };
  return fromWorker(temporal, id, { knows: 'what a model call was sent', ask });
}
