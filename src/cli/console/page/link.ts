/** The page's end of the stream: by the shared worker where there is one, else by itself. */
import type { StreamAsk } from '../api.js';
import { Stream, type StreamEnds } from './stream.js';
import type { FromTab, ToTab } from './stream-worker.js';
import { keptToken, tokenOfLink } from './token.js';

export interface LinkEnds extends StreamEnds {
  /** The token that holds from now on. */
  token(token: string): void;
}

export interface Link {
  want(runs: StreamAsk['runs']): void;
}

/** Null where no tab of this console has a token: a new link is needed. */
export async function openLink(ends: LinkEnds): Promise<Link | null> {
  const given = (await tokenOfLink()) ?? keptToken();
  const shared = typeof SharedWorker === 'function' ? await sharedLink(given, ends) : null;
  return shared ?? (given === null ? null : ownLink(given, ends));
}

function ownLink(token: string, ends: LinkEnds): Link {
  ends.token(token);
  const stream = new Stream(token, ends);
  return { want: runs => stream.want(runs) };
}

async function sharedLink(given: string | null, ends: LinkEnds): Promise<Link | null> {
  const { port } = new SharedWorker(scriptUrl('/stream-worker.js'), { type: 'module' });
  const say = (message: FromTab) => port.postMessage(message);
  const token = await new Promise<string | null>(resolve => {
    port.onmessage = ({ data }: MessageEvent<ToTab>) => {
      if (data.type === 'token' && data.token !== null) ends.token(data.token);
      if (data.type === 'token') resolve(data.token);
      if (data.type === 'frames') ends.frames(data.frames);
      if (data.type === 'state') ends.state(data.state);
    };
    say({ type: 'hello', token: given });
  });
  if (token === null) {
    say({ type: 'bye' });
    port.close();
    return null;
  }
  addEventListener('pagehide', () => say({ type: 'bye' }));
  // Shown again as it was left: nobody tells it anything any more.
  addEventListener('pageshow', event => {
    if (event.persisted) location.reload();
  });
  return { want: runs => say({ type: 'want', runs }) };
}

/** Scripts come from our own files alone: the policy says so to browsers that know Trusted Types. */
function scriptUrl(path: string): string {
  const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('steersman', {
    createScriptURL: url => url,
  });
  // What it gives stands for the text.
  return (policy?.createScriptURL(path) ?? path) as string;
}

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): unknown };
}
