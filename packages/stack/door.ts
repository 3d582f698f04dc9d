/**
 * The door of the Web UI, which browsers connect to. The UI itself accepts every request, even of a web page whose own
 * host name points to this machine, and would start and steer runs for it. The door passes on only requests of the UI's
 * own page, at exactly this port, and of a person's navigation.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { caught, listenOn, refusal } from 'steersman/shared';

/**
 * Opens the door on 127.0.0.1 until the process ends; on another port if this one has been taken. `innerUi` returns the
 * URL of the Web UI, null while it starts. Returns the URL that people see.
 */
export async function serveUi(port: number, innerUi: () => string | null): Promise<string> {
  const answer = (req: IncomingMessage, res: ServerResponse) => {
    const inner = innerUi();
    const refused = refusal(req.headers, { loopback: true, token: null });
    if (refused !== null) return say(res, refused.status, refused.message);
    return inner === null ? notThere(res) : passOn(req, res, inner);
  };
  const host = '127.0.0.1';
  const listening = await listenOn(createServer(caught(answer, notThere)), { host, ports: [port, 0] });
  return `http://${host}:${listening.port}`;
}

/** Passes the request on unchanged: the UI compares its host name with the asking page's. */
async function passOn(req: IncomingMessage, res: ServerResponse, inner: string): Promise<void> {
  const { hostname, port } = new URL(inner);
  const { method, url: path, headers } = req;
  const asked = request({ hostname, port, method, path, headers });
  // After the response has begun, a lost connection shows in the response itself.
  asked.on('error', () => {});
  res.once('close', () => asked.destroy());
  const answered = once(asked, 'response');
  req.pipe(asked);
  const [answer]: IncomingMessage[] = await answered;
  if (answer === undefined) return notThere(res);
  res.writeHead(answer.statusCode ?? 502, answer.headers);
  await pipeline(answer, res);
}

function notThere(res: ServerResponse): void {
  say(res, 502, 'The Web UI does not answer: its server is starting, or has ended.');
}

function say(res: ServerResponse, status: number, message: string): void {
  res.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${message}\n`);
}
