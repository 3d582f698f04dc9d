/** Draws the tree of a run's sub-agents: the task, current work and usage of each. */

import { useSignal } from '@preact/signals';
import { lastWords } from '@steersman/view';
import { useEffect } from 'preact/hooks';
import type { RunSnapshot } from 'steersman/client';
import { get, runPath } from '../ask.js';
import { StateChip, UsageFigures } from '../parts/figures.js';
import { Link, runHref } from '../parts/link.js';
import { Fault, faultWords } from '../parts/sending.js';
import type { RunModel } from '../run-model.js';
import { t } from '../words/words.js';

/** The client's `ChildTree`. */
type Tree = RunSnapshot['children'][number] & { usage: RunSnapshot['usage']; children: Tree[] };

export function Agents({ run }: { run: RunModel }) {
  void run.version.value;
  const tree = useSignal<Tree[] | null>(null);
  const fault = useSignal<string | null>(null);
  const records = run.snapshot?.children ?? [];
  useEffect(() => {
    if (records.length === 0) return;
    get<Tree[]>(runPath(run.id, 'children')).then(
      found => (tree.value = found),
      error => (fault.value = faultWords(error)),
    );
  }, [records.map(({ id, outcome }) => `${id} ${outcome}`).join()]);
  if (records.length === 0) return <p class="empty">{t('noAgents')}</p>;
  return (
    <section class="panel" aria-label={t('agents')}>
      <Fault of={fault.value} />
      <Branch
        run={run}
        path=""
        agents={tree.value ?? records.map(each => ({ ...each, usage: null, children: [] }))}
      />
    </section>
  );
}

function Branch({ run, path, agents }: { run: RunModel; path: string; agents: readonly Tree[] }) {
  void run.version.value;
  return (
    <ul class="tree">
      {agents.map(({ id, agent, instruction, outcome, usage, children }) => {
        const way = path === '' ? id : `${path}/${id}`;
        const live = outcome === null ? run.progress.children.get(way) : undefined;
        return (
          <li key={id}>
            <p>
              <StateChip outcome={outcome} phase={live?.phase ?? 'running'} />{' '}
              <Link to={runHref(`${run.id}/${way}`)}>{id}</Link> <span class="muted">{agent}</span>{' '}
              {usage && <UsageFigures usage={usage} />}
            </p>
            <p class="muted">{instruction}</p>
            {[...(live?.calls ?? [])].map(([callId, call]) => (
              <p key={callId} class="agent-live">
                {call.role}: {lastWords(call, 200)}
              </p>
            ))}
            {[...(live?.tools ?? [])].map(([callId, { tool }]) => (
              <p key={callId} class="agent-live">
                {tool}
              </p>
            ))}
            {children.length > 0 && <Branch run={run} path={way} agents={children} />}
          </li>
        );
      })}
    </ul>
  );
}
