/** Follows messages of people: none is lost or doubled, and each thread has them in the order of arrival. */

import type { Message } from '../../src/run/messages/message.js';
import { textOf } from '../../src/run/messages/message.js';
import type { JournalEvent } from '../../src/run/state/journal.js';
import type { RunState } from '../../src/run/state/run-state.js';
import { expectThat } from './expect-that.js';
import type { Promises } from './promises.js';

type Receipt = Extract<JournalEvent, { type: 'receipt' }>;

export class MessageWatch {
  readonly #markers: string[] = [];
  readonly #promises: Promises;
  #trimmed = false;
  readonly #withdrawn = new Set<string>();
  readonly #startedRuns: string[] = [];
  /** Markers by the id under which they were accepted. */
  readonly #accepted = new Map<string, { marker: string; to: string | null; arrival: number }>();
  /** Markers of what went to an agent and did not come back, with that agent. */
  readonly passedOn = new Map<string, string>();
  /** Markers of what an agent leaves to its caller. */
  readonly leftBehind = new Set<string>();
  /** Markers of what was passed on once: where it came back, it came later than others. */
  readonly #late = new Set<string>();

  constructor(promises: Promises) {
    this.#promises = promises;
  }

  /** `receive` takes it: what it accepts waits in the inbox then, or was passed on to an agent. */
  sends({ people: { inbox }, log: { journal } }: RunState, marker: string, receive: () => void): void {
    const before = journal.lastSeq;
    receive();
    this.#markers.push(marker);
    const arrival = this.#markers.length;
    const item = inbox.items.find(({ text }) => text.includes(marker));
    if (item) this.#accepted.set(item.id, { marker, to: item.to, arrival });
    for (const event of journal.events)
      if (!item && event.seq > before && event.type === 'receipt' && agentIn(event) !== null)
        this.#accepted.set(event.id, { marker, to: null, arrival });
  }

  knows(marker: string): boolean {
    return this.#markers.includes(marker);
  }

  takenBack(id: string): void {
    this.#withdrawn.add(id);
  }

  /** What people sent to the agent itself, and it did not read, its caller has now. */
  givenBack(agent: MessageWatch): void {
    for (const [id, message] of agent.#accepted) {
      if (this.#accepted.has(id)) continue;
      this.#accepted.set(id, { ...message, to: null });
      this.#late.add(message.marker);
    }
  }

  startedRun(goal: string): void {
    this.#startedRuns.push(goal);
    this.#promises.said.startedRun(goal);
  }

  ended(state: RunState, journal: readonly JournalEvent[], transcript: Record<string, Message[]>): void {
    const receipts = journal.filter(event => event.type === 'receipt');
    const ids = new Set(receipts.filter(({ state }) => state === 'accepted').map(({ id }) => id));
    const positions = placesOf(transcript);
    // The last notes in a context that is far too small may be trimmed before anybody looks.
    this.#trimmed = journal.some(({ type }) => SHORTENS.has(type));
    const accounted = new Set<string>();
    for (const id of ids)
      this.#checkOne(
        state,
        id,
        receipts.filter(receipt => receipt.id === id),
        positions,
        accounted,
      );
    for (const marker of this.#markers) {
      if (!accounted.has(marker))
        expectThat(!positions.has(marker), `${marker} was not accepted, and is in a thread`);
    }
    this.#checkOrder(transcript);
  }

