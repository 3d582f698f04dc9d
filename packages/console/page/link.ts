/** The page's side of the stream: through a shared worker if the browser has them, else directly. */
import { Stream, type StreamAsk, type StreamEnds } from '@steersman/view';
import { proves } from './proof.js';
import type { FromTab, ToTab } from './stream-worker.js';
import { storedToken, tokenOfLink } from './token.js';

export interface LinkEnds extends StreamEnds {
  /** Receives the token that is valid from now on. */
  token(token: string): void;
}

export interface Link {
  want(runs: StreamAsk['runs']): void;
}

/** Resolves when this tab has a token, its own or another tab's; an empty one if no tab has a token. */
export async function openLink(ends: LinkEnds): Promise<Link> {
  const given = (await tokenOfLink()) ?? storedToken();
  return typeof SharedWorker === 'function' ? sharedLink(given, ends) : ownLink(given ?? '', ends);
}

function ownLink(token: string, ends: LinkEnds): Link {
  ends.token(token);
  const stream = new Stream(token, { ...ends, prove: signal => proves(token, signal) });
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
  // A page restored from the browser's cache has lost its stream: reload it.
  addEventListener('pageshow', event => {
    if (event.persisted) location.reload();
  });
  return { want: runs => say({ type: 'want', runs }) };
}

/** Scripts are loaded only from the console's own files, which the policy enforces in browsers with Trusted Types. */
function scriptUrl(path: string): string {
  const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('steersman', {
    createScriptURL: url => url,
  });
  // The returned object is accepted in place of a string.
  return (policy?.createScriptURL(path) ?? path) as string;
}

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): unknown };
}
