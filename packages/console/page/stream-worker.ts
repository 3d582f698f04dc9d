/** A shared worker: all tabs of a browser share one stream, because a browser opens only a few connections to a server. */
import { type Frame, Stream, type StreamAsk, type StreamState } from '@steersman/view';
import { proves } from './proof.js';

export type FromTab =
  | { type: 'hello'; token: string | null }
  | { type: 'want'; runs: StreamAsk['runs'] }
  | { type: 'bye' };
export type ToTab =
  | { type: 'token'; token: string }
  | { type: 'frames'; frames: Frame[] }
  | { type: 'state'; state: StreamState };

interface Tab {
  port: MessagePort;
  runs: StreamAsk['runs'];
}

const tabs = new Set<Tab>();
/** Tokens that may be valid, newest last: a restored tab may bring an expired one. */
const tokens: string[] = [];
/** The token that the tabs use. */
let inUse: string | null = null;
let stream: Stream | null = null;
let state: StreamState = 'connecting';
/** The last frames, for a tab that connects later. */
const last = new Map<string, Frame>();

function tell(message: ToTab): void {
  for (const { port } of tabs) port.postMessage(message);
}

function take(frames: Frame[]): void {
  for (const frame of frames)
    if (frame.type === 'waiting' || frame.type === 'trouble') last.set(frame.type, frame);
  for (const tab of tabs) {
    const own = frames.filter(frame => isNewTo(tab, frame));
    if (own.length > 0) tab.port.postMessage({ type: 'frames', frames: own } satisfies ToTab);
  }
}

/** True for frames that a tab does not have: a new tab needs a run's first events, which other tabs have received. */
function isNewTo({ runs }: Tab, frame: Frame): boolean {
  if (!('run' in frame)) return true;
  const known = Object.hasOwn(runs, frame.run) ? runs[frame.run] : undefined;
  if (known === undefined) return false;
  if (frame.type !== 'event' || !('seq' in frame.event) || frame.event.path !== undefined) return true;
  if (frame.event.seq <= known.since) return false;
  known.since = frame.event.seq;
  return true;
}

function stand(now: StreamState): void {
  if (now === 'refused') {
    // The server refused this token, so it is dropped; the one before it may be valid.
    tokens.pop();
    if (tokens.length > 0) {
      open();
      return;
    }
    inUse = null;
  }
  if (now === state) return;
  if (now === 'live') tellToken();
  state = now;
  tell({ type: 'state', state });
}

function tellToken(): void {
  inUse = tokens.at(-1) ?? '';
  tell({ type: 'token', token: inUse });
}

/** Opens a stream with the newest token. Tabs with another token keep it until this one proves valid. */
function open(): void {
  // Tabs whose token was refused continue with this one.
  if (inUse === null) tellToken();
  stand('connecting');
  stream?.close();
  const token = tokens.at(-1) ?? '';
  const prove = (signal: AbortSignal) => proves(token, signal);
  stream = new Stream(token, { frames: take, state: stand, prove });
  want();
}

/** Requests all runs of all tabs, each from the lowest event number that a tab has. */
function want(): void {
  const runs: StreamAsk['runs'] = {};
  for (const tab of tabs)
    for (const [run, { since }] of Object.entries(tab.runs))
      runs[run] = { since: Math.min(since, runs[run]?.since ?? since) };
  stream?.want(runs);
}

function hear(tab: Tab, message: FromTab): void {
  if (message.type === 'bye') {
    tabs.delete(tab);
    want();
    return;
  }
  if (message.type === 'want') {
    tab.runs = message.runs;
    want();
    return;
  }
  // A console that is mounted behind a login needs no token, so the worker tries without one.
  const given = message.token ?? (tokens.length === 0 ? '' : null);
  // While the console is away, another program that took its port may have served the tab.
  const others = state === 'live' ? inUse : null;
  tab.port.postMessage({ type: 'token', token: given ?? others ?? '' } satisfies ToTab);
  if (given !== null && given !== tokens.at(-1)) {
    tokens.push(given);
    open();
  }
  tab.port.postMessage({ type: 'state', state } satisfies ToTab);
  tab.port.postMessage({ type: 'frames', frames: [...last.values()] } satisfies ToTab);
}

addEventListener('connect', event => {
  const [port] = (event as MessageEvent).ports;
  if (!port) return;
  const tab: Tab = { port, runs: {} };
  tabs.add(tab);
  port.onmessage = ({ data }: MessageEvent<FromTab>) => hear(tab, data);
  port.start();
});
