/** Messages that have arrived but are not applied yet. Signal handlers write only here, and only the loop takes them. */

import { isRecord, jsonBytes } from '../../base/json/json.js';
import { SEEN_IDS_BYTES, TAKEN_BACK_BYTES } from '../../base/sizes/bounds.js';
import { sizeOfList } from '../../base/sizes/sizes.js';
import { lastWithin } from '../../base/text/fit.js';
import { expected, isAbsent } from '../../base/text/output-fields.js';

/** The time at which steering takes effect: see `batchAction` and `wantsInterrupt`. Default `skip`. */
export const STEER_TIMES = ['skip', 'after-batch', 'interrupt'] as const;
export type SteerTime = (typeof STEER_TIMES)[number];

export interface InboxItem {
  /** The client's id, or the run's if the message has none. */
  id: string;
  kind: 'steer' | 'follow-up';
  text: string;
  /** Ignored for a follow-up. */
  when: SteerTime;
  /** The role that it is for, one of the mode's `readersOf`; null for the one that is running. */
  to: string | null;
  at: number;
}

export interface Inbox {
  /** In the order of arrival. */
  items: InboxItem[];
  /** Ids of the last messages, waiting or not, oldest first: a repeat has no effect. */
  seenIds: string[];
  /** Ids of withdrawn messages among them, oldest first: a sender who repeats one is notified. */
  takenBackIds: string[];
}

export const SEEN_IDS_KEPT = 1_000;
export const LONGEST_MESSAGE_ID = 200;

export function emptyInbox(): Inbox {
  return { items: [], seenIds: [], takenBackIds: [] };
}

export interface Arrival {
  at: number;
  /** Id for a message without one, such as the Web UI's. */
  fallbackId: string;
  ended: boolean;
  readers: readonly string[];
  /** The largest text, as JSON in UTF-8 without its quotes. */
  maxBytes: number;
  /** The maximum size of all waiting messages with this one, measured the same way. */
  room: number;
}

export type Acceptance =
  | { kind: 'accepted'; item: InboxItem }
  | { kind: 'repeated'; id: string }
  /** `id` is null if it could not be read. */
  | { kind: 'ignored'; id: string | null; why: string };

/** Accepts `{ id?, text, when?, to? }` or a plain text; ignores an invalid message with a reason. Changes `inbox`. */
export function acceptMessage(
  inbox: Inbox,
  raw: unknown,
  kind: InboxItem['kind'],
  arrival: Arrival,
): Acceptance {
  const given = typeof raw === 'string' ? { text: raw } : raw;
  if (!isRecord(given)) return { kind: 'ignored', id: null, why: expected('message', MESSAGE_FORM, raw) };
  const id = isAbsent(given.id) ? freshId(inbox, arrival.fallbackId) : readId(given.id);
  if (id === null)
    return {
      kind: 'ignored',
      id,
      why: expected('id', `a text of 1 to ${LONGEST_MESSAGE_ID} characters`, given.id),
    };
  // A withdrawn id may be a redelivery of the original, so refuse it: only its sender can tell.
  if (inbox.takenBackIds.includes(id)) return { kind: 'ignored', id, why: TAKEN_BACK };
  if (inbox.seenIds.includes(id)) return { kind: 'repeated', id };
  const when = isAbsent(given.when) ? 'skip' : STEER_TIMES.find(time => time === given.when);
  const to = isAbsent(given.to) ? null : given.to;
  const why = arrival.ended ? 'The run has ended.' : faultOf(given.text, to, arrival);
  if (why !== null) return { kind: 'ignored', id, why };
  if (when === undefined)
    return { kind: 'ignored', id, why: expected('when', `one of ${STEER_TIMES.join(', ')}`, given.when) };
  const text = String(given.text).trim();
  const item: InboxItem = { id, kind, text, when, to: to === null ? to : String(to), at: arrival.at };
  if (sizeOfList([...inbox.items, item]) > arrival.room) return { kind: 'ignored', id, why: FULL };
  inbox.items.push(item);
  noteSeen(inbox, id);
  return { kind: 'accepted', item };
}

function noteSeen(inbox: Inbox, id: string): void {
  const seen = inbox.seenIds.includes(id) ? inbox.seenIds : [...inbox.seenIds, id];
  inbox.seenIds = lastWithin(seen.slice(-SEEN_IDS_KEPT), SEEN_IDS_BYTES);
}

/** True if a next goal will fit, at any time of arrival. */
export function fitsInbox(inbox: Inbox, { id, text }: Pick<InboxItem, 'id' | 'text'>, room: number): boolean {
  const item = {
    id,
    kind: 'follow-up',
    text: text.trim(),
    when: 'skip',
    to: null,
    at: Number.MAX_SAFE_INTEGER,
  };
  return sizeOfList([...inbox.items, item]) <= room;
}

