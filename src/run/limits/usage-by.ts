/** What a run used, by role and by model: the parts of its total. */

import { jsonBytes } from '../../base/json/json.js';
import { addUsage, NO_USAGE, type Usage } from '../messages/message.js';
import { type Counters, NO_COUNTERS } from './limits.js';

/** What a role used of a model. A figure that is 0 is left out; `costUsd` is null where it is not known. */
export interface UsageEntry extends Partial<Usage> {
  role: string;
  model: string;
  /** Model calls, failed ones with them. */
  calls: number;
}

/** Pairs of role and model that are counted each; those that come later are counted together. */
export const MOST_USAGE_ENTRIES = 16;
/** Of an entry's names as JSON: nothing else bounds them. */
const MOST_NAME_BYTES = 100;
/** Role and model of what is counted together: ids of models have a slash. */
const OTHERS = '(others)';

/** The entries with the calls of one more, which may be known already. */
export function withCalls(entries: readonly UsageEntry[], more: UsageEntry): UsageEntry[] {
  const { role, model, calls } = more;
  const isKnown = entries.some(entry => entry.role === role && entry.model === model);
  const isShort = jsonBytes(role) + jsonBytes(model) <= MOST_NAME_BYTES;
  if (!isKnown && !(isShort && entries.length < MOST_USAGE_ENTRIES) && model !== OTHERS)
    return withCalls(entries, { ...more, role: OTHERS, model: OTHERS });
  const before = isKnown ? entries : [...entries, { role, model, calls: 0 }];
  return before.map(entry =>
    entry.role === role && entry.model === model
      ? { role, model, calls: entry.calls + calls, ...withoutZeros(addUsage(usageOf(entry), usageOf(more))) }
      : entry,
  );
}

/** Histories keep them for ever, in every result. */
function withoutZeros(usage: Usage): Partial<Usage> {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== 0));
}

export function usageOf({ role: _role, model: _model, calls: _calls, ...figures }: UsageEntry): Usage {
  return { ...NO_USAGE, ...figures };
}

/** By role, over its models, in the order in which they came on. */
export function usageByRole(entries: readonly UsageEntry[]): Map<string, Usage> {
  const roles = new Map<string, Usage>();
  for (const entry of entries)
    roles.set(entry.role, addUsage(roles.get(entry.role) ?? NO_USAGE, usageOf(entry)));
  return roles;
}

/** Of the input, what was read from the provider's cache: whole percent, rounded down. Null without input. */
export function cachedPercent({ inputTokens, cachedInputTokens }: Usage): number | null {
  return inputTokens === 0 ? null : Math.floor((100 * cachedInputTokens) / inputTokens);
}

/** What model calls are charged to. */
export interface Account {
  usage: Usage;
  counters: Counters;
}

export function emptyAccount(): Account {
  return { usage: NO_USAGE, counters: NO_COUNTERS };
}

/** `83 % cached` of the input, as a list of facts; empty where nothing was. */
export function cachedFacts(usage: Usage): string[] {
  return usage.cachedInputTokens > 0 ? [`${cachedPercent(usage)} % cached`] : [];
}