  #checkOne(
    state: RunState,
    id: string,
    receipts: readonly Receipt[],
    positions: ReadonlyMap<string, string[]>,
    accounted: Set<string>,
  ): void {
    const { marker } = this.#accepted.get(id) ?? { marker: '' };
    const own = receipts.filter(receipt => agentIn(receipt) === null);
    const agents = receipts.flatMap(receipt => agentIn(receipt) ?? []);
    if (agents.length > 0) this.#late.add(marker);
    if (own.every(({ state }) => state !== 'accepted') && agents.length > 0) {
      accounted.add(marker);
      if (own.length === 0) this.passedOn.set(marker, agents[0] ?? '');
      return;
    }
    // What was refused may be sent again in the right form, under the same id.
    const begun = own.findIndex(({ state }) => state === 'accepted');
    const ways = own.slice(begun).map(({ state }) => state);
    // Who sends again what was taken back is told each time.
    const told = this.#withdrawn.has(id) ? ways.indexOf('dropped') + 1 : ways.length;
    expectThat(
      ways.slice(told).every(status => status === 'dropped'),
      `${id} was taken back, and came again`,
    );
    const way = ways.slice(0, told).join(' ');
    const legal = [
      'accepted applied',
      'accepted queued applied',
      'accepted dropped',
      'accepted queued dropped',
    ];
    expectThat(legal.includes(way), `the message ${id} is ${way}`);
    const last = own.at(-1);
    expectThat(
      !this.#withdrawn.has(id) || last?.state === 'dropped',
      `${id} was taken back, and is ${last?.state}`,
    );
    expectThat(marker !== '' || last?.state === 'dropped', `nobody saw the message ${id} wait`);
    accounted.add(marker);
    const found = positions.get(marker) ?? [];
    if (last?.state === 'dropped') {
      const goesBack = last.how.includes('It goes back to the run that called it');
      if (goesBack) this.leftBehind.add(marker);
      expectThat(
        goesBack || isBroken(state) || this.#withdrawn.has(id),
        `the message ${id} was dropped at an end that is ${state.end?.outcome}`,
      );
      expectThat(last.how !== '', `nobody says why ${id} was dropped`);
      expectThat(found.length === 0, `the message ${id} was dropped, and is in ${found}`);
      return;
    }
    const how = last?.how ?? '';
    if (how.includes('a run of its own')) {
      const runs = this.#startedRuns.filter(goal => goal.includes(marker));
      expectThat(runs.length === 1, `${runs.length} runs were started for the message ${id}`);
    }
    const isNoted = how.includes('a note to the roles');
    const elsewhere = how.includes('a run of its own') || (how.includes('the instruction') && !isNoted);
    if (this.#trimmed && found.length === 0) return;
    const readable = elsewhere || this.#trimmed || isBroken(state);
    expectThat(readable || this.#promises.wasRead(marker), `${id} (${how}) is in no request`);
    expectThat(
      found.length === (elsewhere ? 0 : 1),
      `the message ${id} (${how}) is in ${found.length} positions: ${found}`,
    );
  }

  /** Notes as they came, of those for anybody and of those for one role; goals as they came. */
  #checkOrder(transcript: Record<string, Message[]>): void {
    const last = new Map<string, number>();
    const byMarker = new Map([...this.#accepted.values()].map(message => [message.marker, message]));
    for (const [thread, messages] of Object.entries(transcript)) {
      for (const message of messages) {
        if (message.kind !== 'user' || (message.purpose !== 'steer' && message.purpose !== 'goal')) continue;
        for (const marker of markersIn(textOf(message))) {
          const known = byMarker.get(marker);
          if (!known || this.#late.has(marker)) continue;
          const line = `${thread} ${message.purpose} ${message.purpose === 'goal' ? '' : known.to}`;
          const before = last.get(line) ?? -1;
          expectThat(known.arrival > before, `${marker} is in ${line} behind a later one`);
          last.set(line, known.arrival);
        }
      }
    }
  }
}

/** The agent that a message is on its way to by this receipt, or that read it. */
function agentIn({ how }: Pick<Receipt, 'how'>): string | null {
  return /^(?:It is passed on to|It is called back from|Read by) ([^ ,]+?)[.,]/.exec(how)?.[1] ?? null;
}

function isBroken({ end, people: { stop } }: RunState): boolean {
  return ['stopped', 'failed', 'cancelled'].includes(end?.outcome ?? '') || stop !== null;
}

function markersIn(text: string): string[] {
  return text.match(/«\d+»/g) ?? [];
}

function placesOf(transcript: Record<string, Message[]>): Map<string, string[]> {
  const positions = new Map<string, string[]>();
  for (const [thread, messages] of Object.entries(transcript)) {
    for (const message of messages) {
      if (message.kind !== 'user' || (message.purpose !== 'steer' && message.purpose !== 'goal')) continue;
      for (const marker of markersIn(textOf(message))) {
        positions.set(marker, [...(positions.get(marker) ?? []), `${thread} ${message.id}`]);
      }
    }
  }
  return positions;
}

/** What was said may be gone then. */
export const SHORTENS: ReadonlySet<string> = new Set(['thread_trimmed', 'thread_transformed']);
