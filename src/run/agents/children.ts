/** The sub-agents of a run, for watchers of the run and for senders of messages. */

import { CHILDREN_BYTES } from '../../base/sizes/bounds.js';
import { sizeOfList } from '../../base/sizes/sizes.js';
import { headWithin } from '../../base/text/fit.js';
import { preview } from '../../base/text/preview.js';
import type { Cause, Outcome } from '../limits/cause.js';
import type { UsageEntry } from '../limits/usage-by.js';
import type { Usage } from '../messages/message.js';
import type { InboxItem } from '../steering/inbox.js';
import { hash64 } from '../tools/ledger.js';

export interface ChildRecord {
  /** Unique in the run, such as `search/1`: `childId` makes its workflow id of it. */
  id: string;
  agent: string;
  callId: string;
  /** The beginning of its instruction. */
  instruction: string;
  /** Null while it runs. */
  outcome: Outcome | 'lost' | null;
  /** The cause of its outcome; null while it runs, or if it returned no report. */
  cause: Cause | null;
}

export function childEnd({ outcome, cause }: Pick<ChildRecord, 'outcome' | 'cause'>): string {
  if (outcome === null) return 'running';
  return cause === null || cause === outcome || outcome === 'answered' ? outcome : `${outcome} (${cause})`;
}

/** The server takes ids of 1,000 bytes; a longer one fails the workflow task, again and again. */
const MOST_OWN_ID_BYTES = 700;

/** The workflow id of a child, derived from its run's: `{run}/{agent}/{n}`, or `{run}/{tool}/{call}`. */
export function childId(own: string, id: string): string {
  return `${shortened(own, MOST_OWN_ID_BYTES)}/${shortened(id, MOST_OWN_ID_BYTES / 4)}`;
}

/** Shortened ids keep a hash, so a nested run never gets its caller's id. */
function shortened(id: string, maxBytes: number): string {
  const head = headWithin(id, maxBytes);
  return head === id ? id : `${head}~${hash64(id)}`;
}

export interface Children {
  /** The number of agents started so far: the next one gets the number after it. */
  started: number;
  /** The latest of them, oldest first. */
  list: ChildRecord[];
  /** Paths of the paused agents, nested ones included, such as `lead/1/search/1`. */
  paused: string[];
}

const INSTRUCTION_CHARS = 60;

export function noChildren(): Children {
  return { started: 0, list: [], paused: [] };
}

export function withChild(
  { started, list, paused }: Children,
  { id, agent, callId, instruction }: Omit<ChildRecord, 'outcome' | 'cause'>,
): Children {
  const begun = { id, agent, callId, instruction: preview(instruction, INSTRUCTION_CHARS) };
  const child = { ...begun, outcome: null, cause: null };
  return { started: started + 1, list: withinBound([...list, child]), paused };
}

export function withEnd({ started, list, paused }: Children, id: string, end: AgentEnd): Children {
  const as = endedAs(end);
  return {
    started,
    list: withinBound(list.map(child => (child.id === id ? { ...child, ...as } : child))),
    paused: paused.filter(way => !isPathTo(id, way)),
  };
}

function isPathTo(id: string, way: string): boolean {
  return way === id || way.startsWith(`${id}/`);
}

/** Limits the list of paused agents, because anyone can send the signal. */
const PAUSED_KEPT = 200;

/** Adds the agents at these paths to the paused ones, or removes them. */
export function withPaused(children: Children, ways: readonly string[], isPaused: boolean): Children {
  const others = children.paused.filter(way => !ways.includes(way));
  return { ...children, paused: isPaused ? [...others, ...ways].slice(-PAUSED_KEPT) : others };
}

export function isPaused({ paused }: Children, id: string): boolean {
  return paused.some(way => isPathTo(id, way));
}

/** Returns how an agent ended; the cause is null if it returned no report. */
export function endedAs(end: AgentEnd): { outcome: Outcome | 'lost'; cause: Cause | null } {
  if (end.kind !== 'ended') return { outcome: end.kind, cause: null };
  const { outcome, cause } = end.report;
  return { outcome, cause };
}

/** Drops the oldest ended agents if the list exceeds its bound: at a safe point all have ended. */
function withinBound(list: readonly ChildRecord[]): ChildRecord[] {
  const oldest = list.findIndex(({ outcome }) => outcome !== null);
  if (oldest < 0 || sizeOfList(list) <= CHILDREN_BYTES) return [...list];
  return withinBound(list.toSpliced(oldest, 1));
}

export function openChildren({ list }: Children): ChildRecord[] {
  return list.filter(({ outcome }) => outcome === null);
}

/** Returns the addresses of running agents: their ids, and each name that only one of them has. */
export function addresses(children: Children): string[] {
  const open = openChildren(children);
  const names = open.map(({ agent }) => agent);
  return [
    ...names.filter(name => names.indexOf(name) === names.lastIndexOf(name)),
    ...open.map(({ id }) => id),
  ];
}

/** The agent that gets a message. `to`: the agent below it that the message is for; null for its role at work. */
export interface Addressee {
  id: string;
  to: string | null;
}

/** Finds the agent that an address names. A message for `lead/1/search` goes to `lead/1`, which passes it to its `search`. */
export function addresseeOf(children: Children, to: unknown): Addressee | null {
  if (typeof to !== 'string') return null;
  const open = openChildren(children);
  const above = open.find(({ id }) => to.startsWith(`${id}/`));
  if (above) return { id: above.id, to: to.slice(above.id.length + 1) };
  if (!addresses(children).includes(to)) return null;
  const { id } = open.find(child => child.id === to || child.agent === to) ?? { id: to };
  return { id, to: null };
}

/** The part of an ended run that its caller takes over, however the run ended. */
export interface AgentTotals {
  usage: Usage;
  usageBy: UsageEntry[];
  turns: number;
  failedCalls: number;
  /** People's messages that the run never read. */
  unread: InboxItem[];
  /** Calls of the run and of its own agents that may have changed something, one line each. */
  effects: string[];
}

export interface AgentReport extends AgentTotals {
  outcome: Outcome;
  cause: Cause;
  answer: string;
}

export type AgentEnd =
  | { kind: 'ended'; report: AgentReport }
  /** A cancelled agent sends its rest by signal: see `ToCaller`. */
  | { kind: 'cancelled' }
  /** The agent was ended from outside, so nothing of it is known. `notStarted`: it could not start. */
  | { kind: 'lost'; why: string; notStarted?: true };
