/**
 * What a sub-agent tells the run that called it while it works: the gates that it waits at, for the person of that
 * run, and what it leaves where it has no result. The reader is total over any JSON, since anybody can send a signal.
 */
import type { Gate, GateCloser } from './gates/gate.js';
import { GATE_CLOSERS } from './gates/gate.js';
import { readGate } from './gates/read-gate.js';
import type { InboxItem } from './inbox.js';
import { STEER_TIMES } from './inbox.js';
import { isRecord, MAX_JSON_DEPTH, nestsDeeper } from './json.js';
import { isUsage } from './message.js';
import type { AgentRest } from './subagent.js';
import type { UsageEntry } from './usage-by.js';
import { usageOf } from './usage-by.js';

/** `gateId`: of the agent's gate. */
export type ToCaller =
  | { type: 'gate_opened'; gate: Gate }
  | { type: 'gate_closed'; gateId: string; by: GateCloser; decision: string }
  /** An answer that was passed on to it does not fit: the gate is open still. */
  | { type: 'answer_refused'; gateId: string; why: string }
  /** A message was read; `by`: the way to the agent of its own that did, '' where it did itself. */
  | { type: 'message_read'; messageId: string; by: string }
  /** A message that was passed on to it is for nobody there, or has no room: it is its caller's again. */
  | { type: 'message_refused'; item: InboxItem; why: string }
  /** The last word of one that was cancelled: it has no result. */
  | { type: 'cancelled'; rest: AgentRest };

/** `id`: of the agent in the run that called it, such as `search/1`; `run`: its workflow id. */
export type AgentMessage = ToCaller & { id: string; run: string };

/** Around a form, which is no deeper than `MAX_JSON_DEPTH`. */
const DEPTH_AROUND = 8;

/** A message as it came, or null where it is none. */
export function readAgentMessage(raw: unknown): AgentMessage | null {
  if (!isRecord(raw) || nestsDeeper(raw, MAX_JSON_DEPTH + DEPTH_AROUND)) return null;
  const { id, run } = raw;
  if (typeof id !== 'string' || typeof run !== 'string') return null;
  const said = readSaid(raw);
  return said && { ...said, id, run };
}

function readSaid(raw: Record<string, unknown>): ToCaller | null {
  const { gateId } = raw;
  if (raw.type === 'gate_opened') {
    const gate = readGate(raw.gate);
    return gate && { type: 'gate_opened', gate };
  }
  if (raw.type === 'cancelled') {
    const rest = readRest(raw.rest);
    return rest && { type: 'cancelled', rest };
  }
  if (raw.type === 'message_refused') {
    const item = readItem(raw.item);
    return item && typeof raw.why === 'string' ? { type: 'message_refused', item, why: raw.why } : null;
  }
  if (raw.type === 'message_read') {
    const { messageId, by } = raw;
    const isRead = typeof messageId === 'string' && typeof by === 'string';
    return isRead ? { type: 'message_read', messageId, by } : null;
  }
  if (typeof gateId !== 'string') return null;
  if (raw.type === 'answer_refused')
    return typeof raw.why === 'string' ? { type: 'answer_refused', gateId, why: raw.why } : null;
  const by = GATE_CLOSERS.find(closer => closer === raw.by);
  if (raw.type !== 'gate_closed' || by === undefined || typeof raw.decision !== 'string') return null;
  return { type: 'gate_closed', gateId, by, decision: raw.decision };
}

function readRest(raw: unknown): AgentRest | null {
  if (!isRecord(raw)) return null;
  const { usage, usageBy, turns, failedCalls, unread } = raw;
  if (!isUsage(usage) || !isCount(turns) || !isCount(failedCalls)) return null;
  if (!Array.isArray(usageBy) || !usageBy.every(isUsageEntry)) return null;
  const items = Array.isArray(unread) ? unread.map(readItem) : [null];
  const known = items.filter(item => item !== null);
  return known.length < items.length ? null : { usage, usageBy, turns, failedCalls, unread: known };
}

function isUsageEntry(value: unknown): value is UsageEntry {
  if (!isRecord(value) || typeof value.role !== 'string' || typeof value.model !== 'string') return false;
  // What is left out of an entry is 0.
  return isCount(value.calls) && isUsage(usageOf(value as unknown as UsageEntry));
}

/** A message as an inbox holds it, and nothing beside; null where it is none. */
export function readItem(value: unknown): InboxItem | null {
  if (!isRecord(value)) return null;
  const { id, text, kind, to, at } = value;
  const when = STEER_TIMES.find(time => time === value.when);
  if (typeof id !== 'string' || typeof text !== 'string' || when === undefined || !isCount(at)) return null;
  if ((kind !== 'steer' && kind !== 'follow-up') || (to !== null && typeof to !== 'string')) return null;
  return { id, kind, text, when, to, at };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
