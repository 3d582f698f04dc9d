/** What must hold of a run and its agents after a chaos, told from what is left of them and the tools' own log. */

import { textOf } from '../../../src/run/messages/message.js';
import type { JournalEvent } from '../../../src/run/state/journal.js';
import type { Receipt } from '../../../src/run/steering/receipt.js';
import type { FakeMcpEvent } from '../fake-mcp-server.js';
import { endsWell } from './kinds.js';
import type { People } from './people.js';
import { eventsOf, firstOf, isTerminated, type RunRecord } from './records.js';
import { runFaults } from './run-findings.js';
import { usageFaults } from './usage-findings.js';

export interface Evidence {
  people: People;
  /** The run first, then its agents. */
  records: readonly RunRecord[];
  /** Of all runs. */
  toolLog: readonly FakeMcpEvent[];
  /** Its model misbehaves: a run may end without success. */
  mayFail: boolean;
}

/** Sentences about what is wrong; none when all is well. */
export function faultsOf(evidence: Evidence): string[] {
  const { people, records, toolLog, mayFail } = evidence;
  return [
    ...people.faults,
    ...watcherFaults(people),
    ...(mayFail ? [] : outcomeFaults(people)),
    ...records.flatMap(record => (record.end ? [] : [`${record.id} is left open`])),
    ...messageFaults(evidence),
    ...gateFaults(people),
    ...usageFaults(records),
    ...turnFaults(people),
    ...records.flatMap(record => runFaults(record, { toolLog, draft: people.draft })),
    ...approvalFaults(evidence),
  ];
}

/** Each event once, in order, from the first to the last; of agents all but their gates, which their run asks. */
function watcherFaults({ events, agentEvents, end, toldOfGap }: People): string[] {
  const faults = end === null ? ['the watcher did not see the end'] : [];
  const odd = events.find(({ seq }, index) => seq !== index + 1);
  if (odd) faults.push(`the watcher saw event ${odd.seq} (${odd.type}) as number ${events.indexOf(odd) + 1}`);
  for (const [agent, told] of agentEvents) {
    const late = told.find(({ seq }, index) => seq <= (told[index - 1]?.seq ?? 0));
    if (late) faults.push(`the watcher saw event ${late.seq} (${late.type}) of ${agent} twice, or too late`);
  }
  const last = events.findLast(event => !isRefusal(event));
  if (end !== null && !toldOfGap && last?.type !== 'run_ended') {
    faults.push(`the last event that the watcher saw is ${last?.type}`);
  }
  return faults;
}

/** A message that comes while an ended run stores its conversation is refused after `run_ended`. */
function isRefusal(event: JournalEvent): boolean {
  return event.type === 'signal_ignored' || (event.type === 'receipt' && event.state === 'dropped');
}

function outcomeFaults({ draft, end }: People): string[] {
  if (end === null || endsWell(draft, end)) return [];
  return [`the outcome is ${end.outcome} (${end.cause}): ${end.failure?.message}`];
}

/** What is asked is settled once, and nothing is open at the end. */
function gateFaults({ events, toldOfGap }: People): string[] {
  if (toldOfGap) return [];
  const opened = events.filter(event => event.type === 'gate_opened');
  return opened.flatMap(({ gateId, kind }) => {
    const times = events.filter(event => event.type === 'gate_closed' && event.gateId === gateId).length;
    return times === 1 ? [] : [`the gate ${gateId} (${kind}) was closed ${times} times`];
  });
}

/** No goal has more turns than its limit, over all its agents. */
function turnFaults({ draft, end }: People): string[] {
  const { attended, limits } = draft.settings;
  const most = limits?.turns ?? Number.POSITIVE_INFINITY;
  // A person may have given it more.
  if (attended) return [];
  return (end?.result?.goals ?? []).flatMap(({ number, turns }) =>
    turns <= most ? [] : [`goal ${number} took ${turns} turns of ${most}`],
  );
}

/** Of people: what they were told. */
interface Heard {
  people: Pick<People, 'events' | 'toldOfGap'>;
  records: readonly RunRecord[];
}

/**
 * Each message that the server took is in one conversation of the tree, once, or in none, and its sender was told so;
 * never both.
 */
