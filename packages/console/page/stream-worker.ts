/** A shared worker: all tabs of a browser have one stream, for a browser opens few connections to one server. */
import type { Frame, StreamAsk } from '../api.js';
import { Stream, type StreamState } from './stream.js';

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
/** Those that may be good, the newest last: a tab that was restored may bring one that is none. */
const tokens: string[] = [];
/** What tabs go by. */
let told: string | null = null;
let stream: Stream | null = null;
let state: StreamState = 'connecting';
/** For a tab that comes late. */
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

/** A tab that comes hears a run from its first event: the others have heard it. */
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
    // What nobody knows is no token for a tab to come: the one before may be.
    tokens.pop();
    if (tokens.length > 0) {
      open();
      return;
    }
    told = null;
  }
  if (now === state) return;
  if (now === 'live') tellToken();
  state = now;
  tell({ type: 'state', state });
}

function tellToken(): void {
  told = tokens.at(-1) ?? '';
  tell({ type: 'token', token: told });
}

/** With the newest token; tabs that have another go on with that until this one is known to be good. */
function open(): void {
  // Those whose token was refused go on with this one.
  if (told === null) tellToken();
  stand('connecting');
  stream?.close();
  stream = new Stream(tokens.at(-1) ?? '', { frames: take, state: stand });
  want();
}

/** All runs of all tabs, each from the earliest place that one of them is at. */
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
  // Behind a login of its own a console wants no token: that is found out by asking.
  const given = message.token ?? (tokens.length === 0 ? '' : null);
  tab.port.postMessage({ type: 'token', token: given ?? told ?? '' } satisfies ToTab);
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
