/** What a run keeps of the tools that it calls. */

import { jsonBytes } from '../../base/json/json.js';
import { EFFECTS_BYTES } from '../../base/sizes/bounds.js';
import { cutText } from '../../base/text/fit.js';
import type { ToolEnding, ToolResultBlock } from '../messages/message.js';
import { emptyLedger, type Ledger } from './ledger.js';
import type { ToolSession } from './tool-session.js';

export interface ToolUse {
  ledger: Ledger;
  /** Bad calls by tool in the task at hand. */
  badCalls: Record<string, number>;
  /** The calls in flight, by their index in the reply: for workers that ask for their arguments. */
  inFlight: { callId: string; index: number }[];
  /** With stateful servers, one for each at most: the latest is the last. */
  sessions: ToolSession[];
  /** `changedIn`: the goal in which a server was heard to have other tools, which the next goal gets. */
  listed: { at: number; times: number; changedIn: number | null };
  /** Of a sub-agent: its calls that may have changed something, a line each. */
  effects: string[];
}

const LONGEST_EFFECT_BYTES = 300;
const EARLIER = '…';

/** With one more, the last that there is room for. */
export function withEffects(effects: readonly string[], more: readonly string[]): string[] {
  const all = [...effects, ...more.map(line => cutText(line, LONGEST_EFFECT_BYTES))];
  if (jsonBytes(all) <= EFFECTS_BYTES) return all;
  const later = all.filter(line => line !== EARLIER);
  while (jsonBytes([EARLIER, ...later]) > EFFECTS_BYTES) later.shift();
  return [EARLIER, ...later];
}

/** A call that may have changed something, as whoever called the run is told of it. */
export function effectLine(
  call: string,
  { ending, isError }: Pick<ToolResultBlock, 'ending' | 'isError'>,
): string {
  return `${call}: ${ending}${isError ? ERROR : ''}`;
}

/** The same, read again; of a line that was cut nobody knows how the call ended. */
export function effectOf(line: string): Pick<ToolResultBlock, 'ending' | 'isError'> & { call: string } {
  const [, call = line, said, error] = EFFECT.exec(line) ?? [];
  const ending = [...ACTED].find(each => each === said) ?? 'outcome_unknown';
  return { call, ending, isError: error !== undefined || ending !== 'executed' };
}

const ERROR = ', an error';
const EFFECT = new RegExp(`^(.*): (\\w+)(${ERROR})?$`, 's');

/** Of a tool that may change something: whether it may have, by how its call ended. */
export function mayHaveActed(ending: ToolEnding): boolean {
  return ACTED.has(ending);
}

const ACTED: ReadonlySet<ToolEnding> = new Set(['executed', 'outcome_unknown', 'timed_out', 'session_lost']);

export function newToolUse(now: number): ToolUse {
  return {
    ledger: emptyLedger(),
    badCalls: {},
    inFlight: [],
    sessions: [],
    listed: { at: now, times: 0, changedIn: null },
    effects: [],
  };
}
