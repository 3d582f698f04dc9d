/** Lists the stored conversations, found by title or by any word in a message. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Hit, SessionLine } from 'steersman/client';
import { get } from '../ask.js';
import { draft } from '../parts/draft.js';
import { Link } from '../parts/link.js';
import { Fault, faultWords } from '../parts/sending.js';
import { Ago } from '../parts/time.js';
import { t } from '../words/words.js';

const TYPED_MS = 250;
const PAGE = 50;
const MOST = 200;

export function SessionsPage() {
  const text = draft('sessions search');
  const sessions = useSignal<SessionLine[] | null>(null);
  const hits = useSignal<Hit[]>([]);
  const fault = useSignal<string | null>(null);
  const limit = useSignal(PAGE);
  useEffect(() => {
    let open = true;
    const wanted = text.value.trim();
    const query = encodeURIComponent(wanted);
    const look = async () => {
      const [listed, found] = await Promise.all([
        get<SessionLine[]>(`sessions?limit=${limit.value}&text=${query}`),
        wanted === '' ? [] : get<Hit[]>(`search?text=${query}`),
      ]);
      if (!open) return;
      sessions.value = listed;
      hits.value = found;
      fault.value = null;
    };
    const timer = setTimeout(
      () =>
        void look().catch(error => {
          if (open) fault.value = faultWords(error);
        }),
      sessions.peek() === null ? 0 : TYPED_MS,
    );
    return () => {
      open = false;
      clearTimeout(timer);
    };
  }, [text.value, limit.value]);
  return (
    <>
      <header class="page-head">
        <h1>{t('sessions')}</h1>
      </header>
      <search class="filters">
        <input
          type="search"
          aria-label={t('searchSaid')}
          placeholder={t('searchSaid')}
          value={text.value}
          onInput={event => (text.value = event.currentTarget.value)}
        />
      </search>
      <Fault of={fault.value} />
      {sessions.value === null && fault.value === null && <p class="muted">{t('loading')}</p>}
      {sessions.value?.length === 0 && hits.value.length === 0 && (
        <p class="empty">{t(text.value.trim() === '' ? 'noSessionsYet' : 'noSessions')}</p>
      )}
      <ul class="rows" aria-label={t('sessions')}>
        {sessions.value?.map(line => (
          <SessionRow key={line.id} line={line} />
        ))}
      </ul>
      {sessions.value?.length === limit.value &&
        (limit.value < MOST ? (
          <button type="button" class="quiet" onClick={() => (limit.value += PAGE)}>
            {t('showMore')}
          </button>
        ) : (
          <p class="muted">{t('onlyNewest', { count: MOST })}</p>
        ))}
      {hits.value.length > 0 && <Hits hits={hits.value} words={text.value} />}
    </>
  );
}

function SessionRow({ line: { id, title, workspace, changedAt, parent } }: { line: SessionLine }) {
  return (
    <li>
      <Link to={sessionHref(id)} class="row plain-row">
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

function Hits({ hits, words }: { hits: readonly Hit[]; words: string }) {
  return (
    <>
      <h2>{t('said')}</h2>
      <ul class="rows" aria-label={t('said')}>
        {hits.map(({ session, chain, message, at, text }) => (
          <li key={`${chain} ${message}`}>
            <Link to={sessionHref(session)} class="row plain-row">
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

export function sessionHref(id: string): string {
  return `/sessions/${encodeURIComponent(id)}`;
}
