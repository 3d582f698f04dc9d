import { afterEach, describe, expect, it } from 'vitest';
import { loadPictures } from '../../../src/activities/models/load-pictures.js';
import { toolResult } from '../../../src/conversation/tool-result.js';
import { toWireTurns } from '../../../src/models/anthropic/wire-messages.js';
import type { Pictures } from '../../../src/models/provider/provider.js';
import { PLAIN_REQUEST } from '../../../src/models/provider/provider.js';
import { toWireInput } from '../../../src/models/responses/wire-input.js';
import { asText } from '../../../src/models/tool-syntax/as-text.js';
import { CODECS } from '../../../src/models/tool-syntax/codecs.js';
import type { Message, ToolContent } from '../../../src/run/messages/message.js';
import { NO_USAGE } from '../../../src/run/messages/message.js';
import { startScriptedModel } from '../../support/endpoint/model.js';
import { MODEL, runCall, tool, user } from '../../support/model-calls.js';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(server => server.close()));
});

const picture = (ref: string, totalBytes = 3): ToolContent => ({
  type: 'image',
  mimeType: 'image/png',
  ref,
  totalBytes,
});
const embedded: ToolContent = {
  type: 'resource',
  uri: 'map://1',
  mimeType: 'image/gif',
  ref: 'b',
  totalBytes: 3,
};
const sound: ToolContent = {
  type: 'resource',
  uri: 'song://1',
  mimeType: 'audio/ogg',
  ref: 's',
  totalBytes: 3,
};

function thread(...contents: ToolContent[][]): Message[] {
  const ids = contents.map((_, index) => `c${index}`);
  const calls = ids.map(id => ({ type: 'tool_use', id, name: 'look', input: {} }) as const);
  const head = { role: 'executor', stopReason: 'tool_use', action: 'calling_tool', usage: NO_USAGE } as const;
  const results = contents.map((content, index): Message => {
    const block = toolResult({ id: `c${index}`, name: 'look' }, 'executed', { content });
    return { kind: 'tool_result', id: `t${index}`, at: 1, content: [block] };
  });
  return [
    user('Look.'),
    { kind: 'assistant', id: 'r', at: 1, ...head, model: MODEL, content: calls },
    ...results,
  ];
}

/** The head of a PNG of so many pixels each way, and what tells it from others. */
function png(ref: string, pixels = 2): Buffer {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(pixels, 0);
  size.writeUInt32BE(pixels, 4);
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'), size, Buffer.from(ref)]);
}

const read = async (ref: string) => (ref === 'gone' ? null : png(ref));
const refsIn = (pictures: Pictures) => [...pictures.values()].flat().map(({ ref }) => ref);
const base64 = (ref: string) => png(ref).toString('base64');

describe('pictures by their bytes', () => {
  const shown = async (bytes: Buffer) => {
    const { messages, pictures } = await loadPictures(thread([picture('a')]), async () => bytes);
    return {
      types: [...pictures.values()].flat().map(({ mimeType }) => mimeType),
      said: JSON.stringify(messages),
    };
  };
  const GIF = Buffer.from('GIF89a\x02\0\x02\0', 'latin1');

  it('another type than its tool says → sent as what it is (FE5)', async () => {
    expect((await shown(GIF)).types).toEqual(['image/gif']);
  });

  it.each([
    ['broken', Buffer.from('no picture'), 'This picture is broken'],
    ['empty', Buffer.alloc(0), 'This picture is broken'],
    ['10,000 pixels wide', png('a', 10_000), '10000 × 10000 pixels'],
    [
      'of a type that no model takes',
      Buffer.from('BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x02\0\0\0\x02\0\0\0', 'latin1'),
      'of a type',
    ],
  ])('%s → a note in its place (FE5)', async (_what, bytes, note) => {
    const { types, said } = await shown(bytes);
    expect(types).toEqual([]);
    expect(said).toContain(note);
  });

  it('in the result of a call that failed → sent to Anthropic without the mark that refuses it (FE5)', async () => {
    const [goal, asked, result] = thread([picture('a')]);
    if (!goal || !asked || result?.kind !== 'tool_result') throw new Error('no result');
    const failed: Message = { ...result, content: [{ ...result.content[0], isError: true }] };
    const { messages, pictures } = await loadPictures([goal, asked, failed], read);
    const [block] = toWireTurns(MODEL, messages, pictures).at(-1)?.content ?? [];
    expect(block).toMatchObject({ type: 'tool_result', content: [{ type: 'text' }, { type: 'image' }] });
    expect(block).not.toHaveProperty('is_error');
  });
});

