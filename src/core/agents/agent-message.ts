/**
 * What a sub-agent and the run that called it tell each other while it works. Up: the gates that it waits at, for the
 * person of that run, what it found out, and what it leaves where it has no result. Down: what that person said that
 * holds for all. The readers are total over any JSON, since anybody can send a signal.
 */

import type { Gate, GateCloser } from '../gates/gate.js';
import { GATE_CLOSERS } from '../gates/gate.js';
import { readGate } from '../gates/read-gate.js';
import { isBudget, type Limits, limitsFault } from '../limits/limits.js';
import { isTexts } from '../limits/model-use.js';
import type { UsageEntry } from '../limits/usage-by.js';
import { usageOf } from '../limits/usage-by.js';
import { INPUT_BYTES, LONGEST_ID, MESSAGE_BYTES, OUT_BYTES } from '../state/bounds.js';
import { isUsage } from '../state/message.js';
import type { InboxItem } from '../steering/inbox.js';
import { STEER_TIMES } from '../steering/inbox.js';
import { fitsText, told } from '../text/fit.js';
import { isRecord, jsonBytes, MAX_JSON_DEPTH, nestsDeeper } from '../text/json.js';
import { withEffects } from '../tools/tool-use.js';
import type { AgentRest } from './subagent.js';

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
  /** A message that was passed on to it was taken back before anybody read it. */
  | { type: 'message_withdrawn'; messageId: string }
  /** A pause holds it, or not any more; `by`: the way to the agent of its own that is meant, '' for itself. */
  | { type: 'paused' | 'resumed'; by: string }
  /** A model failed it for a reason that lasts (`failure`: its type), or is in again. */
  | { type: 'model_out'; model: string; failure: string }
  | { type: 'model_back'; model: string }
  /** What it was told does not hold for it, or for the agent of its own that `by` names. */
  | { type: 'not_taken'; what: string; why: string; by: string }
  /** The last word of one that was cancelled: it has no result. */
  | { type: 'cancelled'; rest: AgentRest };

/** `id`: of the agent in the run that called it, such as `search/1`; `run`: its workflow id. */
export type AgentMessage = ToCaller & { id: string; run: string };

export type FromCaller =
  /** What changes of its limits. */
  | { type: 'limits'; limits: Partial<Limits> }
  /** A person chose this model for a role, or for all: null. */
  | { type: 'model_chosen'; model: string; role: string | null }
  /** All that are out, each with the type of its failure. */
  | { type: 'models_out'; out: Record<string, string> }
  /** The sender of a message that was passed on to it takes it back. */
  | { type: 'withdraw'; messageId: string };

/** What a run was told as a sub-agent, as it came, or null where that is nothing. */
export function readFromCaller(raw: unknown): FromCaller | null {
  if (!isRecord(raw) || nestsDeeper(raw, MAX_JSON_DEPTH)) return null;
  const { limits, model, role, out, messageId } = raw;
  if (raw.type === 'limits') return isLimits(limits) ? { type: 'limits', limits } : null;
  if (raw.type === 'models_out')
    return isTexts(out) && jsonBytes(out) <= OUT_BYTES ? { type: 'models_out', out } : null;
  if (raw.type === 'withdraw') return isId(messageId) ? { type: 'withdraw', messageId } : null;
  if (raw.type !== 'model_chosen' || !isShort(model)) return null;
  return role === null || isShort(role) ? { type: 'model_chosen', model, role } : null;
}

/** Of a budget also 0: nothing is left. */
function isLimits(value: unknown): value is Partial<Limits> {
  if (!isRecord(value)) return false;
  const all = Object.entries(value);
  const others = all.filter(([name, limit]) => limit !== 0 || !isBudget(name));
  const isSpent = all.length > 0 && others.length === 0;
  return isSpent || limitsFault(Object.fromEntries(others)) === null;
}

const QUOTES_BYTES = 2;
/** Around a form, which is no deeper than `MAX_JSON_DEPTH`. */
const DEPTH_AROUND = 8;

