/** Endpoints that send thinking, and what is to go back with it, in forms that nobody would send: the worker bears it. */
import { expect, it } from 'vitest';
import { jsonBytes } from '../../../src/base/json/json.js';
import { REPLY_BYTES } from '../../../src/base/sizes/bounds.js';
import type { ModelDelta } from '../../../src/models/provider/provider.js';
import { ReplyDraft } from '../../../src/models/reply/reply-draft.js';
import { reasoningOf } from '../../../src/run/messages/message.js';
import { runCall, startCall, tool } from '../../support/model-calls.js';
import { serve } from '../../support/serve.js';

/** A stream of these events. */
async function streaming(events: Iterable<unknown>): Promise<string> {
  const body = [...events]
    .map(event => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
    .join('');
  return serve((_req, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.end(body);
  });
}

function delta(part: object, finish: string | null = null) {
  return { choices: [{ index: 0, delta: part, finish_reason: finish }] };
}

const stop = delta({}, 'stop');
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

it('model that answered: a name of megabytes → as much of it as a name has', async () => {
  const baseUrl = await streaming([delta({ content: 'Done.' }), { ...stop, model: 'm'.repeat(3_000_000) }]);
  const result = await runCall({ baseUrl });
  expect(JSON.stringify(result).length).toBeLessThan(1_000);
});

it.each([
  ['details', `{"reasoning_details":[{"type":"x","index":0,"deep":${deep(50_000)}}]}`],
  [
    'a signature',
    `{"tool_calls":[{"index":0,"id":"t0","function":{"name":"read","arguments":"{}"},"extra_content":{"google":{"thought_signature":${deep(50_000)}}}}]}`,
  ],
])('what goes back: %s nested without end → the reply, without it', async (_, part) => {
  const baseUrl = await streaming([
    delta({ content: 'Done.' }),
    `{"choices":[{"index":0,"delta":${part},"finish_reason":null}]}`,
    stop,
  ]);
  const { content } = await runCall({ baseUrl });
  expect(content).toContainEqual({ type: 'text', text: 'Done.' });
  expect(JSON.stringify(content)).not.toContain('[[[');
});

it('call in the text: arguments nested without end → it is told as unreadable, and does not run', async () => {
  const written = `<tool_call>{"name":"read","arguments":{"path":${deep(50_000)}}}</tool_call>`;
  const baseUrl = await streaming([delta({ content: written }), stop]);
  const head = { tools: [tool('read')], toolSyntax: 'xml' as const };
  const { content } = await runCall({ baseUrl, head });
  expect(content).toMatchObject([{ type: 'tool_use', name: 'read', input: {}, argsParseFailed: true }]);
});

it('fault of ours, after the reply → its failure tells what the reply used (LI3)', async () => {
  const baseUrl = await streaming([delta({ content: 'Done.' }), stop]);
  const redact = () => {
    throw new TypeError('it broke');
  };
  const failure = await runCall({ baseUrl, deps: { redact } }).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    type: 'TypeError',
    details: [{ usage: { inputTokens: expect.any(Number), estimated: true } }],
  });
});

/** To look at all that came before for each of them would take longer than a test may. */
const COUNT = 300_000;

function* alternating(): Iterable<ModelDelta> {
  for (let number = 0; number < COUNT; number++) {
    yield { type: 'reasoning', text: 'a' };
    yield { type: 'text', text: 'b' };
  }
  yield { type: 'reasoning_end', value: {} };
}

function* ended(): Iterable<ModelDelta> {
  for (let index = 0; index < COUNT; index++) yield { type: 'reasoning_end', value: { index } };
}

it.each([
  ['by turns with text', alternating, ['reasoning', 'text']],
  ['in signed blocks', ended, Array.from({ length: COUNT }, () => 'reasoning')],
])(
  'thinking: %s, three hundred thousand times → put together, each looked at a few times',
  (_, deltas, types) => {
    const draft = new ReplyDraft('p/m');
    for (const delta of deltas()) draft.add(delta);
    expect(draft.whole('c1', []).map(({ type }) => type)).toEqual(types);
  },
);

it('reply: thinking that is signed and text by turns, without end → within what a reply may take (LI5, ST1)', async () => {
  const events: unknown[] = [];
  for (let index = 0; index < 20_000; index += 2) {
    const content_block = { type: 'thinking', thinking: 'a', signature: 's' };
    events.push({ type: 'content_block_start', index, content_block });
    events.push({ type: 'content_block_stop', index });
    events.push({
      type: 'content_block_start',
      index: index + 1,
      content_block: { type: 'text', text: 'b' },
    });
  }
  const baseUrl = await streaming([...events, { type: 'message_stop' }]);
  const call = startCall({ baseUrl, endpoint: { protocol: 'anthropic', apiKey: 'k' } });
  const { content } = await call.result;
  expect(jsonBytes(content)).toBeLessThan(REPLY_BYTES);
  expect(call.stored.size).toBeLessThan(10);
});

it('thinking in several signed blocks → live it is as the message has it: each on a line of its own (M12)', () => {
  const draft = new ReplyDraft('a/b');
  let live = '';
  const deltas: ModelDelta[] = [
    ...[{ type: 'reasoning', text: 'Fir' } as const, { type: 'reasoning', text: 'st.' } as const],
    ...[{ type: 'reasoning_end', value: {} } as const, { type: 'reasoning', text: 'Second.' } as const],
    { type: 'reasoning_end', value: {} },
  ];
  for (const delta of deltas) {
    const grown = draft.add(delta);
    if (grown?.channel === 'reasoning') live = grown.text;
  }
  expect(live).toBe('First.\nSecond.');
  expect(reasoningOf({ content: draft.whole('c1', []) })).toBe(live);
});
