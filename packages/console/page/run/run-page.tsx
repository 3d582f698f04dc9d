/** The page of a run: its live conversation, its plan, its sub-agents, its artifacts, and a person's controls. */

import { signal } from '@preact/signals';
import { lazily } from '@steersman/components';
import { useEffect, useMemo } from 'preact/hooks';
import { waitingGate } from '../../waiting-gate.js';
import { RunHere } from '../components/here.js';
import { GateList } from '../gates/gate-list.js';
import { UsageFigures } from '../parts/figures.js';
import { Link } from '../parts/link.js';
import { RunModel } from '../run-model.js';
import { follow, goWithin, hash, leave } from '../state.js';
import { said, t, type Word } from '../words/words.js';
import { Chat, FollowEnd } from './chat.js';
import { Composer } from './composer.js';
import { RunHead } from './head.js';
import { Plan } from './plan.js';
import { UsagePanel } from './usage.js';

const Agents = lazily(() => import('./agents.js').then(({ Agents }) => Agents));
const Calls = lazily(() => import('./calls/calls.js').then(({ Calls }) => Calls));
const Files = lazily(() => import('./files/files.js').then(({ Files }) => Files));
const Artifacts = lazily(() => import('./artifacts.js').then(({ Artifacts }) => Artifacts));
const StartForm = lazily(() => import('../home/start-form.js').then(({ StartForm }) => StartForm));
const TimelineView = lazily(() => import('./timeline/timeline.js').then(({ TimelineView }) => TimelineView));

const TABS = [
  'conversation',
  'plan',
  'timeline',
  'files',
  'modelCalls',
  'agents',
  'artifacts',
  'usage',
] as const satisfies Word[];
type Tab = (typeof TABS)[number];

const WIDE = matchMedia('(min-width: 1000px)');
const isWide = signal(WIDE.matches);
WIDE.addEventListener('change', () => {
  isWide.value = WIDE.matches;
});
/** Panels next to the conversation on a wide screen. */
const ASIDE: readonly Tab[] = ['plan', 'usage'];

export function RunPage({ id }: { id: string }) {
  const run = useMemo(() => new RunModel(id), [id]);
  useEffect(() => {
    follow(run);
    return () => leave(id);
  }, [run]);
  void run.version.value;
  const ended = hasEnded(run);
  const here = useMemo(() => ({ id, ended }), [id, ended]);
  if (run.lost !== null && run.snapshot === null)
    return (
      <div class="ended">
        <p class="fault" role="alert">
          {said(run.lost)}
        </p>
        <p>{t('lostRun')}</p>
        <p>
          <Link to="/runs">{t('seeRuns')}</Link>
        </p>
      </div>
    );
  const wide = isWide.value;
  const tabs = TABS.filter(each => !(wide && ASIDE.includes(each)));
  const at = tabs.find(each => each === hash.value) ?? 'conversation';
  return (
    <RunHere.Provider value={here}>
      <div class="run">
        <RunHead run={run} />
        <nav class="tabs" aria-label={t('views')}>
          {tabs.map(each => (
            <button
              key={each}
              type="button"
              aria-current={each === at ? 'true' : undefined}
              data-tab={each}
              onClick={() => goWithin(each)}
            >
              {t(each)}
              <Count run={run} of={each} />
            </button>
          ))}
        </nav>
        <div class="columns">
          <div class="column">
            <View tab={at} run={run} />
          </div>
          {wide && (
            <aside>
              <Plan run={run} />
              <UsagePanel run={run} />
            </aside>
          )}
        </div>
      </div>
    </RunHere.Provider>
  );
}

function hasEnded({ ended, snapshot }: RunModel): boolean {
  return ended || (snapshot !== null && snapshot.endedAt !== null);
}

function Count({ run, of }: { run: RunModel; of: Tab }) {
  void run.version.value;
  const counts: Partial<Record<Tab, number>> = {
    agents: run.snapshot?.children.length ?? 0,
    artifacts: run.snapshot?.artifacts.length ?? 0,
    plan: run.snapshot?.tasks.length ?? 0,
  };
  const count = counts[of] ?? 0;
  return count === 0 ? null : <small> {count}</small>;
}

function View({ tab, run }: { tab: Tab; run: RunModel }) {
  switch (tab) {
    case 'conversation':
      return <Conversation run={run} />;
    case 'timeline':
      return <TimelineView run={run} />;
    case 'plan':
      return <Plan run={run} />;
    case 'files':
      return <Files run={run} />;
    case 'modelCalls':
      return <Calls run={run} />;
    case 'agents':
      return <Agents run={run} />;
    case 'artifacts':
      return <Artifacts run={run} />;
    case 'usage':
      return <UsagePanel run={run} />;
  }
}

function Conversation({ run }: { run: RunModel }) {
  void run.version.value;
  const { snapshot } = run;
  const open = snapshot?.gates ?? [];
  const gates = useMemo(
    () => (snapshot ? open.map(gate => waitingGate({ ...snapshot, id: run.id }, gate)) : []),
    // The ids of open gates, their deadlines, and if their arguments are known.
    [JSON.stringify(open.map(({ id, deadline }) => [id, deadline, snapshot?.inputs[id] !== undefined]))],
  );
  return (
    <FollowEnd>
      <Chat run={run} />
      <GateList gates={gates} inRun />
      {hasEnded(run) ? (
        <div class="ended">
          {snapshot?.usage && <UsageFigures usage={snapshot.usage} />}
          <StartForm isSmall after={run.id} workspace={snapshot?.workspace ?? null} />
        </div>
      ) : (
        <Composer run={run} />
      )}
    </FollowEnd>
  );
}
