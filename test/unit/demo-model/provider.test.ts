import { expect, test } from 'vitest';
import { createDemoProvider } from '../../../packages/demo-model/provider.js';
import { complete } from '../../../src/models/complete.js';
import type { ModelDelta } from '../../../src/models/provider/provider.js';
import { PLAIN_REQUEST } from '../../../src/models/provider/provider.js';
import { FAILURE } from '../../../src/run/limits/failure.js';
import type { Message } from '../../../src/run/messages/message.js';
import { providerSource } from '../../../src/worker/parts/providers.js';

const provider = createDemoProvider({ paceMs: 0 });
const content = [{ type: 'text' as const, text: 'Count the files' }];
const messages: Message[] = [{ id: 'm1', at: 1, kind: 'user', purpose: 'goal', content }];
const tools = ['list', 'read'].map(name => {
  return { name, description: '', inputSchema: {}, validation: 'strict' as const };
});

test('provider: a plan → streamed in parts, labelled, with its model and what it used', async () => {
  const deltas: ModelDelta[] = [];
  const request = { ...PLAIN_REQUEST, model: 'rules', messages, output: 'plan' as const };
  for await (const delta of provider.stream(request, new AbortController().signal)) deltas.push(delta);
  const said = (type: string) =>
    deltas.flatMap(delta => (delta.type === type && 'text' in delta ? [delta.text] : []));
  expect(said('text').length).toBeGreaterThan(1);
  expect(JSON.parse(said('text').join(''))).toMatchObject({ todos: [{ id: 'files' }] });
  expect(said('reasoning').join('')).toContain('Demo model: rules, not intelligence.');
  expect(deltas).toContainEqual({ type: 'end', stopReason: 'end_turn', servedModel: 'rules' });
  expect(deltas).toContainEqual({
    type: 'usage',
    usage: expect.objectContaining({ inputTokens: expect.any(Number) }),
  });
});

test('provider: a reply that calls a tool → a whole call, as any model makes it', async () => {
  const { content: blocks, stopReason } = await complete(provider, { model: 'rules', messages, tools });
  expect(blocks).toContainEqual(expect.objectContaining({ name: 'list', input: { path: '.', depth: 1 } }));
  expect(stopReason).toBe('tool_use');
});

test('provider: a call that is aborted → ends before the reply is whole', async () => {
  const abort = new AbortController();
  const slow = createDemoProvider({ paceMs: 3_600_000 }).stream(
    { ...PLAIN_REQUEST, model: 'rules', messages },
    abort.signal,
  );
  const next = slow[Symbol.asyncIterator]().next();
  abort.abort();
  await expect(next).rejects.toMatchObject({ name: 'AbortError' });
});

test('provider: the models it lists → the one it has; another → an error that names it', async () => {
  expect(await provider.listModels(new AbortController().signal)).toEqual(['rules']);
  await expect(complete(provider, { model: 'clever', messages })).rejects.toMatchObject({
    type: FAILURE.model.unknownModel,
    message: expect.stringContaining('clever'),
  });
});

test('registry: demo/rules → usable without a key', () => {
  const { provider: found, model } = providerSource()({ endpoints: {}, info: {} }).resolve('demo/rules');
  expect([found.name, model]).toEqual(['demo', 'rules']);
});
