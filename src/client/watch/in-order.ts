/** What happened in a run and in its sub-agents, read from each by itself, as one stream in the order of time. Pure. */
import type { RunEvent } from './run-event.js';

/** Of one sub-agent and its own, by its id in the run. */
export interface ChildEvents {
  id: string;
  events: readonly RunEvent[];
}

/** What a look at a run has read: of itself, and of its sub-agents, each in the order of its journal. */
export interface NewsRead {
  own: RunEvent[];
  children: ChildEvents[];
}

/** As it happened: an agent says nothing before it has begun, and nothing after its end. */
export function inOrder({ own, children }: NewsRead): RunEvent[] {
  const streams = children.map(({ id, events }) => ({ id, rest: timed(events) }));
  const told: RunEvent[] = [];
  const tell = (streamsToTell: typeof streams, before: number) => {
    for (;;) {
      const [first] = streamsToTell
        .filter(({ rest }) => (rest[0]?.at ?? before) < before)
        .sort((a, b) => (a.rest[0]?.at ?? 0) - (b.rest[0]?.at ?? 0));
      const next = first?.rest.shift();
      if (!next) return;
      told.push(next.event);
    }
  };
  const begins = new Set(own.flatMap(event => idOf(event, 'subagent_started') ?? []));
  for (const { at, event } of timed(own)) {
    tell(
      streams.filter(({ id }) => !begins.has(id)),
      at,
    );
    const ended = idOf(event, 'subagent_ended');
    // Its clock may be another server's: its end is its last word all the same.
    if (ended !== null)
      tell(
        streams.filter(({ id }) => id === ended),
        Number.POSITIVE_INFINITY,
      );
    told.push(event);
    const begun = idOf(event, 'subagent_started');
    if (begun !== null) begins.delete(begun);
  }
  tell(streams, Number.POSITIVE_INFINITY);
  return told;
}

function idOf(event: RunEvent, type: 'subagent_started' | 'subagent_ended'): string | null {
  return event.type === type ? event.id : null;
}

/** Live text has no time: it goes with the event before it. */
function timed(events: readonly RunEvent[]): { at: number; event: RunEvent }[] {
  let at = 0;
  return events.map(event => {
    if ('seq' in event) at = Math.max(at, event.at);
    return { at, event };
  });
}
