/**
 * The usage of a call, including failed attempts (LI3), because an endpoint bills the beginning of a broken reply too.
 * Each heartbeat carries the count, so that the next attempt continues it on any worker.
 */

import { type ModelInfo, pricedUsage } from '../../models/provider/model-info.js';
import type { ReportedUsage } from '../../models/provider/provider.js';
import { usageOfReply } from '../../models/provider/usage.js';
import type { ReplyDraft } from '../../models/reply/reply-draft.js';
import type { ModelRequestHead } from '../../rules/prompts/model-request.js';
import { estimateMessageTokens, estimateTokens } from '../../run/limits/tokens.js';
import { addUsage, isUsage, NO_USAGE, type Usage } from '../../run/messages/message.js';
import type { ModelRequestState } from './state-reader.js';

/** Estimates tokens between heartbeats, because a look at every character would cost too much. */
const CHARS_A_TOKEN = 4;

export class AttemptUsage {
  readonly #draft: ReplyDraft;
  /** Usage of the earlier attempts. */
  readonly #before: Usage;
  #inputTokens = 0;
  /** Facts about the model that the request was sent to. */
  #sentTo: ModelInfo | null = null;

  /** `heartbeatDetails`: the last ones of the previous attempt. */
  constructor(draft: ReplyDraft, heartbeatDetails: unknown) {
    this.#draft = draft;
    this.#before = spentIn(heartbeatDetails);
  }

  /** The request was sent: it is billed unless the endpoint refuses it. */
  sent(state: ModelRequestState, info: ModelInfo): void {
    this.#inputTokens = estimateInput(state);
    this.#sentTo = info;
  }

  refused(): void {
    if (this.#draft.writtenChars === 0) this.#sentTo = null;
  }

  /** The estimated usage, including earlier attempts. */
  get spent(): Usage {
    if (!this.#sentTo) return this.#before;
    const outputTokens = Math.ceil(this.#draft.writtenChars / CHARS_A_TOKEN);
    const own = { ...NO_USAGE, inputTokens: this.#inputTokens, outputTokens };
    return addUsage(this.#before, { ...pricedUsage(this.#sentTo.prices, own), estimated: true });
  }

  /** Returns a reply's usage: as reported if plausible, else estimated; including earlier attempts. */
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

/** A role's head is the same object for all its calls. */
const ofHeads = new WeakMap<ModelRequestHead, number>();

function estimateInput({ head, messages }: ModelRequestState): number {
  const fixed = ofHeads.get(head) ?? estimateHead(head);
  ofHeads.set(head, fixed);
  return messages.reduce((sum, message) => sum + estimateMessageTokens(message), fixed);
}

function estimateHead({ system, tools }: ModelRequestHead): number {
  return estimateTokens(system) + (tools.length > 0 ? estimateTokens(JSON.stringify(tools)) : 0);
}
