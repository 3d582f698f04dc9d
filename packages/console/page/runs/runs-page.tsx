/** Lists runs, newest first, with their states and costs; and a form for a new run. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ListedRun, Usage } from 'steersman/client';
import { get } from '../ask.js';
import { draft } from '../parts/draft.js';
import { StateChip, UsageFigures } from '../parts/figures.js';
import { Link, runHref } from '../parts/link.js';
import { Fault, faultWords } from '../parts/sending.js';
import { Ago, durationWords, now } from '../parts/time.js';
import { t } from '../words/words.js';
import { Filters, filterQuery } from './filters.js';
import { StartForm } from './start-form.js';

const AGAIN_MS = 5_000;
const PAGE = 50;
const MOST = 200;

export function RunsPage() {
  const runs = useSignal<ListedRun[] | null>(null);
  const fault = useSignal<string | null>(null);
  const limit = useSignal(PAGE);
  const filter = draft('runs filter', '{}');
  useEffect(() => {
    let open = true;
    const look = () =>
      get<ListedRun[]>(`runs?${filterQuery(filter.value)}&limit=${limit.value}`).then(
        found => {
          if (!open) return;
          runs.value = found;
          fault.value = null;
        },
        error => {
          if (open) fault.value = faultWords(error);
        },
      );
    void look();
    const timer = setInterval(() => !document.hidden && void look(), AGAIN_MS);
    return () => {
      open = false;
      clearInterval(timer);
    };
  }, [filter.value, limit.value]);
  return (
    <>
      <header class="page-head">
        <h1>{t('runs')}</h1>
      </header>
      <StartForm />
      <Filters filter={filter} />
      <Fault of={fault.value} />
      {runs.value === null ? (
        fault.value === null && <p class="muted">{t('loading')}</p>
      ) : (
        <RunList runs={runs.value} isFiltered={filterQuery(filter.value) !== ''} />
      )}
      {runs.value?.length === limit.value && limit.value < MOST && (
        <button type="button" class="quiet" onClick={() => (limit.value += PAGE)}>
          {t('showMore')}
        </button>
      )}
    </>
  );
}

function RunList({ runs, isFiltered }: { runs: readonly ListedRun[]; isFiltered: boolean }) {
  const usages = useUsages(runs);
  if (runs.length === 0) return <p class="empty">{t(isFiltered ? 'noRuns' : 'noRunsYet')}</p>;
  return (
    <ul class="rows" aria-label={t('runs')}>
      {runs.map(run => (
        <RunRow key={run.runId} run={run} usage={usages[run.runId] ?? null} />
      ))}
    </ul>
  );
}

function RunRow({ run, usage }: { run: ListedRun; usage: Usage | null }) {
  const { id, goal, outcome, phase, mode, startedAt, endedAt, waiting, stuck } = run;
  return (
    <li>
      <Link to={runHref(id)} class="row">
        <span class="row-state">
          <StateChip outcome={outcome} phase={waiting === null ? phase : 'waiting'} />
        </span>
        <span class="row-text">
          {id.includes('/') && <span class="muted">↳ </span>}
          {goal ?? id}
        </span>
        <span class="row-facts muted">
          {mode !== null && <span>{mode}</span>}
          <Ago at={startedAt} />
          <span>{durationWords((endedAt ? Date.parse(endedAt) : now.value) - Date.parse(startedAt))}</span>
          {usage && <UsageFigures usage={usage} />}
          {stuck && <span class="bad-text">{t('stuck')}</span>}
        </span>
      </Link>
    </li>
  );
}

/** Usage of ended runs by run id, which is final. */
const known = new Map<string, Usage | null>();
const AT_ONCE = 20;

/** Loads the usages in batches after the list, because each run must be queried. */
function useUsages(runs: readonly ListedRun[]): Record<string, Usage | null> {
  const usages = useSignal<Record<string, Usage | null>>(Object.fromEntries(known));
  const names = runs.map(({ runId, outcome }) => `${runId} ${outcome}`).join();
  useEffect(() => {
    let open = true;
    const wanted = runs.filter(({ runId }) => !known.has(runId));
    void (async () => {
      for (let from = 0; open && from < wanted.length; from += AT_ONCE) {
        const part = wanted.slice(from, from + AT_ONCE);
        const query = part.map(({ id }) => `run=${encodeURIComponent(id)}`).join('&');
        const found = await get<Record<string, Usage | null>>(`usage?${query}`).catch(() => ({}));
        const byRun = part.map(
          ({ id, runId }) => [runId, (found as Record<string, Usage>)[id] ?? null] as const,
        );
        for (const { id, runId, endedAt } of part)
          if (endedAt !== null && id in found) known.set(runId, (found as Record<string, Usage>)[id] ?? null);
        usages.value = { ...usages.value, ...Object.fromEntries(byRun) };
      }
    })();
    return () => {
      open = false;
    };
  }, [names]);
  return usages.value;
}