/** A message as it came, its texts within the bound of what is told; null where it is none. */
export function readAgentMessage(raw: unknown): AgentMessage | null {
  if (!isRecord(raw) || nestsDeeper(raw, MAX_JSON_DEPTH + DEPTH_AROUND)) return null;
  const { id, run } = raw;
  if (!isId(id) || !isId(run) || jsonBytes(raw) > INPUT_BYTES) return null;
  const said = readSaid(raw);
  return said && { ...said, id, run };
}

function readSaid(raw: Record<string, unknown>): ToCaller | null {
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
    return item && typeof raw.why === 'string' ? { type: 'message_refused', item, why: told(raw.why) } : null;
  }
  if (raw.type === 'message_read') {
    const { messageId, by } = raw;
    return isId(messageId) && isId(by) ? { type: 'message_read', messageId, by } : null;
  }
  if (raw.type === 'message_withdrawn') {
    const { messageId } = raw;
    return isId(messageId) ? { type: 'message_withdrawn', messageId } : null;
  }
  return readStanding(raw) ?? readOfGate(raw);
}

function readStanding({ type, by, model, failure, what, why }: Record<string, unknown>): ToCaller | null {
  if (type === 'paused' || type === 'resumed') return isShort(by) ? { type, by } : null;
  if (type === 'model_back') return isShort(model) ? { type, model } : null;
  if (type === 'model_out') return isShort(model) && isShort(failure) ? { type, model, failure } : null;
  const isWord = isShort(by) && isShort(what) && typeof why === 'string';
  return type === 'not_taken' && isWord ? { type, by, what, why: told(why) } : null;
}

/** Of a name, or of the way to an agent. What is longer is none of ours, and the next level would get it too. */
const SHORT_BYTES = 1_000;

function isShort(value: unknown): value is string {
  return typeof value === 'string' && jsonBytes(value) <= SHORT_BYTES;
}

function readOfGate(raw: Record<string, unknown>): ToCaller | null {
  const { gateId } = raw;
  if (!isId(gateId)) return null;
  if (raw.type === 'answer_refused')
    return typeof raw.why === 'string' ? { type: 'answer_refused', gateId, why: told(raw.why) } : null;
  const by = GATE_CLOSERS.find(closer => closer === raw.by);
  if (raw.type !== 'gate_closed' || by === undefined || typeof raw.decision !== 'string') return null;
  return { type: 'gate_closed', gateId, by, decision: told(raw.decision) };
}

function readRest(raw: unknown): AgentRest | null {
  if (!isRecord(raw)) return null;
  const { usage, usageBy, turns, failedCalls, unread, effects } = raw;
  if (!isUsage(usage) || !isCount(turns) || !isCount(failedCalls)) return null;
  if (!Array.isArray(usageBy) || !usageBy.every(isUsageEntry)) return null;
  const items = Array.isArray(unread) ? unread.map(readItem) : [null];
  const known = items.filter(item => item !== null);
  if (known.length < items.length) return null;
  const lines = Array.isArray(effects) ? effects.filter(line => typeof line === 'string') : [];
  return { usage, usageBy, turns, failedCalls, unread: known, effects: withEffects([], lines) };
}

function isUsageEntry(value: unknown): value is UsageEntry {
  if (!isRecord(value) || typeof value.role !== 'string' || typeof value.model !== 'string') return false;
  // What is left out of an entry is 0.
  return isCount(value.calls) && isUsage(usageOf(value as unknown as UsageEntry));
}

/** A message as an inbox holds it, and nothing beside; null where it is none, or larger than one may be. */
export function readItem(value: unknown): InboxItem | null {
  if (!isRecord(value)) return null;
  const { id, text, kind, to, at } = value;
  const when = STEER_TIMES.find(time => time === value.when);
  if (!isId(id) || typeof text !== 'string' || when === undefined || !isCount(at)) return null;
  if ((kind !== 'steer' && kind !== 'follow-up') || (to !== null && !isId(to))) return null;
  if (!fitsText(text, MESSAGE_BYTES + QUOTES_BYTES)) return null;
  return { id, kind, text, when, to, at };
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value.length <= LONGEST_ID;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
