/** Providers that a program uses alone, without a run. */
import { describe, expect, it } from 'vitest';
import { toMessagesBody } from '../../../src/models/anthropic/request-body.js';
import { toChatBody } from '../../../src/models/chat/provider.js';
import { createProvider } from '../../../src/models/protocols.js';
import { PROTOCOLS, type Protocol } from '../../../src/models/provider/endpoint.js';
import { type ModelRequest, PLAIN_REQUEST } from '../../../src/models/provider/provider.js';
import { toResponsesBody } from '../../../src/models/responses/request-body.js';
import { startScriptedModel } from '../../support/endpoint/model.js';
import { user } from '../../support/model-calls.js';

async function atModel(
  protocol: Protocol,
  work: (at: { name: string; baseUrl: string; protocol: Protocol }) => Promise<void>,
) {
  const server = await startScriptedModel({ reply: [{ text: 'Look.' }] });
  const baseUrl = protocol === 'anthropic' ? server.baseUrl.replace(/\/v1$/, '') : server.baseUrl;
  try {
    await work({ name: 'home', baseUrl, protocol });
    return server.requests;
  } finally {
    await server.close();
  }
}

describe('a provider alone', () => {
  it.each(PROTOCOLS)(
    '%s, streamed with model and messages only → the deltas of the reply (M16)',
    async protocol => {
      await atModel(protocol, async at => {
        const deltas = [];
        for await (const delta of createProvider(at).stream({ model: 'm', messages: [user('Hello')] }))
          deltas.push(delta);
        const texts = deltas.flatMap(delta => (delta.type === 'text' ? [delta.text] : []));
        expect(texts.join('')).toBe('Look.');
        expect(deltas).toContainEqual(expect.objectContaining({ type: 'end', stopReason: 'end_turn' }));
      });
    },
  );

  const asked: ModelRequest = {
    ...{ ...PLAIN_REQUEST, model: 'm', messages: [user('List the teas as JSON.')] },
    system: 'You know tea.',
    format: 'json',
  };

  it('JSON without a schema → the mode of each protocol; in words where there is none (M16)', () => {
    const chat = toChatBody({ name: 'home', host: 'localhost' }, asked);
    expect(chat.response_format).toEqual({ type: 'json_object' });
    expect(toResponsesBody('home', asked).text).toEqual({ format: { type: 'json_object' } });
    expect(toMessagesBody('home', asked).system).toMatchObject([
      { text: 'You know tea.\n\nReply with one JSON object and nothing else.' },
    ]);
    const plain = { ...asked, format: 'text' } as const;
    expect(toChatBody({ name: 'home', host: 'localhost' }, plain)).not.toHaveProperty('response_format');
  });
});

describe('extra fields of requests', () => {
  it.each(PROTOCOLS)('%s → in the body, over those of the protocol (CF11)', async protocol => {
    const requests = await atModel(protocol, async at => {
      const extraBody = { metadata: { user_id: 'tea' }, temperature: 0.2 };
      const request = { model: 'm', messages: [user('Hello')], temperature: 0.9 };
      for await (const _ of createProvider({ ...at, extraBody }).stream(request));
    });
    expect(requests[0]?.sent).toMatchObject({ metadata: { user_id: 'tea' }, temperature: 0.2 });
  });
});