export function messageFaults({ people, records }: Heard): string[] {
  const said = records.flatMap(({ threads }) =>
    threads
      .flat()
      .flatMap(message =>
        message.kind === 'user' && (message.purpose === 'steer' || message.purpose === 'goal')
          ? [textOf(message)]
          : [],
      ),
  );
  return arrivals(records).flatMap(({ id, text }) => {
    const places = said.filter(each => each.includes(text)).length;
    return records.length === 1
      ? ownMessageFaults(people, id, places)
      : passedMessageFaults({ people, records }, id, places);
  });
}

function ownMessageFaults({ events, toldOfGap }: Heard['people'], id: string, places: number): string[] {
  const told = receiptsOf(events, id);
  const receipts = told.map(({ state }) => state);
  if (toldOfGap && receipts.length < 2) return [];
  const endedAt = events.findLast(({ type }) => type === 'run_ended')?.seq ?? Number.POSITIVE_INFINITY;
  const isLate = told.length === 1 && told.every(event => isRefusal(event) && event.seq > endedAt);
  if (isLate) return places === 0 ? [] : [`${id} was refused and is in the conversation ${places} times`];
  const ends = receipts.filter(status => status === 'applied' || status === 'dropped');
  if (receipts[0] !== 'accepted') return [`${id} has the receipts ${receipts.join(', ') || 'none'}`];
  if (ends.length !== 1) return [`${id} ended ${ends.length} times: ${receipts.join(', ')}`];
  const due = ends[0] === 'applied' ? 1 : 0;
  return places === due ? [] : [`${id} was ${ends[0]} and is in the conversation ${places} times`];
}

/** One that agents have, or had. */
function passedMessageFaults({ people, records }: Heard, id: string, places: number): string[] {
  const last = records.map(({ journal }, index) =>
    receiptsOf(index === 0 ? people.events : journal, id).at(-1),
  );
  // Of an agent that was terminated no conversation is left: what it read, its caller was told.
  const isWithLost = records
    .filter(isTerminated)
    .some(lost => records.some((caller, index) => `${caller.id}/${readerIn(last[index])}` === lost.id));
  const readers = places + Number(isWithLost);
  // What goes back is read by the caller, or dropped there.
  const isDropped = last.some(receipt => receipt?.state === 'dropped' && !receipt.how.includes('goes back'));
  if (readers === 1 || (readers === 0 && isDropped)) return [];
  const told = last.map(receipt => receipt?.how ?? '—').join(' | ');
  return [`${id} is in ${readers} conversations: ${told}`];
}

/** The way to the agent that read a message by this receipt. */
function readerIn(receipt: Receipt | undefined): string | undefined {
  return /^Read by ([^ .,]+)/.exec(receipt?.how ?? '')?.[1];
}

function receiptsOf(events: readonly JournalEvent[], id: string) {
  return events.filter(event => event.type === 'receipt').filter(event => event.id === id);
}

/**
 * Messages in the order in which the server took them, each once; without those that were sent to runs that nobody
 * knows any more, or to theirs.
 */
function arrivals(records: readonly RunRecord[]): { id: string; text: string }[] {
  const lost = records.filter(isTerminated).map(({ id }) => `${id}/`);
  const known = records.filter(({ id }) => !lost.some(gone => `${id}/`.startsWith(gone)));
  const messages = known.flatMap(record =>
    eventsOf(record).flatMap(({ workflowExecutionSignaledEventAttributes: signal }) => {
      if (signal?.signalName !== 'steer' && signal?.signalName !== 'followUp') return [];
      return firstOf<{ id: string; text: string }>(signal.input) ?? [];
    }),
  );
  return [...new Map(messages.map(message => [message.id, message])).values()];
}

/** Where each effect is a person's to allow, one did. */
function approvalFaults({ people: { draft, approved }, records, toolLog }: Evidence): string[] {
  if (draft.settings.autoApprove) return [];
  const runs = new Set(records.map(({ id }) => id));
  const lines = toolLog
    .filter(({ event, _meta }) => event === 'effect' && runs.has(String(_meta?.['steersman/runId'])))
    .flatMap(({ args }) => /^line \d+/.exec(String(args?.line)) ?? []);
  return lines.flatMap(line => {
    const isAllowed = approved.some(
      gate => gate.kind === 'approval' && new RegExp(`${line}\\b`).test(gate.subject.arguments),
    );
    return isAllowed ? [] : [`${line} was written, and nobody allowed it`];
  });
}
