/** All runs and stored conversations as one list, newest first, found by their goals and by all that was said in them. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Hit, ListedRun, SessionLine } from 'steersman/client';
import { get } from '../ask.js';
import { draft } from '../parts/draft.js';
import { Link } from '../parts/link.js';
import { Fault, faultWords } from '../parts/sending.js';
import { Ago } from '../parts/time.js';
import { messageHref, sessionHref } from '../sessions/session-href.js';
import { t } from '../words/words.js';
import { Filters, filterQuery, isNarrowed, wordsOf } from './filters.js';
import { areInSeveral, listEnd, MOST, mergedRows, PAGE } from './merged.js';
import { RunRow, useFigures, useRuns } from './run-list.js';

const TYPED_MS = 250;
/** After this time without the runs, stored conversations are listed alone. */
const LATE_MS = 2_000;

export function RunsPage() {
  const limit = useSignal(PAGE);
  const filter = draft('runs filter', '{}');
  const words = useSettled(wordsOf(filter.value));
  const narrowed = isNarrowed(filter.value);
  const query = `${filterQuery(filter.value, words)}&limit=${limit.value}`;
  const { runs, fault, isRead: areRunsRead } = useRuns(query);
  const { lines, hits, fault: keptFault } = useKept(words, limit.value);
  const isLate = useLate(query);
  // A conversation whose run is about to be listed would change its row under the pointer.
  const areKeptShown = areRunsRead || fault !== null || isLate;
  // The store does not know which of its conversations are open or how they ended.
  const rows = mergedRows(runs ?? [], narrowed || !areKeptShown ? [] : (lines ?? []));
  const isRead = areRunsRead && lines !== null;
  const end = listEnd(limit.value, { runs, lines });
  return (
    <>
      <header class="page-head">
        <h1>{t('runs')}</h1>
      </header>
      <Filters filter={filter} />
      <Fault of={fault ?? keptFault} />
      {!isRead && fault === null && keptFault === null && <p class="muted">{t('loading')}</p>}
      {isRead && rows.length === 0 && hits.length === 0 && (
        <div class="empty">
          <p>{t(words !== '' || narrowed ? 'noRuns' : 'noRunsYet')}</p>
          <p>
            <Link to="/">{t('startOne')}</Link>
          </p>
        </div>
      )}
      <Rows rows={rows} />
      {end === 'more' && (
        <button type="button" class="quiet" onClick={() => (limit.value += PAGE)}>
          {t('showMore')}
        </button>
      )}
      {end === 'newest' && <p class="muted">{t('onlyNewest', { count: MOST })}</p>}
      {hits.length > 0 && <Hits hits={hits} words={words} />}
    </>
  );
}

function Rows({ rows }: { rows: ReturnType<typeof mergedRows> }) {
  const runs = rows.flatMap((row): ListedRun[] => (row.kind === 'run' ? [row.run] : []));
  const figures = useFigures(runs);
  const isPlaced = areInSeveral(rows.map(row => (row.kind === 'run' ? row.run : row.line)));
  return (
    <ul class="rows" aria-label={t('runs')}>
      {rows.map(row =>
        row.kind === 'run' ? (
          <RunRow
            key={row.run.runId}
            run={row.run}
            figures={figures[row.run.runId] ?? null}
            isPlaced={isPlaced}
          />
        ) : (
          <StoredRow key={row.line.id} line={row.line} />
        ),
      )}
    </ul>
  );
}

function StoredRow({ line: { id, title, workspace, changedAt, parent } }: { line: SessionLine }) {
  return (
    <li>
      <Link to={sessionHref(id)} class="row">
        <span class="row-state">
          <span class="chip">{t('kept')}</span>
        </span>
        <span class="row-text">{title || id}</span>
        <span class="row-facts muted">
          <span>{id}</span>
          <Ago at={changedAt} />
          <span>{workspace}</span>
          {parent && <span>{t('branchOf', { id: parent.session })}</span>}
        </span>
      </Link>
    </li>
  );
}

/** Returns the text once a person has stopped typing. */
function useSettled(text: string): string {
  const settled = useSignal(text);
  useEffect(() => {
    const timer = setTimeout(() => (settled.value = text), TYPED_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled.value;
}

/** True once the query has been the same for some time. */
function useLate(query: string): boolean {
  const late = useSignal<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => (late.value = query), LATE_MS);
    return () => {
      clearTimeout(timer);
      late.value = null;
    };
  }, [query]);
  return late.value === query;
}

function useKept(words: string, limit: number) {
  const lines = useSignal<SessionLine[] | null>(null);
  const hits = useSignal<Hit[]>([]);
  const fault = useSignal<string | null>(null);
  useEffect(() => {
    let open = true;
    const query = encodeURIComponent(words);
    const look = async () => {
      const [listed, found] = await Promise.all([
        get<SessionLine[]>(`sessions?limit=${limit}&text=${query}`),
        words === '' ? [] : get<Hit[]>(`search?text=${query}`),
      ]);
      if (!open) return;
      lines.value = listed;
      hits.value = found;
      fault.value = null;
    };
    look().catch(error => {
      if (open) fault.value = faultWords(error);
    });
    return () => {
      open = false;
    };
  }, [words, limit]);
  return { lines: lines.value, hits: hits.value, fault: fault.value };
}

function Hits({ hits, words }: { hits: readonly Hit[]; words: string }) {
  return (
    <>
      <h2 class="list-head">{t('said')}</h2>
      <ul class="rows" aria-label={t('said')}>
        {hits.map(({ session, chain, workflowId, message, at, text }) => (
          <li key={`${chain} ${message}`}>
            <Link to={messageHref(session, workflowId, message)} class="row plain-row">
              <span class="row-text hit">
                <Marked text={text} words={words} />
              </span>
              <span class="row-facts muted">
                <span>{session}</span>
                <Ago at={at} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Highlights the searched words. */
function Marked({ text, words }: { text: string; words: string }) {
  if (words.trim() === '') return <>{text}</>;
  const wanted = words
    .trim()
    .split(/\s+/)
    .map(word => word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'));
  const parts = text.split(new RegExp(`(${wanted.join('|')})`, 'giu'));
  return <>{parts.map((part, at) => (at % 2 === 1 ? <mark key={`${at} ${part}`}>{part}</mark> : part))}</>;
}
