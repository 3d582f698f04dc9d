/** A run's state about the tools that it calls. */

import { jsonBytes } from '../../base/json/json.js';
import { EFFECTS_BYTES } from '../../base/sizes/bounds.js';
import { cutText } from '../../base/text/fit.js';
import type { ToolEnding, ToolResultBlock } from '../messages/message.js';
import { emptyLedger, type Ledger } from './ledger.js';
import type { ToolSession } from './tool-session.js';

export interface ToolUse {
  ledger: Ledger;
  /** Bad calls by tool in the current task. */
  badCalls: Record<string, number>;
  /** The calls in flight, by their index in the reply, for workers that ask for their arguments. */
  inFlight: { callId: string; index: number }[];
  /** Sessions with stateful servers; the latest is the last. */
  sessions: ToolSession[];
  /** `changedIn`: the goal in which a server reported changed tools, which the next goal gets. */
  listed: { at: number; times: number; changedIn: number | null };
  /** Calls of a sub-agent that may have changed something, one line each. */
  effects: string[];
}

const LONGEST_EFFECT_BYTES = 300;
const EARLIER = '…';

/** Adds lines, and drops the earliest ones beyond the limit. */
export function withEffects(effects: readonly string[], more: readonly string[]): string[] {
  const all = [...effects, ...more.map(line => cutText(line, LONGEST_EFFECT_BYTES))];
  if (jsonBytes(all) <= EFFECTS_BYTES) return all;
  const later = all.filter(line => line !== EARLIER);
  while (jsonBytes([EARLIER, ...later]) > EFFECTS_BYTES) later.shift();
  return [EARLIER, ...later];
}

/** Returns the line about a call that may have changed something, for the run's caller. */
export function effectLine(
  call: string,
  { ending, isError }: Pick<ToolResultBlock, 'ending' | 'isError'>,
): string {
  return `${call}: ${ending}${isError ? ERROR : ''}`;
}

/** Parses such a line; if it was cut, how the call ended is unknown. */
export function effectOf(line: string): Pick<ToolResultBlock, 'ending' | 'isError'> & { call: string } {
  const [, call = line, said, error] = EFFECT.exec(line) ?? [];
  const ending = [...ACTED].find(each => each === said) ?? 'outcome_unknown';
  return { call, ending, isError: error !== undefined || ending !== 'executed' };
}

const ERROR = ', an error';
const EFFECT = new RegExp(`^(.*): (\\w+)(${ERROR})?$`, 's');

/** True if a call with this ending may have changed something, for tools that can. */
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
