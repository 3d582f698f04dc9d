import { afterAll, expect, test } from 'vitest';
import { FAILURE } from '../../../src/core/limits/failure.js';
import type { Message } from '../../../src/core/state/message.js';
import type { ModelDelta, ModelRequest } from '../../../src/models/provider.js';
import { createRehearsalProvider } from '../../../src/rehearsal/provider.js';
import { providerSource } from '../../../src/worker/providers.js';

const provider = createRehearsalProvider({ paceMs: 0 });
const abort = new AbortController();
afterAll(() => abort.abort());

function request(output: ModelRequest['output'], text: string, model = 'rules'): ModelRequest {
  const messages: Message[] = [
    { id: 'm1', at: 1, kind: 'user', purpose: 'goal', content: [{ type: 'text', text }] },
  ];
  return {
    model,
    messages,
    opening: 'own',
    system: '# Planner',
    tools: [],
    output,
    dialect: 'component',
    toolChoice: 'auto',
    topP: null,
    reasoning: null,
    toolSyntax: null,
    stop: [],
    cacheKey: null,
    temperature: null,
    maxOutputTokens: null,
  };
}

async function streamed(wanted: ModelRequest) {
  const deltas: ModelDelta[] = [];
  for await (const delta of provider.stream(wanted, abort.signal)) deltas.push(delta);
  const said = (type: string) =>
    deltas.flatMap(delta => (delta.type === type && 'text' in delta ? [delta.text] : []));
  return { deltas, text: said('text'), reasoning: said('reasoning').join('') };
}

test('provider: a call over real HTTP → a labelled reply in parts, with its model and usage', async () => {
  const { deltas, text, reasoning } = await streamed(request('plan', 'Count the lines'));
  expect(text.length).toBeGreaterThan(3);
  expect(JSON.parse(text.join(''))).toMatchObject({ component: 'planner-response' });
  expect(reasoning).toContain('Rehearsal model: rules, not intelligence.');
  expect(deltas).toContainEqual({ type: 'end', stopReason: 'end_turn', servedModel: 'rules' });
  expect(deltas.at(-1)).toMatchObject({ type: 'usage' });
});

test('provider: the models it lists → the one it has', async () => {
  expect(await provider.listModels(abort.signal)).toEqual(['rules']);
});

test('provider: another model name → an error that names it', async () => {
  await expect(streamed(request('plan', 'x', 'clever'))).rejects.toMatchObject({
    type: FAILURE.model.unknownModel,
    message: expect.stringContaining('clever'),
  });
});

test('registry: rehearsal/rules → usable without a key', () => {
  const { provider: found, model } = providerSource()({ endpoints: {}, info: {} }).resolve('rehearsal/rules');
  expect([found.name, model]).toEqual(['rehearsal', 'rules']);
});
