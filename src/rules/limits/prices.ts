/** A cost limit holds only if every call has a price (LI2). */

import type { PinnedRole } from '../../run/agents/role.js';
import type { PinnedModel } from '../../run/agents/run-config.js';
import type { ResolverRow } from '../../run/models/resolver.js';

export interface Chains {
  /** The default chain, for roles that name no models. */
  models: string[];
  roles: PinnedRole[];
}

export interface PricedChains extends Chains {
  warnings: string[];
  /** Why the limit can't be held: a role would have no model. Null if it can. */
  fault: string | null;
}

/** Removes models of unknown price from the chains: after using one, the goal's cost would be unknown. */
export function pricedChains(
  { models, roles }: Chains,
  modelInfo: Readonly<Record<string, PinnedModel>>,
): PricedChains {
  const unpriced = new Set<string>();
  const bare = new Set<string>();
  const withPrice = (chain: readonly string[], owner: string): string[] => {
    const kept = chain.filter(model => modelInfo[model]?.costKnown === true);
    for (const model of chain) if (!kept.includes(model)) unpriced.add(model);
    if (chain.length > 0 && kept.length === 0) bare.add(owner);
    return kept;
  };
  const usesDefault = roles.some(role => role.models.length === 0);
  const kept = {
    roles: roles.map(role => ({ ...role, models: withPrice(role.models, `the role ${role.name}`) })),
    models: usesDefault ? withPrice(models, 'the default') : models,
  };
  const names = [...unpriced].join(', ');
  if (bare.size > 0) {
    const fault = `The limit costUsd cannot be held: no price is known for ${names}, and ${[...bare].join(' and ')} would have no other model.`;
    return { ...kept, warnings: [], fault };
  }
  const warning = `Not used as a fallback, because no price is known and costUsd is limited: ${names}.`;
  return { ...kept, warnings: names === '' ? [] : [warning], fault: null };
}

/** Removes models of unknown price from the rows. A row without any other stays, and is skipped. */
export function pricedRows(
  rows: readonly ResolverRow[],
  modelInfo: Readonly<Record<string, PinnedModel>>,
): { rows: ResolverRow[]; warnings: string[] } {
  const isPriced = (model: string) => modelInfo[model]?.costKnown === true;
  const unpriced = new Set(rows.flatMap(({ use }) => use.filter(model => !isPriced(model))));
  const names = [...unpriced].join(', ');
  return {
    rows: rows.map(({ when, use }) => ({ when, use: use.filter(isPriced) })),
    warnings:
      names === ''
        ? []
        : [`Not used by models.resolver, because no price is known and costUsd is limited: ${names}.`],
  };
}