export const FULL =
  'Too many messages wait already: send it again when some have been read, or put the text in a file and name the file.';
const TAKEN_BACK =
  'The message with this id was taken back: to say something after all, send it under a new id.';
const QUOTES_BYTES = 2;
const MESSAGE_FORM = 'a text, or an object { "text": "…" } with id, when and to as wanted,';

/** Returns a message's id in the form that runs store; null if it is not a valid id. */
export function readId(value: unknown): string | null {
  const id = typeof value === 'number' ? String(value) : value;
  return typeof id === 'string' && id.trim() !== '' && id.length <= LONGEST_MESSAGE_ID ? id.trim() : null;
}

/** A client may have used the run's own id: it is made longer, so that no message is lost. */
function freshId(inbox: Inbox, fallbackId: string): string {
  let id = fallbackId;
  while (inbox.seenIds.includes(id)) id += "'";
  return id;
}

function faultOf(text: unknown, to: unknown, { maxBytes, readers }: Arrival): string | null {
  if (typeof text !== 'string' || text.trim() === '') return expected('text', 'a non-empty text', text);
  const bytes = jsonBytes(text.trim()) - QUOTES_BYTES;
  if (bytes > maxBytes)
    return `The text has ${bytes} bytes, and at most ${maxBytes} are taken: put it in a file and name the file.`;
  if (to === null || readers.some(reader => reader === to)) return null;
  const roles = `one of the roles that read messages (${readers.join(', ')})`;
  return expected('to', `${roles}, or left out for the role at work`, to);
}

export function waitingSteers(inbox: Inbox, role: string): InboxItem[] {
  return inbox.items.filter(item => isSteerFor(item, role));
}

function isSteerFor(item: InboxItem, role: string): boolean {
  return item.kind === 'steer' && (item.to === null || item.to === role);
}

/** Takes all of them together, in the order of arrival. Changes `inbox`. */
export function takeSteers(inbox: Inbox, role: string): InboxItem[] {
  const taken = waitingSteers(inbox, role);
  inbox.items = inbox.items.filter(item => !isSteerFor(item, role));
  return taken;
}

/** Takes the first follow-up, which is the next goal; null if there is none. Changes `inbox`. */
export function takeFollowUp(inbox: Inbox): InboxItem | null {
  return takeFirst(inbox, item => item.kind === 'follow-up');
}

/** Returns a message that an agent did not read to the role at work; false without `room` for it. Changes `inbox`. */
export function giveBack(inbox: Inbox, item: InboxItem, room: number): boolean {
  const own = { ...item, to: null };
  if (sizeOfList([...inbox.items, own]) > room) return false;
  inbox.items.push(own);
  // Its id counts as seen here too, because the sender of the message may send it again, to this run.
  noteSeen(inbox, item.id);
  return true;
}

/** Withdraws the waiting message with this id; null if it does not wait. Changes `inbox`. */
export function withdrawMessage(inbox: Inbox, id: string): InboxItem | null {
  const item = takeFirst(inbox, candidate => candidate.id === id);
  if (item) noteTakenBack(inbox, id);
  return item;
}

/** Records that a message was withdrawn, here or where it was passed on, so that a repeat is refused. Changes `inbox`. */
export function noteTakenBack(inbox: Inbox, id: string): void {
  const others = inbox.takenBackIds.filter(other => other !== id);
  inbox.takenBackIds = lastWithin([...others, id], TAKEN_BACK_BYTES);
}

function takeFirst(inbox: Inbox, isWanted: (item: InboxItem) => boolean): InboxItem | null {
  const index = inbox.items.findIndex(isWanted);
  return inbox.items.splice(index, index < 0 ? 0 : 1)[0] ?? null;
}

/** Turns unread steering into follow-ups at a goal's end, in its place. Returns the original messages. Changes `inbox`. */
export function steersToFollowUps(inbox: Inbox): InboxItem[] {
  const turned: InboxItem[] = [];
  inbox.items = inbox.items.map(item => {
    if (item.kind === 'follow-up') return item;
    turned.push(item);
    return { ...item, kind: 'follow-up', to: null };
  });
  return turned;
}

/** Returns the effect of waiting steering on a batch's calls that have not begun. The most urgent message decides for all. */
export function batchAction(waiting: readonly InboxItem[]): 'skip_rest' | 'after_batch' | 'none' {
  if (waiting.length === 0) return 'none';
  return waiting.some(item => item.when !== 'after-batch') ? 'skip_rest' : 'after_batch';
}

/** True if the call in flight should be cancelled, if it can be. */
export function wantsInterrupt(waiting: readonly InboxItem[]): boolean {
  return waiting.some(item => item.when === 'interrupt');
}
