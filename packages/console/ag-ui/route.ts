/** `POST /ag-ui`: serves a run as an agent of the AG-UI protocol, over server-sent events. */
import type { Context } from 'hono';
import { bodyAs, type RouteScope } from '../routes.js';
import { eventStream } from '../stream.js';
import { AG_UI_INPUT } from './input.js';
import { streamRun } from './run-stream.js';

export async function agUiAnswer(c: Context, scope: RouteScope): Promise<Response> {
  const input = await bodyAs(AG_UI_INPUT, c.req);
  return eventStream(c, async (stream, signal) => {
    for await (const event of streamRun(input, { ...scope, signal })) {
      if (stream.aborted) break;
      await stream.writeSSE({ data: JSON.stringify(event) });
    }
  });
}
