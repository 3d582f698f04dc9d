/**
 * What a call has used, its failed attempts included (LI3): an endpoint bills the beginning of a reply that broke
 * off, too. Each heartbeat carries the count, so that the next attempt, on whatever worker, goes on from it.
 */

import { type ModelInfo, pricedUsage } from '../../models/provider/model-info.js';
import type { ReportedUsage } from '../../models/provider/provider.js';
import { usageOfReply } from '../../models/provider/usage.js';
import type { ReplyDraft } from '../../models/reply/reply-draft.js';
import type { ModelRequestHead } from '../../rules/prompts/model-request.js';
import { estimateMessageTokens, estimateTokens } from '../../run/limits/tokens.js';
import { addUsage, isUsage, NO_USAGE, type Usage } from '../../run/messages/message.js';
import type { ModelRequestState } from './state-reader.js';

/** For counts between heartbeats, where looking at every character would cost too much. */
const CHARS_A_TOKEN = 4;

export class AttemptUsage {
  readonly #draft: ReplyDraft;
  /** Of the attempts before this one. */
  readonly #before: Usage;
  #inputTokens = 0;
  /** Of the model that it was sent to. */
  #sentTo: ModelInfo | null = null;

  /** `heartbeatDetails`: the last ones of the attempt before. */
  constructor(draft: ReplyDraft, heartbeatDetails: unknown) {
    this.#draft = draft;
    this.#before = spentIn(heartbeatDetails);
  }

  /** The request is on its way: it is paid for unless the endpoint refuses it. */
  sent(state: ModelRequestState, info: ModelInfo): void {
    this.#inputTokens = estimateInput(state);
    this.#sentTo = info;
  }

  refused(): void {
    if (this.#draft.writtenChars === 0) this.#sentTo = null;
  }

  /** Estimated, with the attempts before. */
  get spent(): Usage {
    if (!this.#sentTo) return this.#before;
    const outputTokens = Math.ceil(this.#draft.writtenChars / CHARS_A_TOKEN);
    const own = { ...NO_USAGE, inputTokens: this.#inputTokens, outputTokens };
    return addUsage(this.#before, { ...pricedUsage(this.#sentTo.prices, own), estimated: true });
  }

  /** Of a reply: as reported where that can be right, else estimated; with the attempts before. */
  ofReply(): { usage: Usage; turnedDown: boolean } {
    if (!this.#sentTo) return { usage: this.#before, turnedDown: false };
    const estimate: ReportedUsage = {
      inputTokens: this.#inputTokens,
      outputTokens: estimateTokens(this.#draft.written),
      cachedInputTokens: 0,
      reasoningTokens: estimateTokens(this.#draft.reasoning),
    };
    const { usage, turnedDown } = usageOfReply(this.#sentTo, this.#draft.usage, estimate);
    return { usage: addUsage(this.#before, usage), turnedDown };
  }
}

function spentIn(details: unknown): Usage {
  const spent = typeof details === 'object' && details !== null && 'spent' in details ? details.spent : null;
  return isUsage(spent) ? spent : NO_USAGE;
}

/** A role's head is the same one for all its calls. */
const ofHeads = new WeakMap<ModelRequestHead, number>();

function estimateInput({ head, messages }: ModelRequestState): number {
  const fixed = ofHeads.get(head) ?? estimateHead(head);
  ofHeads.set(head, fixed);
  return messages.reduce((sum, message) => sum + estimateMessageTokens(message), fixed);
}

function estimateHead({ system, tools }: ModelRequestHead): number {
  return estimateTokens(system) + (tools.length > 0 ? estimateTokens(JSON.stringify(tools)) : 0);
}
