/**
 * What a model call sends goes to the worker's memory in the task that schedules the call: an activity on the
 * same worker needs no query for it. The query `modelRequest` is the truth, and answers every other worker.
 */

import type { PinnedCall } from '../../core/limits/model-use.js';
import type { Message } from '../../core/state/message.js';
import type { RunState } from '../../core/state/run-state.js';
import { hash64 } from '../../core/tools/ledger.js';
import type { Ports } from '../ports.js';
import { modelRequestPage } from './requests.js';

/** Messages never change: each is hashed once, also where a thread that was trimmed is offered anew. */
const hashes = new WeakMap<Message, string>();

function hashOf(message: Message): string {
  const known = hashes.get(message);
  if (known !== undefined) return known;
  const hash = hash64(JSON.stringify(message));
  hashes.set(message, hash);
  return hash;
}

/** What this part of the run has offered so far. */
export class Offered {
  readonly #heads = new Set<string>();
  readonly #threads = new Map<string, { epoch: number; next: number }>();

  /**
   * Offers what is new since the last call, and returns the mark by which the activity knows it. A task may be
   * worked on twice with another message in between: the mark tells which of the two offers counts.
   */
  offer(state: RunState, ports: Pick<Ports, 'offer'>, { callId, thread, epoch }: PinnedCall): string {
    const last = this.#threads.get(thread);
    const from = last?.epoch === epoch ? last.next : 0;
    const page = modelRequestPage(state, callId, { from });
    if (this.#heads.has(page.headKey)) delete page.head;
    const check = hash64(page.messages.map(hashOf).join());
    this.#heads.add(page.headKey);
    this.#threads.set(thread, { epoch, next: page.next ?? from + page.messages.length });
    ports.offer(page, check);
    return check;
  }
}
