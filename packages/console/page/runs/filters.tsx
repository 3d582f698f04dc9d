/** The filters of the list of runs. */
import type { Signal } from '@preact/signals';
import { OUTCOMES } from 'steersman/run';
import { named, t } from '../words/words.js';

interface Filter {
  which?: 'open' | 'waiting';
  outcome?: string;
  /** Searched in goals and in all that was said. */
  words?: string;
}

function read(draft: string): Filter {
  return JSON.parse(draft) as Filter;
}

export function wordsOf(draft: string): string {
  return read(draft).words?.trim() ?? '';
}

/** True if only runs in one state are listed. */
export function isNarrowed(draft: string): boolean {
  const { which, outcome } = read(draft);
  return which !== undefined || outcome !== undefined;
}

export function filterQuery(draft: string, words: string): string {
  const { which, outcome } = read(draft);
  const query = new URLSearchParams();
  if (which) query.set(which, '1');
  if (outcome) query.set('outcome', outcome);
  if (words !== '') query.set('goal', words);
  return query.toString();
}

export function Filters({ filter }: { filter: Signal<string> }) {
  const { which, outcome, words = '' } = read(filter.value);
  return (
    <search class="filters">
      <input
        type="search"
        aria-label={t('searchSaid')}
        placeholder={t('searchSaid')}
        value={words}
        onInput={event => {
          filter.value = JSON.stringify({ ...read(filter.value), words: event.currentTarget.value });
        }}
      />
      <select
        aria-label={t('state')}
        value={which ?? outcome ?? ''}
        onChange={event => {
          const value = event.currentTarget.value;
          const isOpen = value === 'open' || value === 'waiting';
          filter.value = JSON.stringify({
            words,
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
