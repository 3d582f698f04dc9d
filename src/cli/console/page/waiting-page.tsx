/** All that waits for a person, in all runs, oldest first. */
import { waiting } from './state.js';

export function WaitingPage() {
  if (waiting.value === null) return <p>…</p>;
  if (waiting.value.length === 0) return <p>Nothing waits for you.</p>;
  return (
    <ul>
      {waiting.value.map(({ run, goal, gate }) => (
        <li key={`${run} ${gate.id}`}>
          <strong>{gate.title}</strong> <a href={`/runs/${encodeURIComponent(run)}`}>{goal ?? run}</a>
        </li>
      ))}
    </ul>
  );
}
