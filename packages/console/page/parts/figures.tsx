/** Draws figures: tokens, costs, states. */

import { formatCount } from 'steersman/base';
import type { Usage } from 'steersman/client';
import { named, t } from '../words/words.js';

export function tokensOf({ inputTokens, outputTokens }: Pick<Usage, 'inputTokens' | 'outputTokens'>): number {
  return inputTokens + outputTokens;
}

/** Shortens a figure to `12.3k`, for lists; the exact one is in the title. */
export function shortCount(value: number): string {
  if (value < 1_000) return String(value);
  if (value < 999_500) return `${(value / 1_000).toFixed(value < 9_950 ? 1 : 0)}k`;
  return `${(value / 1_000_000).toFixed(1)}M`;
}

export function costWords(costUsd: number | null): string {
  return costUsd === null ? t('costUnknown') : `$${costUsd.toFixed(costUsd < 1 ? 4 : 2)}`;
}

/** Returns the cached share of the input. It is marked as an estimate if the endpoint reported no usage. */
export function cachedShare({ inputTokens, cachedInputTokens, estimated }: Usage): string {
  const share = Math.floor((100 * cachedInputTokens) / Math.max(1, inputTokens));
  return `${estimated ? '≈' : ''}${share}%`;
}

export function UsageFigures({ usage }: { usage: Usage }) {
  const tokens = tokensOf(usage);
  return (
    <span
      class="figures"
      title={t('tokensTitle', { in: formatCount(usage.inputTokens), out: formatCount(usage.outputTokens) })}
    >
      {t('tokens', { count: shortCount(tokens) })} · {costWords(usage.costUsd)}
    </span>
  );
}

const TONES: Partial<Record<string, string>> = {
  completed: 'good',
  answered: 'good',
  waiting: 'warn',
  paused: 'warn',
  unverified: 'warn',
  budget_exhausted: 'warn',
  stopped: 'warn',
  failed: 'bad',
  cancelled: 'bad',
  lost: 'bad',
};

interface StateGiven {
  outcome: string | null;
  phase: string | null;
  /** True if the run has this outcome and is still open. */
  isOpen?: boolean;
}

/** Draws a run's phase, or its outcome. */
export function StateChip({ outcome, phase, isOpen = false }: StateGiven) {
  if (outcome !== null) {
    const name = named('outcome', outcome);
    return (
      <span class={`chip ${TONES[outcome] ?? ''}`}>{isOpen ? t('stillOpen', { outcome: name }) : name}</span>
    );
  }
  return <span class={`chip ${TONES[phase ?? ''] ?? 'live'}`}>{named('phase', phase ?? 'unknown')}</span>;
}
