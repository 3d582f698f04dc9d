/** Rows of runs, with their states and costs. */
import { useSignal } from '@preact/signals';
import type { RunFigures } from '@steersman/view';
import { useEffect } from 'preact/hooks';
import { visibleText } from 'steersman/base';
import type { ListedRun } from 'steersman/client';
import { get } from '../ask.js';
import { StateChip, UsageFigures } from '../parts/figures.js';
import { InFolder, Link, runHref } from '../parts/link.js';
import { faultWords } from '../parts/sending.js';
import { Ago, durationWords, now } from '../parts/time.js';
import { t } from '../words/words.js';
import { areInSeveral } from './merged.js';

const AGAIN_MS = 5_000;

/** `runs`: null until the list was read once. `isRead`: `runs` belong to the current query, not to an earlier one. */
interface ReadRuns {
  runs: ListedRun[] | null;
  fault: string | null;
  isRead: boolean;
}

/** Reads the list again and again while it is shown. */
export function useRuns(query: string): ReadRuns {
  const runs = useSignal<ListedRun[] | null>(null);
  const readFor = useSignal<string | null>(null);
  const fault = useSignal<string | null>(null);
  useEffect(() => {
    let open = true;
    const look = () =>
      get<ListedRun[]>(`runs?${query}`).then(
        found => {
          if (!open) return;
          runs.value = found;
          readFor.value = query;
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
  }, [query]);
  return { runs: runs.value, fault: fault.value, isRead: readFor.value === query };
}

export function RunList({ runs, label }: { runs: readonly ListedRun[]; label: string }) {
  const figures = useFigures(runs);
  const isPlaced = areInSeveral(runs);
  return (
    <ul class="rows" aria-label={label}>
      {runs.map(run => (
        <RunRow key={run.runId} run={run} figures={figures[run.runId] ?? null} isPlaced={isPlaced} />
      ))}
    </ul>
  );
}

interface RowGiven {
  run: ListedRun;
  figures: RunFigures | null;
  /** True if the row names the run's folder. */
  isPlaced: boolean;
}

export function RunRow({ run, figures, isPlaced }: RowGiven) {
  const { id, goal, workspace, outcome, phase, mode, startedAt, endedAt, waiting, stuck } = run;
  const isIdle = endedAt === null && phase === 'idle' && waiting === null;
  return (
    <li>
      <Link to={runHref(id)} class="row">
        <span class="row-state">
          <StateChip
            outcome={isIdle ? (outcome ?? figures?.outcome ?? null) : endedAt === null ? null : outcome}
            phase={waiting === null ? phase : 'waiting'}
          />
        </span>
        <span class="row-text">
          {id.includes('/') && <span class="muted">↳ </span>}
          {visibleText(goal ?? id)}
        </span>
        <span class="row-facts muted">
          {isPlaced && workspace && <InFolder path={workspace} />}
          {mode !== null && <span>{mode}</span>}
          {figures?.model && <span>{figures.model}</span>}
          <Ago at={startedAt} />
          <span>{durationWords((endedAt ? Date.parse(endedAt) : now.value) - Date.parse(startedAt))}</span>
          {figures?.usage && <UsageFigures usage={figures.usage} />}
          {isIdle && <span>{t('openUntilFinish')}</span>}
          {stuck && <span class="bad-text">{t('stuck')}</span>}
        </span>
      </Link>
    </li>
  );
}

/** Figures of ended runs by run id, which are final. */
const known = new Map<string, RunFigures>();
const AT_ONCE = 20;

/** Loads the figures in batches after the list, because each run must be queried. */
export function useFigures(runs: readonly ListedRun[]): Record<string, RunFigures> {
  const figures = useSignal<Record<string, RunFigures>>(Object.fromEntries(known));
  const names = runs.map(({ runId, phase, outcome }) => `${runId} ${phase} ${outcome}`).join();
  useEffect(() => {
    let open = true;
    const wanted = runs.filter(({ runId }) => !known.has(runId));
    void (async () => {
      for (let from = 0; open && from < wanted.length; from += AT_ONCE) {
        const part = wanted.slice(from, from + AT_ONCE);
        const query = part.map(({ id }) => `run=${encodeURIComponent(id)}`).join('&');
        const found: Record<string, RunFigures> = await get<typeof found>(`figures?${query}`).catch(
          () => ({}),
        );
        for (const { id, runId, endedAt } of part) {
          const of = found[id];
          if (of === undefined) continue;
          if (endedAt !== null) known.set(runId, of);
          figures.value = { ...figures.value, [runId]: of };
        }
      }
    })();
    return () => {
      open = false;
    };
  }, [names]);
  return figures.value;
}
