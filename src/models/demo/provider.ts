/** The provider `demo`: answers by rules, in this process, and streams as a model does. */
import { setTimeout as pause } from 'node:timers/promises';
import { FAILURE } from '../../core/limits/failure.js';
import { ModelCallError } from '../model-call-error.js';
import type { ModelDelta, ModelProvider, ModelRequest } from '../provider.js';
import { replyTo } from './roles.js';
import { WORDS } from './words.js';

/** Its one model. */
const MODEL = 'rules';
const PACE_MS = 10;
/** Long replies go out in larger parts, so that none takes much more than half a second. */
const MOST_PARTS = 60;
const SMALLEST_PART = 24;
const CHARS_A_TOKEN = 4;
/** Rules keep nothing, so what they are sent costs them little; a claim of nothing would not be believed. */
const SHARE_OF_INPUT = 1 / 4;

/** Makes the provider. `paceMs`: pause before each part of a reply. */
export function createDemoProvider({ paceMs = PACE_MS } = {}): ModelProvider {
  return {
    name: 'demo',
    endpoint: 'the demo model of this process',
    stream: (request, signal) => streamed(request, () => pause(paceMs, undefined, { signal })),
    listModels: async () => [MODEL],
  };
}

async function* streamed(request: ModelRequest, wait: () => Promise<unknown>): AsyncGenerator<ModelDelta> {
  const { model, system, messages } = request;
  if (model !== MODEL)
    throw new ModelCallError(FAILURE.model.unknownModel, `There is no demo/${model}, only demo/${MODEL}.`);
  const { thought, text, calls } = replyTo(request);
  const inputs = calls.map(call => JSON.stringify(call.arguments));
  const reasoning = `${WORDS.en.label} ${thought}`;
  const written = [reasoning, text, ...inputs].join('').length;
  const size = Math.max(SMALLEST_PART, Math.ceil(written / MOST_PARTS));
  async function* inParts(whole: string) {
    for (let offset = 0; offset < whole.length; offset += size) {
      await wait();
      yield { text: whole.slice(offset, offset + size) };
    }
  }
  for await (const part of inParts(reasoning)) yield { type: 'reasoning', ...part };
  for await (const part of inParts(text)) yield { type: 'text', ...part };
  for (const [index, { name }] of calls.entries()) {
    yield { type: 'tool_start', index, id: null, name };
    for await (const part of inParts(inputs[index] ?? '')) yield { type: 'tool_input', index, ...part };
  }
  const sent = JSON.stringify([system, messages]).length * SHARE_OF_INPUT;
  const [inputTokens = 0, outputTokens = 0] = [sent, written].map(chars => Math.ceil(chars / CHARS_A_TOKEN));
  yield { type: 'usage', usage: { inputTokens, outputTokens, cachedInputTokens: 0, reasoningTokens: 0 } };
  yield { type: 'end', stopReason: calls.length > 0 ? 'tool_use' : 'end_turn', servedModel: MODEL };
}
