/** The provider `demo`: it answers by rules in this process, and streams like a model. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ModelDelta, ModelProvider, ModelRequest } from 'steersman/models';
import { ModelCallError } from 'steersman/models';
import { FAILURE } from 'steersman/run';
import { LABEL, replyTo } from './roles.js';

const MODEL = 'rules';

/** Creates the provider. `paceMs`: pause before each part of a reply, default 10 ms. */
export function createDemoProvider({ paceMs = 10 } = {}): ModelProvider {
  return {
    name: 'demo',
    endpoint: 'the demo model of this process',
    listModels: async () => [MODEL],
    async *stream(request, signal) {
      for (const delta of deltasOf(request)) {
        await pause(paceMs, undefined, { signal });
        yield delta;
      }
    },
  };
}

function* deltasOf(request: ModelRequest): Generator<ModelDelta> {
  const { model, system, messages } = request;
  if (model !== MODEL)
    throw new ModelCallError(FAILURE.model.unknownModel, `There is no demo/${model}, only demo/${MODEL}.`);
  const { text, calls } = replyTo(request);
  // The parts of a long text are larger, so that every text takes about half a second.
  const partsOf = (whole: string) =>
    whole.match(new RegExp(`.{1,${20 + Math.ceil(whole.length / 50)}}`, 'gs')) ?? [];
  yield { type: 'reasoning', text: LABEL[0] };
  for (const part of partsOf(text)) yield { type: 'text', text: part };
  for (const [index, { name, arguments: input }] of calls.entries()) {
    yield { type: 'tool_start', index, id: null, name };
    for (const part of partsOf(JSON.stringify(input))) yield { type: 'tool_input', index, text: part };
  }
  // A token is about four characters. Rules need no memory of the input, so it is billed at a quarter: length / 16.
  const inputTokens = Math.ceil(JSON.stringify([system, messages]).length / 16);
  const outputTokens = Math.ceil(JSON.stringify([text, calls]).length / 4);
  yield { type: 'usage', usage: { inputTokens, outputTokens, cachedInputTokens: 0, reasoningTokens: 0 } };
  yield { type: 'end', stopReason: calls.length > 0 ? 'tool_use' : 'end_turn', servedModel: MODEL };
}
