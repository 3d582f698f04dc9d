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

/** Resolves when this tab has a token, its own or that of others: an empty one, where there is none. */
export async function openLink(ends: LinkEnds): Promise<Link> {
  const given = (await tokenOfLink()) ?? keptToken();
  return typeof SharedWorker === 'function' ? sharedLink(given, ends) : ownLink(given ?? '', ends);
}

function ownLink(token: string, ends: LinkEnds): Link {
  ends.token(token);
  const stream = new Stream(token, ends);
  return { want: runs => stream.want(runs) };
}

async function sharedLink(given: string | null, ends: LinkEnds): Promise<Link> {
  const { port } = new SharedWorker(scriptUrl('/stream-worker.js'), { type: 'module' });
  const say = (message: FromTab) => port.postMessage(message);
  await new Promise<void>(resolve => {
    port.onmessage = ({ data }: MessageEvent<ToTab>) => {
      if (data.type === 'token') ends.token(data.token);
      if (data.type === 'token') resolve();
      if (data.type === 'frames') ends.frames(data.frames);
      if (data.type === 'state') ends.state(data.state);
    };
    say({ type: 'hello', token: given });
  });
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
