/** The first page: a goal to start, what waits for a person, what runs, what ended lately, and what it cost. */
import { useSignal } from '@preact/signals';
import { lazily } from '@steersman/components';
import { useEffect } from 'preact/hooks';
import { visibleText } from 'steersman/base';
import type { SessionLine } from 'steersman/client';
import { get } from '../ask.js';
import { GateList } from '../gates/gate-list.js';
import { Fold } from '../parts/fold.js';
import { Link, runHref } from '../parts/link.js';
import { Fault } from '../parts/sending.js';
import { RunList, useRuns } from '../runs/run-list.js';
import { moreWait, untold, waiting } from '../state.js';
import { canNotify, notify } from '../waiting/notify.js';
import { t } from '../words/words.js';
import { StartForm } from './start-form.js';

const SpentView = lazily(() => import('./spent-view.js').then(({ SpentView }) => SpentView));

/** The number of newest runs among which running and recently ended ones are looked for. */
const LOOKED_AT = 30;
const ENDED_SHOWN = 6;

export function HomePage() {
  const { runs, fault } = useRuns(`limit=${LOOKED_AT}`);
  const open = runs?.filter(({ endedAt, waiting: gate }) => endedAt === null && gate === null) ?? [];
  const ended = runs?.filter(({ endedAt }) => endedAt !== null).slice(0, ENDED_SHOWN) ?? [];
  return (
    <>
      <h1 class="sr">{t('home')}</h1>
      <StartForm isSmall={(waiting.value?.length ?? 0) > 0} />
      <Waiting />
      <Fault of={fault} />
      {open.length > 0 && (
        <section>
          <h2 class="list-head">{t('runningNow')}</h2>
          <RunList runs={open} label={t('runningNow')} />
        </section>
      )}
      {ended.length > 0 && (
        <section>
          <h2 class="list-head">{t('endedLately')}</h2>
          <RunList runs={ended} label={t('endedLately')} />
          <p class="more-link">
            <Link to="/runs">{t('seeRuns')}</Link>
          </p>
        </section>
      )}
      {runs?.length === 0 && <NoRuns />}
      {(runs?.length ?? 0) > 0 && (
        <Fold class="card spent-fold" summary={t('spent')}>
          {() => <SpentView />}
        </Fold>
      )}
    </>
  );
}

/** Temporal forgets runs some days after their end; the store does not. */
function NoRuns() {
  const kept = useSignal<number | null>(null);
  useEffect(() => {
    get<SessionLine[]>('sessions?limit=1').then(
      lines => (kept.value = lines.length),
      () => (kept.value = 0),
    );
  }, []);
  if (kept.value === null) return null;
  if (kept.value === 0) return <p class="empty">{t('nothingYet')}</p>;
  return (
    <p class="more-link">
      <Link to="/runs">{t('seeRuns')}</Link>
    </p>
  );
}

function Waiting() {
  const gates = waiting.value;
  const isQuiet = gates !== null && gates.length === 0 && untold.value.length === 0;
  return (
    <section aria-label={t('waitingTitle')}>
      <header class="page-head list-head">
        <h2>{isQuiet ? t('nothingWaits') : t('waitingTitle')}</h2>
        {canNotify.value && (
          <button type="button" class="quiet small" onClick={notify}>
            {t('notifyMe')}
          </button>
        )}
      </header>
      {gates === null && <p class="muted">{t('loading')}</p>}
      {untold.value.map(({ run, goal }) => (
        <p key={run} class="fault">
          {t('noWorkerTells')} <Link to={runHref(run)}>{visibleText(goal ?? run)}</Link>
        </p>
      ))}
      {gates && <GateList gates={gates} />}
      {moreWait.value && <p class="muted">{t('moreWait')}</p>}
    </section>
  );
}
