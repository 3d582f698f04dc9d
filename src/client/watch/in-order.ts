/** Merges the events of a run and its sub-agents, which are read separately, into one stream in order of time. Pure. */
import type { RunEvent } from './run-event.js';

/** Events of a sub-agent and of those below it. `id`: the sub-agent's in the run. */
export interface ChildEvents {
  id: string;
  events: readonly RunEvent[];
}

/** New events of a run and of its sub-agents, each list in the order of a journal. */
export interface NewsRead {
  own: RunEvent[];
  children: ChildEvents[];
}

/** Orders events by time: an agent's events stay between its start and its end. */
export function inOrder({ own, children }: NewsRead): RunEvent[] {
  const streams = children.map(({ id, events }) => ({ id, rest: timed(events) }));
  const ordered: RunEvent[] = [];
  const tell = (streamsToTell: typeof streams, before: number) => {
    for (;;) {
      const [first] = streamsToTell
        .filter(({ rest }) => (rest[0]?.at ?? before) < before)
        .sort((a, b) => (a.rest[0]?.at ?? 0) - (b.rest[0]?.at ?? 0));
      const next = first?.rest.shift();
      if (!next) return;
      ordered.push(next.event);
    }
  };
  const begins = new Set(own.flatMap(event => idOf(event, 'subagent_started') ?? []));
  for (const { at, event } of timed(own)) {
    tell(
      streams.filter(({ id }) => !begins.has(id)),
      at,
    );
    const ended = idOf(event, 'subagent_ended');
    // The sub-agent may have used another server's clock, but its end still comes last.
    if (ended !== null)
      tell(
        streams.filter(({ id }) => id === ended),
        Number.POSITIVE_INFINITY,
      );
    ordered.push(event);
    const begun = idOf(event, 'subagent_started');
    if (begun !== null) begins.delete(begun);
  }
  tell(streams, Number.POSITIVE_INFINITY);
  return ordered;
}

function idOf(event: RunEvent, type: 'subagent_started' | 'subagent_ended'): string | null {
  return event.type === type ? event.id : null;
}

/** A sub-agent's clock may be another server's, but its end still comes last. */
function timed(events: readonly RunEvent[]): { at: number; event: RunEvent }[] {
  let at = 0;
  return events.map(event => {
    if ('seq' in event) at = Math.max(at, event.at);
    return { at, event };
  });
}
