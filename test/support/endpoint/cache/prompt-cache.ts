/** The prompt caches of one server: what each provider would have read of a request, and written. */

import type { Json } from '../../../../packages/test-kit/model-server.js';
import type { Protocol } from '../../../../src/models/provider/endpoint.js';
import { MarkedCache } from './marked-cache.js';
import { type CacheCount, PrefixCache } from './prefix-cache.js';
import { chatPrompt, messagesPrompt, responsesPrompt } from './prompt.js';

export class PromptCache {
  #prefixes = new PrefixCache();
  #marked = new MarkedCache();

  /** Empties them, as time does at the providers. */
  forget(): void {
    this.#prefixes = new PrefixCache();
    this.#marked = new MarkedCache();
  }

  /** Counts a request, and keeps it for those that come after it. */
  read(protocol: Protocol, body: Json): CacheCount {
    const model = String(body.model);
    const route = JSON.stringify([protocol, model, body.prompt_cache_key ?? null]);
    switch (protocol) {
      case 'openai-compatible':
        return this.#prefixes.read(route, chatPrompt(body));
      case 'openai-responses':
        return this.#prefixes.read(route, responsesPrompt(body));
      case 'anthropic':
        return this.#marked.read(model, messagesPrompt(body));
    }
  }
}
