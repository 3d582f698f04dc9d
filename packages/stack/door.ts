/**
 * The door of the Web UI: what a person's browser talks to. The UI itself takes every request, also of a web page that
 * makes a name of its own point to this machine, and starts and steers runs for it. The door lets in what the UI's own
 * page asks, at this very port, and what a person does.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { caught, listenOn, refusal } from 'steersman/shared';

/**
 * Open on this machine's own address until the process ends; at another port where this one was taken meanwhile.
 * `innerUi`: where the Web UI is, null while it starts. Gives the URL that is printed.
 */
export async function openDoor(port: number, innerUi: () => string | null): Promise<string> {
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

/** As it came: the UI compares its own name with that of pages that ask. */
async function passOn(req: IncomingMessage, res: ServerResponse, inner: string): Promise<void> {
  const { hostname, port } = new URL(inner);
  const { method, url: path, headers } = req;
  const asked = request({ hostname, port, method, path, headers });
  // What is lost while it answers, the answer tells.
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
