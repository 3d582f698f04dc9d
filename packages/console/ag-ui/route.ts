/** `POST /ag-ui`: serves a run as an agent of the AG-UI protocol, over server-sent events. */
import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import { bodyAs, type RouteScope } from '../routes.js';
import { AG_UI_INPUT } from './input.js';
import { talk } from './talk.js';

/** Proxies close silent connections; clients ignore a comment. */
const COMMENT_MS = 10_000;

/** Streams events one by one, as fast as the client reads them. */
export async function agUiAnswer(c: Context, scope: RouteScope): Promise<Response> {
  const input = await bodyAs(AG_UI_INPUT, c.req);
  const leaving = new AbortController();
  return streamSSE(c, async stream => {
    stream.onAbort(() => leaving.abort());
    const comments = setInterval(() => void stream.write(':\n\n'), COMMENT_MS);
    try {
      for await (const event of talk(input, { ...scope, signal: leaving.signal })) {
        if (stream.aborted) break;
        await stream.writeSSE({ data: JSON.stringify(event) });
      }
    } finally {
      clearInterval(comments);
    }
  });
}
