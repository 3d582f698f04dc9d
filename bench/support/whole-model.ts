/** A scripted model in its own process that returns each reply whole, for clients that do not stream. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WireBody } from '../../packages/test-kit/model-server.js';
import type { ScriptedToolCall } from '../../test/support/endpoint/model.js';
import { type RunShape, replyTo } from './run-script.js';

const { thinkMs, ...shape } = JSON.parse(process.argv[2] ?? '{}') as RunShape & { thinkMs: number };
const server = createServer(async (req, res) => {
  const reply = await answer(JSON.parse(await textOf(req)));
  res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
});
// Longer than any pause between two calls: a closed idle socket would look like a failure of the model.
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => {
  process.send?.({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` });
});
process.on('disconnect', () => process.exit(0));

async function textOf(req: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of req) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

async function answer(body: WireBody): Promise<object> {
  const { text = '', toolCalls = [] } = await replyTo({ system: '', body }, shape, thinkMs);
  const calls = toolCalls.length > 0 ? { tool_calls: toolCalls.map(wireCall) } : {};
  const finish_reason = toolCalls.length > 0 ? 'tool_calls' : 'stop';
  return {
    id: `chatcmpl-${randomUUID()}`,
    object: 'chat.completion',
    created: 0,
    model: body.model,
    choices: [{ index: 0, finish_reason, message: { role: 'assistant', content: text, ...calls } }],
    usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
  };
}

function wireCall({ name, arguments: args }: ScriptedToolCall): object {
  const id = `call_${randomUUID().slice(0, 12)}`;
  return { id, type: 'function', function: { name, arguments: JSON.stringify(args ?? {}) } };
}