describe('pictures that tools return', () => {
  it('model that sees, chat completions → shown by the user after all results; the rest is only named', async () => {
    const server = await startScriptedModel({ reply: [{ text: 'A cat.' }] });
    open.push(server);
    const messages = thread([picture('a'), sound], [embedded]);
    await runCall({
      baseUrl: server.baseUrl,
      messages,
      head: { tools: [tool('look')] },
      deps: { readBlob: read },
    });
    expect(server.requests[0]).toMatchObject({ refusal: null });
    const sent = server.requests[0]?.body.messages.slice(3) ?? [];
    expect(sent.map(({ role }) => role)).toEqual(['tool', 'tool', 'user']);
    expect(sent[0]?.content).toMatch(/Not shown: .*kept as s/);
    expect(sent[0]?.content).not.toContain('kept as a');
    expect(sent[2]?.content).toEqual([
      { type: 'text', text: '[Pictures in the result of look, c0:]' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${base64('a')}` } },
      { type: 'text', text: '[Pictures in the result of look, c1:]' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${base64('b')}` } },
    ]);
  });

  it('model that is not known to see → the note, and nothing is read', async () => {
    const server = await startScriptedModel({ reply: [{ text: 'What?' }] });
    open.push(server);
    const messages = thread([picture('a')]);
    const readBlob = () => Promise.reject(new Error('read'));
    const model = 'openai/blind';
    await runCall({
      baseUrl: server.baseUrl,
      model,
      messages,
      head: { tools: [tool('look')] },
      deps: { readBlob },
    });
    expect(JSON.stringify(server.requests[0]?.body.messages)).toContain('Not shown: a part that is no text');
  });

  it('Anthropic, Responses → in the result itself', async () => {
    const messages = thread([{ type: 'text', text: 'Here:' }, picture('a')]);
    const { pictures } = await loadPictures(messages, read);
    expect(toWireTurns(MODEL, messages, pictures)[2]?.content).toMatchObject([
      {
        type: 'tool_result',
        content: [
          { type: 'text', text: expect.stringContaining('Here:') },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64('a') } },
        ],
      },
    ]);
    expect(toWireInput(MODEL, messages, pictures).at(-1)).toMatchObject({
      output: [
        { type: 'input_text' },
        { type: 'input_image', image_url: `data:image/png;base64,${base64('a')}` },
      ],
    });
  });

  it.each(['xml', 'json-action'] as const)(
    'calls and results are text, %s → beside the text of their result, in each protocol',
    async toolSyntax => {
      const server = await startScriptedModel({ reply: [{ text: 'A cat.' }] });
      open.push(server);
      const messages = thread([picture('a'), sound], [embedded]);
      const head = { tools: [tool('look')], toolSyntax };
      await runCall({ baseUrl: server.baseUrl, messages, head, deps: { readBlob: read } });
      expect(server.requests[0]).toMatchObject({ refusal: null });
      const sent = JSON.stringify(server.requests[0]?.body.messages);
      expect(sent).toMatch(/Not shown: .*kept as s/);
      expect(sent).not.toMatch(/kept as [ab]/);
      for (const ref of ['a', 'b']) expect(sent).toContain(`;base64,${base64(ref)}`);

      const { pictures } = await loadPictures(messages, read);
      const codec = CODECS[toolSyntax];
      if (!codec) throw new Error('no codec');
      const request = { ...PLAIN_REQUEST, model: 'm', messages, pictures, tools: [tool('look')] };
      const text = asText({ ...request, cacheKey: null }, codec).messages;
      const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64('a') } };
      expect(toWireTurns(MODEL, text, pictures).at(-1)?.content[1]).toEqual(image);
      const url = `data:image/png;base64,${base64('a')}`;
      expect(toWireInput(MODEL, text, pictures).at(-2)).toMatchObject({
        content: [{ type: 'input_text' }, { type: 'input_image', image_url: url }],
      });
    },
  );

  it('one message of the user at a time is taken → the pictures stand between the texts', async () => {
    const reply = (_: unknown, index: number) =>
      index === 0
        ? { error: { status: 400, message: 'Conversation roles must alternate user/assistant' } }
        : { text: 'A cat.' };
    const server = await startScriptedModel({ reply });
    open.push(server);
    const head = { tools: [tool('look')], toolSyntax: 'xml' as const };
    const messages = [...thread([picture('a')]), user('What is it?')];
    await runCall({ baseUrl: server.baseUrl, messages, head, deps: { readBlob: read } });
    expect(server.requests.at(-1)).toMatchObject({ refusal: null });
    expect(server.requests.at(-1)?.body.messages.at(-1)?.content).toEqual([
      { type: 'text', text: expect.stringContaining('<tool_result') },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${base64('a')}` } },
      { type: 'text', text: 'What is it?' },
    ]);
  });

  it('gone from the store, of another kind, or too large → the note', async () => {
    const svg: ToolContent = { type: 'image', mimeType: 'image/svg+xml', ref: 'v', totalBytes: 3 };
    const messages = thread([picture('gone'), svg, picture('large', 5_000_000), picture('a')]);
    expect(refsIn((await loadPictures(messages, read)).pictures)).toEqual(['a']);
  });

  it('what is not kept any more, or can not be read now → said in its place, with no reference that leads nowhere', async () => {
    const away = (ref: string) => (ref === 'away' ? Promise.reject(new Error('EACCES')) : read(ref));
    const given = thread([picture('gone'), picture('a')], [picture('away')]);
    const { messages, pictures } = await loadPictures(given, away);
    const [, said] = toWireTurns(MODEL, messages, pictures).slice(1);
    const text = JSON.stringify(said);
    expect(text).toContain('This picture is not kept any more.');
    expect(text).toContain('This picture cannot be read now.');
    expect(text).toContain('[image image/png]');
    expect(text).not.toContain('kept as');
    expect(refsIn(pictures)).toEqual(['a']);
    expect(messages[2]).not.toBe(given[2]);
    expect(messages[0]).toBe(given[0]);
  });

  it('more than a request can have → the latest, the same ones for ten more', async () => {
    const shown = async (count: number) => {
      const parts = Array.from({ length: count }, (_, index) => [picture(`p${index}`)]);
      return refsIn((await loadPictures(thread(...parts), read)).pictures);
    };
    expect((await shown(20))[0]).toBe('p0');
    expect((await shown(21))[0]).toBe('p10');
    expect((await shown(30))[0]).toBe('p10');
    const large = thread([1, 2, 3, 4].map(number => picture(`l${number}`, 3_500_000)));
    expect(refsIn((await loadPictures(large, read)).pictures)).toEqual(['l3', 'l4']);
  });
});
