/** The head of a run's page: its name, its state, and the buttons that control it. */

import { useSignal } from '@preact/signals';
import { lazily } from '@steersman/components';
import { phaseOf } from '@steersman/view';
import { useMemo } from 'preact/hooks';
import { visibleText } from 'steersman/base';
import type { RunSnapshot } from 'steersman/client';
import { mayPass } from 'steersman/run';
import { post, runPath } from '../ask.js';
import { StateChip } from '../parts/figures.js';
import { Link, runHref } from '../parts/link.js';
import { Fault, useSending } from '../parts/sending.js';
import { Ago, now, wholeSeconds } from '../parts/time.js';
import type { RunModel } from '../run-model.js';
import { sessionHref, sessionOf } from '../sessions/session-href.js';
import { said, t } from '../words/words.js';

const Confirm = lazily(() => import('../parts/dialog.js').then(({ Confirm }) => Confirm));

export function RunHead({ run }: { run: RunModel }) {
  void run.version.value;
  const { snapshot, progress, ended } = run;
  const begun = snapshot ? Date.parse(snapshot.startedAt) : null;
  const end = snapshot?.endedAt ? Date.parse(snapshot.endedAt) : now.value;
  const outcome = ended || snapshot?.endedAt ? (snapshot?.outcome ?? null) : null;
  const given = snapshot?.goal ?? progress.goal;
  // The head is drawn anew with each event.
  const goal = useMemo(() => visibleText(given), [given]);
  const phase = phaseOf(run);
  const isIdle = phase === 'idle';
  const last = run.fold.items.findLast(({ kind, path }) => kind === 'answer' && path === '');
  const answered = isIdle && last?.kind === 'answer' ? last.outcome : null;
  const parent = run.id.includes('/') ? run.id.slice(0, run.id.split('/').slice(0, -2).join('/').length) : '';
  return (
    <>
      <header class="run-head">
        <div class="run-title">
          <h1 title={goal}>{goal || run.id}</h1>
          <Controls run={run} />
          {(outcome !== null || isIdle) && snapshot && <Again snapshot={snapshot} />}
        </div>
        <p class="about">
          <StateChip outcome={outcome ?? answered} phase={phase} isOpen={isIdle} />
          {parent === '' ? (
            <Link to={sessionHref(sessionOf(run.id))}>{t('wholeConversation')}</Link>
          ) : (
            <Link to={runHref(parent)}>↑ {parent}</Link>
          )}
          <span>{run.id}</span>
          {snapshot?.mode && <span>{snapshot.mode}</span>}
          {snapshot?.model && <span>{snapshot.model}</span>}
          {begun !== null && <Ago at={begun} />}
          {begun !== null && <span class="clock">{wholeSeconds(end - begun)}</span>}
          {snapshot?.workspace && <span class="path">{snapshot.workspace}</span>}
        </p>
        {snapshot?.stuck && <p class="fault">{t('stuck')}</p>}
        {snapshot?.failure && (
          <p class="fault">
            {said(snapshot.failure.message, snapshot.cause)} {mayPass(snapshot.cause) && t('tryLater')}
          </p>
        )}
        {run.lost !== null && <p class="fault">{said(run.lost)}</p>}
      </header>
      {snapshot && !snapshot.answered && snapshot.endedAt === null && (
        <p class="fault no-worker">{t('noWorker')}</p>
      )}
    </>
  );
}

/** Opens the start form with the settings of this run, so that a person can change one, such as the model. */
function Again({ snapshot }: { snapshot: RunSnapshot }) {
  const sending = useSending();
  const begin = async () => (await import('../home/start-again.js')).startAgain(snapshot);
  return (
    <button type="button" onClick={() => void sending.send(begin)}>
      {t('startAgain')}
    </button>
  );
}

type Verb = 'pause' | 'resume' | 'stop' | 'cancel' | 'finish';

function Controls({ run }: { run: RunModel }) {
  void run.version.value;
  const sending = useSending();
  const asking = useSignal<'stop' | 'cancel' | null>(null);
  const { snapshot, progress, ended } = run;
  if (ended || !snapshot || snapshot.endedAt !== null) return null;
  const ask = (verb: Verb) => void sending.send(() => post(runPath(run.id, verb)));
  const paused = progress.paused || snapshot.paused || snapshot.pausedAgents.length > 0;
  const stopping = progress.stopping || snapshot.stopping;
  return (
    <div class="controls">
      <button type="button" disabled={sending.busy} onClick={() => ask(paused ? 'resume' : 'pause')}>
        {paused ? t('resume') : t('pause')}
      </button>
      {snapshot.phase === 'idle' ? (
        <button type="button" disabled={sending.busy} onClick={() => ask('finish')}>
          {t('finish')}
        </button>
      ) : (
        <button type="button" disabled={sending.busy || stopping} onClick={() => (asking.value = 'stop')}>
          {stopping ? t('stopping') : t('stop')}
        </button>
      )}
      <button type="button" class="bad" disabled={sending.busy} onClick={() => (asking.value = 'cancel')}>
        {t('cancel')}
      </button>
      <Fault of={sending.fault} />
      {asking.value !== null && (
        <Confirm
          title={asking.value === 'stop' ? t('stopTitle') : t('cancelTitle')}
          text={asking.value === 'stop' ? t('stopText') : t('cancelText')}
          yes={asking.value === 'stop' ? t('stopRun') : t('cancelRun')}
          onYes={() => asking.value && ask(asking.value)}
          onClose={() => (asking.value = null)}
        />
      )}
    </div>
  );
}
