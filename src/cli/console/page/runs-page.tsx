/** Runs, newest first. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ListedRun } from '../../../client/index.js';
import { get } from './ask.js';

export function RunsPage() {
  const runs = useSignal<ListedRun[] | null>(null);
  useEffect(() => {
    void get<ListedRun[]>('runs').then(found => {
      runs.value = found;
    });
  }, []);
  if (runs.value === null) return <p>…</p>;
  return (
    <ul>
      {runs.value.map(run => (
        <li key={run.runId}>
          <a href={`/runs/${encodeURIComponent(run.id)}`}>{run.goal ?? run.id}</a> {run.outcome ?? run.phase}
        </li>
      ))}
    </ul>
  );
}
