/** Apps of a run's tools: which calls have one, and which requests of apps are allowed. Pure. */
import { isRecord, jsonBytes } from '../../base/json/json.js';
import { Slice } from '../../run/state/slice.js';
import { serverOf, type ToolDefinition } from '../../run/tools/tool.js';

/** A call that an app has requested, until it has its result. */
export interface AppCall {
  callId: string;
  /** The call whose result the app shows. */
  of: string;
  /** Name as pinned in the run. */
  tool: string;
  input: Record<string, unknown>;
  /** A person has allowed it, with these arguments. */
  approved?: true;
  /** A person has changed the arguments. */
  edited?: true;
  /** It was sent: if it is no longer awaited, its outcome is unknown. */
  begun?: true;
}

export interface AppUse {
  /** The latest calls whose results have an app. */
  shown: { callId: string; server: string }[];
  calls: AppCall[];
  /** Calls taken since then, milliseconds since the epoch, within a minute. */
  taken: { since: number; count: number };
}

/** A request of an app. */
export interface AppAsk {
  of: string;
  /** Name on the server, or as pinned in the run. */
  tool: string;
  input: Record<string, unknown>;
}

const SHOWN_KEPT = 40;
const LONGEST_SERVER = 100;
/** Most calls that wait or run at once; `APP_INPUTS_BYTES` limits their arguments together. */
const MOST_CALLS = 4;
const MOST_A_MINUTE = 60;
const MINUTE_MS = 60_000;
const APP_INPUT_BYTES = 8_000;
const APP_INPUTS_BYTES = 16_000;
/** Limit of the state for apps. */
const APPS_BYTES = APP_INPUTS_BYTES + MOST_CALLS * 500 + SHOWN_KEPT * (LONGEST_SERVER + 60) + 200;

export const appUse = new Slice<AppUse>('apps', {
  initial: noApps,
  bytes: APPS_BYTES,
  earlier: ({ tools }) => {
    if (!isRecord(tools)) return undefined;
    const { apps } = tools;
    delete tools.apps;
    return apps as AppUse | undefined;
  },
});

function noApps(): AppUse {
  return { shown: [], calls: [], taken: { since: 0, count: 0 } };
}

/** Adds a call whose result has an app. */
export function withShown(use: AppUse, callId: string, server: string): AppUse {
  if (server.length > LONGEST_SERVER) return use;
  return { ...use, shown: [...use.shown, { callId, server }].slice(-SHOWN_KEPT) };
}

/** Adds a call that waits or runs. */
export function withCall(use: AppUse, call: AppCall, now: number): AppUse {
  const { since, count } = use.taken;
  const taken = now - since < MINUTE_MS ? { since, count: count + 1 } : { since: now, count: 1 };
  return { ...use, calls: [...use.calls, call], taken };
}

/** Returns the tool that an app requests, or why it may not: apps may only call tools that their own server offers to them. */
export function appTool(
  { shown, calls, taken }: AppUse,
  tools: readonly ToolDefinition[],
  { of, tool: name, input }: AppAsk,
  now: number,
): { tool: ToolDefinition } | { fault: string } {
  const server = shown.find(({ callId }) => callId === of)?.server;
  if (server === undefined)
    return {
      fault: `This run knows no app of the call ${of.slice(0, 40)}: the call may be too long ago.`,
    };
  const own = tools.filter(each => serverOf(each) === server);
  const tool = own.find(each => each.serverToolName === name) ?? own.find(each => each.name === name);
  if (!tool || tool.modelOnly === true)
    return { fault: `The server ${server} has no tool ${name.slice(0, 100)} that its apps may call.` };
  const bytes = jsonBytes(input);
  if (bytes > APP_INPUT_BYTES)
    return { fault: `The arguments have ${bytes} bytes, and an app may give ${APP_INPUT_BYTES}.` };
  const inputs = calls.reduce((sum, call) => sum + jsonBytes(call.input), bytes);
  if (calls.length >= MOST_CALLS || inputs > APP_INPUTS_BYTES)
    return {
      fault: `At most ${MOST_CALLS} calls of apps wait at once, and their arguments may have ${APP_INPUTS_BYTES} bytes together. Try again when one of the calls has ended.`,
    };
  if (taken.count >= MOST_A_MINUTE && now - taken.since < MINUTE_MS)
    return { fault: `A run takes at most ${MOST_A_MINUTE} calls of apps a minute.` };
  return { tool };
}
