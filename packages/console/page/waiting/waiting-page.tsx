/** The page of all open gates of all runs, oldest first. */
import { GateList } from '../gates/gate-list.js';
import { Link, runHref } from '../parts/link.js';
import { moreWait, untold, waiting } from '../state.js';
import { t } from '../words/words.js';
import { canNotify, notify } from './notify.js';

export function WaitingPage() {
  const gates = waiting.value;
  return (
    <>
      <header class="page-head">
        <h1>{t('waitingTitle')}</h1>
        {canNotify.value && (
          <button type="button" class="quiet" onClick={notify}>
            {t('notifyMe')}
          </button>
        )}
      </header>
      {gates === null && <p class="muted">{t('loading')}</p>}
      {untold.value.map(({ run, goal }) => (
        <p key={run} class="fault">
          {t('noWorkerTells')} <Link to={runHref(run)}>{goal ?? run}</Link>
        </p>
      ))}
      {gates?.length === 0 && untold.value.length === 0 && (
        <div class="empty">
          <p>{t('nothingWaits')}</p>
          <p>
            <Link to="/runs">{t('seeRuns')}</Link>
          </p>
        </div>
      )}
      {gates && <GateList gates={gates} />}
      {moreWait.value && <p class="muted">{t('moreWait')}</p>}
    </>
  );
}
