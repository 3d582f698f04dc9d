/** A worker's memory of what was offered: put together, offers must be what the query answers. */
import { isDeepStrictEqual } from 'node:util';
import type { ModelRequestHead, ModelRequestPage } from '../../src/rules/prompts/model-request.js';
import type { Message } from '../../src/run/messages/message.js';
import { expectThat } from './expect-that.js';

export class Offers {
  readonly #heads = new Map<string, ModelRequestHead>();
  readonly #threads = new Map<string, Message[]>();
  #last: {
    callId: string;
    head: ModelRequestHead | undefined;
    messages: Message[];
    whole: boolean;
  } | null = null;

  add(page: ModelRequestPage): void {
    if (page.head) this.#heads.set(page.headKey, page.head);
    const key = `${page.thread} ${page.epoch}`;
    const known = this.#threads.get(key) ?? [];
    expectThat(known.length === page.from, `${page.callId} offers from ${page.from}, known ${known.length}`);
    const messages = [...known, ...page.messages];
    this.#threads.set(key, messages);
    this.#last = {
      callId: page.callId,
      head: this.#heads.get(page.headKey),
      messages,
      whole: page.next === null,
    };
  }

  check(asked: { callId: string; head: ModelRequestHead; messages: readonly Message[] }): void {
    const last = this.#last;
    expectThat(last?.callId === asked.callId, `${asked.callId} was not offered`);
    // Of a long request a page is offered: who finds no more asks for all.
    if (last?.whole === false) return;
    expectThat(
      isDeepStrictEqual(last?.head, asked.head) && isDeepStrictEqual(last?.messages, asked.messages),
      `what was offered for ${asked.callId} is not what the query answers`,
    );
  }
}
