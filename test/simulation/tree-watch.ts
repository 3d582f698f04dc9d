/** What holds over a whole tree of runs: what one tells another is what that one knows. */

import { textOf } from '../../src/run/messages/message.js';
import type { JournalEvent } from '../../src/run/state/journal.js';
import { expectThat } from './expect-that.js';
import type { Tree } from './tree.js';

export function expectTreeHolds({ members }: Pick<Tree, 'members'>): void {
  const told = new Map<string, string[]>();
  for (const [path, { watcher }] of members) {
    const { transcript, journal } = watcher.record();
    const caller = members.get(callerOf(path));
    if (path !== '' && caller) {
      const id = path.split('/').slice(-2).join('/');
      const [asked, shown] = [
        closings(journal, ''),
        closings(caller.watcher.record().journal, `${id} asks: `),
      ];
      if (asked !== '') for (const by of asked.split(', ')) caller.watcher.seen.add(`gate of an agent ${by}`);
      expectThat(asked === shown, `${path} asked ${asked}, and its caller ${shown}`);
    }
    for (const [marker, id] of watcher.messages.passedOn) {
      const agent = members.get(path === '' ? id : `${path}/${id}`)?.watcher.messages;
      const has = agent?.knows(marker) === true && !agent.leftBehind.has(marker);
      expectThat(has, `${marker} was passed on to ${id} of ${path || 'the lead'}, which does not have it`);
    }
    for (const message of Object.values(transcript).flat()) {
      if (message.kind !== 'user' || (message.purpose !== 'steer' && message.purpose !== 'goal')) continue;
      for (const marker of textOf(message).match(/«\d+»/g) ?? [])
        told.set(marker, [...(told.get(marker) ?? []), `${path} ${message.id}`]);
    }
  }
  for (const [marker, positions] of told)
    expectThat(positions.length === 1, `${marker} is in ${positions.length} positions: ${positions}`);
}

function callerOf(path: string): string {
  return path.split('/').slice(0, -2).join('/');
}

/** How the gates closed whose titles begin so; what is open at the end of a run is overtaken by it. */
function closings(events: readonly JournalEvent[], prefix: string): string {
  const opened = events.flatMap(event =>
    event.type === 'gate_opened' && event.title.startsWith(prefix) ? [event.gateId] : [],
  );
  const closed = new Map(
    events.flatMap(event => (event.type === 'gate_closed' ? [[event.gateId, event.by]] : [])),
  );
  return opened
    .map(id => closed.get(id) ?? 'superseded')
    .sort()
    .join(', ');
}
