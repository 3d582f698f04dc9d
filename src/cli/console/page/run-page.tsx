/** One run: what was said and done, live. */
import { useEffect, useMemo } from 'preact/hooks';
import { follow, leave } from './state.js';

export function RunPage({ id }: { id: string }) {
  const run = useMemo(() => follow(id), [id]);
  useEffect(() => () => leave(id), [id]);
  // Drawn again at each change.
  void run.version.value;
  return (
    <>
      <h1>{run.snapshot?.goal ?? id}</h1>
      <p>{run.lost ?? run.snapshot?.outcome ?? run.progress.phase}</p>
      <ol>
        {run.events.slice(-200).map(event => (
          <li key={`${event.path ?? ''} ${event.seq}`}>{event.type}</li>
        ))}
      </ol>
      {[...run.progress.calls].map(([callId, call]) => (
        <p key={callId}>
          {call.role}: {call.text}
        </p>
      ))}
    </>
  );
}
