/** Shows what runs of the last days have cost, as bars and as a table. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { SpentRun } from 'steersman/client';
import { get } from '../ask.js';
import { costWords, shortCount } from '../parts/figures.js';
import { Fault, faultWords } from '../parts/sending.js';
import { named, t } from '../words/words.js';
import { BarPlot } from './plot.js';
import { OTHERS, type Spent, type SpentBy, type SpentWhat, spentByDay } from './spent.js';

const DAYS = [7, 30, 90];
const DAY_MS = 86_400_000;

export function SpentView() {
  const days = useSignal(30);
  const by = useSignal<SpentBy>('model');
  const what = useSignal<SpentWhat | null>(null);
  const runs = useSignal<SpentRun[] | null>(null);
  const fault = useSignal<string | null>(null);
  useEffect(() => {
    get<SpentRun[]>(`spent?since=${Date.now() - days.value * DAY_MS}`).then(
      found => (runs.value = found),
      error => (fault.value = faultWords(error)),
    );
  }, [days.value]);
  // Without any price, tokens say more.
  const figure =
    what.value ?? (runs.value?.some(({ usage }) => (usage.costUsd ?? 0) > 0) ? 'cost' : 'tokens');
  const spent = useMemo(
    () => spentByDay(runs.value ?? [], { by: by.value, what: figure, days: days.value, now: Date.now() }),
    [runs.value, by.value, figure, days.value],
  );
  if (fault.value !== null) return <Fault of={fault.value} />;
  if (runs.value === null) return <p class="muted">{t('loading')}</p>;
  return (
    <div class="spent">
      <div class="actions">
        <Picker
          label={t('days')}
          value={String(days.value)}
          options={DAYS.map(each => [String(each), t('lastDays', { count: each })])}
          onValue={value => (days.value = Number(value))}
        />
        <Picker
          label={t('groupedBy')}
          value={by.value}
          options={[
            ['model', t('byModel')],
            ['outcome', t('byOutcome')],
          ]}
          onValue={value => (by.value = value)}
        />
        <Picker
          label={t('figure')}
          value={figure}
          options={[
            ['cost', t('cost')],
            ['tokens', t('tokensShort')],
          ]}
          onValue={value => (what.value = value)}
        />
      </div>
      {runs.value.length === 0 ? (
        <p class="empty">{t('nothingSpent')}</p>
      ) : (
        <Figures spent={spent} by={by.value} figure={figure} />
      )}
    </div>
  );
}

interface PickerProps<T extends string> {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  onValue: (value: T) => void;
}

function Picker<T extends string>({ label, value, options, onValue }: PickerProps<T>) {
  return (
    <select aria-label={label} value={value} onChange={event => onValue(event.currentTarget.value as T)}>
      {options.map(([each, word]) => (
        <option key={each} value={each}>
          {word}
        </option>
      ))}
    </select>
  );
}

function Figures({ spent, by, figure }: { spent: Spent; by: SpentBy; figure: SpentWhat }) {
  const say = figure === 'cost' ? costWords : shortCount;
  const nameOf = (name: string) => (by === 'outcome' && name !== OTHERS ? named('outcome', name) : name);
  return (
    <>
      <BarPlot spent={spent} say={say} />
      <table class="legend-table">
        <caption class="sr">{t('spent')}</caption>
        <thead>
          <tr>
            <th scope="col">{t(by === 'model' ? 'model' : 'state')}</th>
            <th scope="col">{t(figure === 'cost' ? 'cost' : 'tokensShort')}</th>
          </tr>
        </thead>
        <tbody>
          {spent.series.map(({ name, total }, at) => (
            <tr key={name}>
              <th scope="row" class={`series s${at}`}>
                {nameOf(name)}
              </th>
              <td>{say(total)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {figure === 'cost' && spent.unpriced > 0 && (
        <p class="muted">{t('unpriced', { count: spent.unpriced })}</p>
      )}
    </>
  );
}
