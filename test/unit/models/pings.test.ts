/** Silence with pings: an endpoint that thinks for long is not a connection that hangs, and pays for no second try. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createProvider } from '../../../src/models/protocols.js';
import type { ModelDelta, ModelProvider } from '../../../src/models/provider/provider.js';
import { PLAIN_REQUEST } from '../../../src/models/provider/provider.js';
import { ReplyDraft } from '../../../src/models/reply/reply-draft.js';
import { DEFAULT_STREAM_LIMITS, runStream } from '../../../src/models/sdk/run-stream.js';
import { FAILURE } from '../../../src/run/limits/failure.js';
import { startScriptedModel } from '../../support/endpoint/model.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const REQUEST = { ...PLAIN_REQUEST, model: 'm', messages: [] };
const END: ModelDelta[] = [
  { type: 'text', text: 'Done.' },
  { type: 'end', stopReason: 'end_turn', servedModel: null },
];

/** Waits `seconds` before each ping, so often; then it replies. */
function pinging(seconds: number, times: number): ModelProvider {
  return {
    name: 'slow',
    endpoint: 'http://slow',
    async *stream(_request, signal, onEvent) {
      for (let time = 0; time < times; time += 1) {
        await new Promise<void>((resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          setTimeout(resolve, seconds * 1_000);
        });
        onEvent?.();
      }
      yield* END;
    },
    listModels: async () => [],
  };
}

async function run(provider: ModelProvider): Promise<string> {
  const ended = runStream({
    provider,
    request: REQUEST,
    draft: new ReplyDraft('slow/m'),
    limits: DEFAULT_STREAM_LIMITS,
    signal: new AbortController().signal,
    onText: () => undefined,
  }).catch((error: { type: string }) => error.type);
  await vi.runAllTimersAsync();
  return ended;
}

test.each([
  ['pings for nine minutes, then a reply', 'complete', pinging(60, 9)],
  ['pings two and a half minutes apart, then a reply', 'complete', pinging(150, 3)],
  ['pings without end', FAILURE.model.timeout, pinging(60, 1_000)],
  ['nothing for longer than a first part may take', FAILURE.model.stalled, pinging(181, 1)],
])('silence: %s → %s', async (_, outcome, provider) => {
  expect(await run(provider)).toBe(outcome);
});

test('silence: pings of a server → each is told', async () => {
  vi.useRealTimers();
  const server = await startScriptedModel({ reply: [{ text: 'Hi', fault: 'stream.keep-alive' }] });
  try {
    const baseUrl = server.baseUrl.replace(/\/v1$/, '');
    const provider = createProvider({ name: 'proxy', protocol: 'anthropic', baseUrl });
    let events = 0;
    let deltas = 0;
    const signal = new AbortController().signal;
    const messages = [
      {
        id: 'm',
        at: 1,
        kind: 'user' as const,
        purpose: 'goal' as const,
        content: [{ type: 'text' as const, text: 'Hello' }],
      },
    ];
    for await (const _ of provider.stream(
      { ...REQUEST, messages, maxOutputTokens: 9 },
      signal,
      () => events++,
    ))
      deltas += 1;
    expect(events).toBeGreaterThan(2 * deltas);
  } finally {
    await server.close();
  }
});
