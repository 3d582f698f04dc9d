/** A run's usage by role and model: the parts of its total. */

import { jsonBytes } from '../../base/json/json.js';
import { addUsage, NO_USAGE, type Usage } from '../messages/message.js';
import { type Counters, NO_COUNTERS } from './limits.js';

/** A role's usage of a model. Figures of 0 are left out; `costUsd` is null if unknown. */
export interface UsageEntry extends Partial<Usage> {
  role: string;
  model: string;
  /** Model calls, failed ones included. */
  calls: number;
}

/** The author of summaries in usage and conversation. It is not a role: the working role's model is asked. */
export const COMPACTOR = 'compactor';

/** Pairs of role and model that are counted separately; later pairs are counted together. */
export const MOST_USAGE_ENTRIES = 16;
/** The limit for an entry's names as JSON, which have no other bound. */
const MOST_NAME_BYTES = 100;
/** Stands for role and model of pairs that are counted together; real model ids contain a slash. */
const OTHERS = '(others)';

/** Adds calls to the entries, to an existing entry if there is one. */
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

/** Leaves out zeros, because histories store every result permanently. */
function withoutZeros(usage: Usage): Partial<Usage> {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== 0));
}

export function usageOf({ role: _role, model: _model, calls: _calls, ...figures }: UsageEntry): Usage {
  return { ...NO_USAGE, ...figures };
}

/** Sums the usage of each role over its models, in order of first appearance. */
export function usageByRole(entries: readonly UsageEntry[]): Map<string, Usage> {
  const roles = new Map<string, Usage>();
  for (const entry of entries)
    roles.set(entry.role, addUsage(roles.get(entry.role) ?? NO_USAGE, usageOf(entry)));
  return roles;
}

/** Returns the cached share of the input in whole percent, rounded down. Null without input. */
export function cachedPercent({ inputTokens, cachedInputTokens }: Usage): number | null {
  return inputTokens === 0 ? null : Math.floor((100 * cachedInputTokens) / inputTokens);
}

/** The account that model calls are charged to. */
export interface Account {
  usage: Usage;
  counters: Counters;
}

export function emptyAccount(): Account {
  return { usage: NO_USAGE, counters: NO_COUNTERS };
}

/** Returns `83 % cached` as a list of facts; empty if no input was cached. */
export function cachedFacts(usage: Usage): string[] {
  return usage.cachedInputTokens > 0 ? [`${cachedPercent(usage)} % cached`] : [];
}

/** Returns the tokens of a run's usage that summaries sent and wrote. */
export function tokensOfSummaries(usageBy: readonly UsageEntry[]): number {
  return usageBy
    .filter(({ role }) => role === COMPACTOR)
    .reduce((sum, { inputTokens = 0, outputTokens = 0 }) => sum + inputTokens + outputTokens, 0);
}
