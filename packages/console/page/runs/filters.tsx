/** The filters of the list of runs. */
import type { Signal } from '@preact/signals';
import { OUTCOMES } from 'steersman/run';
import { named, t } from '../words/words.js';

interface Filter {
  which?: 'open' | 'waiting';
  outcome?: string;
  goal?: string;
}

export function filterQuery(kept: string): string {
  const { which, outcome, goal } = JSON.parse(kept) as Filter;
  const query = new URLSearchParams();
  if (which) query.set(which, '1');
  if (outcome) query.set('outcome', outcome);
  if (goal) query.set('goal', goal);
  return query.toString();
}

export function Filters({ filter }: { filter: Signal<string> }) {
  const { which, outcome, goal = '' } = JSON.parse(filter.value) as Filter;
  const set = (part: Filter) => {
    filter.value = JSON.stringify({ ...(JSON.parse(filter.value) as Filter), ...part });
  };
  const state = which ?? outcome ?? '';
  return (
    <search class="filters">
      <input
        type="search"
        aria-label={t('goalHas')}
        placeholder={t('goalHas')}
        value={goal}
        onInput={event => set({ goal: event.currentTarget.value })}
      />
      <select
        aria-label={t('state')}
        value={state}
        onChange={event => {
          const value = event.currentTarget.value;
          const isOpen = value === 'open' || value === 'waiting';
          filter.value = JSON.stringify({
            goal,
            ...(isOpen ? { which: value } : value !== '' && { outcome: value }),
          });
        }}
      >
        <option value="">{t('allRuns')}</option>
        <option value="open">{t('openRuns')}</option>
        <option value="waiting">{t('waitingRuns')}</option>
        {OUTCOMES.map(each => (
          <option key={each} value={each}>
            {named('outcome', each)}
          </option>
        ))}
      </select>
    </search>
  );
}
