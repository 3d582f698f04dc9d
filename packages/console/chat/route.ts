/** `/chat`: serves a run to `useChat` of the AI SDK. Each request is translated to one of AG-UI. */
import {
  agUiRequest,
  CHAT_REQUEST,
  closedGate,
  placeChunk,
  type UiChunk,
  UiChunks,
} from '@steersman/ai-sdk-ui';
import { type Context, Hono } from 'hono';
import type { SSEStreamingApi } from 'hono/streaming';
import { SteersmanError } from 'steersman/client';
import { z } from 'zod';
import { AG_UI_INPUT, type AgUiInput } from '../ag-ui/input.js';
import { type Replay, type StreamScope, streamRun } from '../ag-ui/run-stream.js';
import { runsOf } from '../ag-ui/thread.js';
import { bodyAs, type RouteScope, read, type Served } from '../routes.js';
import { eventStream } from '../stream.js';

const PROTOCOL = { 'x-vercel-ai-ui-message-stream': 'v1', 'x-accel-buffering': 'no' };

/** `since`: the run's own event after which the message begins. `message`: its id. Both are in the client's message. */
const RESUMED = z.object({
  since: z.coerce.number().int().min(0).optional(),
  run: z.string().min(1).optional(),
  message: z.string().min(1).optional(),
});

export function chatOf(scope: RouteScope): Hono<Served> {
  return new Hono<Served>()
    .post('/', async c => {
      const request = await bodyAs(CHAT_REQUEST, c.req);
      if (request.trigger === 'regenerate-message')
        throw new SteersmanError('A run does not answer a message again.', 'Send another message.', 'usage');
      const { input: made, isContinued, answered, ...how } = agUiRequest(request);
      const input = read(AG_UI_INPUT, made);
      return respond(c, scope, { input, chunks: new UiChunks(how), isContinued, answered });
    })
    .get('/:id/stream', async c => {
      const place = read(RESUMED, c.req.query());
      const threadId = c.req.param('id');
      const replay = await replayFrom(scope, threadId, place);
      if (replay === null) return c.body(null, 204);
      const input = { threadId, runId: crypto.randomUUID(), protocolVersion: '1.0', messages: [] };
      const chunks = new UiChunks({ messageId: place.message });
      return respond(c, scope, { input, chunks, isContinued: false, answered: [], replay });
    });
}

/** Returns where the message begins, in its run or else in the thread's last one; null if there is nothing to continue. */
async function replayFrom(
  scope: RouteScope,
  thread: string,
  { since, run: of }: z.infer<typeof RESUMED>,
): Promise<Replay | null> {
  const runs = await runsOf(await scope.client(), thread);
  const run = runs.find(({ id }) => id === of) ?? runs.at(-1);
  if (run === undefined) return null;
  if (since !== undefined) return { run: run.id, since: of === undefined || of === run.id ? since : 0 };
  const { endedAt, phase, gates } = await run.show();
  const isAtRest = endedAt !== null || (phase === 'idle' && gates.length === 0);
  return isAtRest ? null : { run: run.id, since: 'goal' };
}

interface Exchange {
  input: AgUiInput;
  chunks: UiChunks;
  /** The answer continues a message of the client, which already has its place. */
  isContinued: boolean;
  /** Ids of the gates that the request answers. */
  answered: readonly string[];
  replay?: Replay;
}

function respond(c: Context, scope: RouteScope, exchange: Exchange): Response {
  const answer = eventStream(c, async (stream, signal) => {
    await tell(stream, { ...scope, signal }, exchange);
    await stream.writeSSE({ data: '[DONE]' });
  });
  for (const [name, value] of Object.entries(PROTOCOL)) answer.headers.set(name, value);
  return answer;
}

async function tell(stream: SSEStreamingApi, scope: StreamScope, exchange: Exchange): Promise<void> {
  const { input, chunks, isContinued, answered, replay } = exchange;
  const write = (chunk: UiChunk) => stream.writeSSE({ data: JSON.stringify(chunk) });
  const begin: UiChunk[] = [];
  const closed = answered.map(closedGate);
  const placed = (since: number) => void (isContinued || begin.push(placeChunk(since)));
  for await (const event of streamRun(input, { ...scope, placed, ...(replay !== undefined && { replay }) })) {
    if (stream.aborted) return;
    const more = chunks.take(event);
    if (event.type !== 'RUN_STARTED') for (const chunk of begin.splice(0)) await write(chunk);
    // If an error comes first, the run has not accepted the answers.
    if (event.type !== 'RUN_STARTED' && event.type !== 'RUN_ERROR')
      for (const chunk of closed.splice(0)) await write(chunk);
    for (const chunk of more) await write(chunk);
  }
}
