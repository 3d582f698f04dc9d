/** Messages between a sub-agent and its caller. Any client can send a signal, so the readers accept any JSON. */

import type { JsonSchema } from '../../base/json/json.js';
import {
  isRecord,
  isText,
  isTexts,
  jsonBytes,
  MAX_JSON_DEPTH,
  nestsDeeper,
  ownValue,
  type Reader,
  type Readers,
  readFields,
  readIf,
} from '../../base/json/json.js';
import { INPUT_BYTES, LONGEST_ID, MESSAGE_BYTES, OUT_BYTES } from '../../base/sizes/bounds.js';
import { boundedText, fitsText } from '../../base/text/fit.js';
import type { AgentTotals } from '../../run/agents/children.js';
import {
  COMPARISONS,
  fitsForm,
  GATE_CLOSERS,
  type Gate,
  type GateCall,
  type GateCloser,
  type GateKind,
} from '../../run/gates/gate.js';
import { isBudget, type Limits, limitsFault } from '../../run/limits/limits.js';
import { type UsageEntry, usageOf } from '../../run/limits/usage-by.js';
import { isUsage } from '../../run/messages/message.js';
import { type InboxItem, STEER_TIMES } from '../../run/steering/inbox.js';
import { withEffects } from '../../run/tools/tool-use.js';

/** `gateId` names the agent's gate. */
export type ToCaller =
  | { type: 'gate_opened'; gate: Gate }
  | { type: 'gate_closed'; gateId: string; by: GateCloser; decision: string }
  /** An answer that was passed on to the agent does not fit: its gate is still open. */
  | { type: 'answer_refused'; gateId: string; why: string }
  /** A message was read; `by`: the path of the nested agent that read it, '' if the agent itself did. */
  | { type: 'message_read'; messageId: string; by: string }
  /** A message passed on to the agent has no reader or no room there, so it returns to the caller. */
  | { type: 'message_refused'; item: InboxItem; why: string }
  /** A message passed on to the agent was withdrawn before it was read. */
  | { type: 'message_withdrawn'; messageId: string }
  /** A pause holds the agent, or has ended; `by`: the path of the nested agent concerned, '' for itself. */
  | { type: 'paused'; by: string }
  | { type: 'resumed'; by: string }
  /** A model failed the agent for a lasting reason (`failure`: its type), or works again. */
  | { type: 'model_out'; model: string; failure: string }
  | { type: 'model_back'; model: string }
  /** An instruction does not hold for the agent, or for the nested agent that `by` names. */
  | { type: 'not_taken'; what: string; why: string; by: string }
  /** The last message of a cancelled agent, which has no result. */
  | { type: 'cancelled'; rest: AgentTotals };

/** `id`: the agent's id in its caller's run, such as `search/1`; `run`: its workflow id. */
export type AgentMessage = ToCaller & { id: string; run: string };

export type FromCaller =
  | { type: 'limits'; limits: Partial<Limits> }
  /** A person chose this model for a role; `role` null: for all roles. */
  | { type: 'model_chosen'; model: string; role: string | null }
  /** All models that are out, each with its failure type. */
  | { type: 'models_out'; out: Record<string, string> }
  /** The sender of a message passed on to the agent withdraws it. */
  | { type: 'withdraw'; messageId: string };

const QUOTES_BYTES = 2;
/** Levels around a form, which is no deeper than `MAX_JSON_DEPTH`. */
const DEPTH_AROUND = 8;
/**
 * The limit for a name, or for the path of an agent. Our own are shorter, and an agent passes what it gets to the next
 * level.
 */
const SHORT_BYTES = 1_000;

const id: Reader<string> = value => (isText(value) && value.length <= LONGEST_ID ? value : undefined);
const short: Reader<string> = value => (isText(value) && jsonBytes(value) <= SHORT_BYTES ? value : undefined);
const count = readIf(isCount);
/** Reads words of another run, cut to the bound of such texts. */
const words: Reader<string> = value => (typeof value === 'string' ? boundedText(value) : undefined);

/** Reads a message in an inbox's form, without other fields; undefined if it is malformed or too large. */
export const readItem: Reader<InboxItem> = value =>
  readFields<InboxItem>(value, {
    id,
    kind: oneOf(['steer', 'follow-up']),
    text: text => (isText(text) && fitsText(text, MESSAGE_BYTES + QUOTES_BYTES) ? text : undefined),
    when: oneOf(STEER_TIMES),
    to: to => (to === null ? to : id(to)),
    at: count,
  });

const readRest: Reader<AgentTotals> = value =>
  readFields<AgentTotals>(value, {
    usage: readIf(isUsage),
    usageBy: list => (Array.isArray(list) && list.every(isUsageEntry) ? list : undefined),
    turns: count,
    failedCalls: count,
    unread: unread => {
      const items = Array.isArray(unread) ? unread.map(readItem) : [undefined];
      const known = items.filter(item => item !== undefined);
      return known.length < items.length ? undefined : known;
    },
    effects: lines => withEffects([], Array.isArray(lines) ? lines.filter(isText) : []),
  });

type Forms<M extends { type: string }> = {
  readonly [T in M['type']]: Readers<Omit<Extract<M, { type: T }>, 'type'>>;
};

const TO_CALLER: Forms<ToCaller> = {
  gate_opened: { gate: value => readGate(value) ?? undefined },
  gate_closed: { gateId: id, by: oneOf(GATE_CLOSERS), decision: words },
  answer_refused: { gateId: id, why: words },
  message_read: { messageId: id, by: id },
  message_refused: { item: readItem, why: words },
  message_withdrawn: { messageId: id },
  paused: { by: short },
  resumed: { by: short },
  model_out: { model: short, failure: short },
  model_back: { model: short },
  not_taken: { what: short, why: words, by: short },
  cancelled: { rest: readRest },
};

const FROM_CALLER: Forms<FromCaller> = {
  limits: { limits: readIf(isLimits) },
  model_chosen: { model: short, role: role => (role === null ? role : short(role)) },
  models_out: { out: out => (isTexts(out) && jsonBytes(out) <= OUT_BYTES ? out : undefined) },
  withdraw: { messageId: id },
};

export function readFromCaller(raw: unknown): FromCaller | null {
  return nestsDeeper(raw, MAX_JSON_DEPTH) ? null : readTyped(raw, FROM_CALLER);
}

export function readAgentMessage(raw: unknown): AgentMessage | null {
  if (nestsDeeper(raw, MAX_JSON_DEPTH + DEPTH_AROUND)) return null;
  const from = readFields<Pick<AgentMessage, 'id' | 'run'>>(raw, { id, run: id });
  if (!from || jsonBytes(raw) > INPUT_BYTES) return null;
  const typed = readTyped(raw, TO_CALLER);
  return typed && { ...typed, ...from };
}

function readTyped<M extends { type: string }>(raw: unknown, forms: Forms<M>): M | null {
  const { type } = isRecord(raw) ? raw : {};
  const readers = isText(type) ? ownValue<object>(forms, type) : undefined;
  const fields = readers && readFields(raw, readers);
  // The cast is safe: each field was checked by its reader.
  return fields ? ({ type, ...fields } as unknown as M) : null;
}

function oneOf<T extends string>(known: readonly T[]): Reader<T> {
  return value => known.find(each => each === value);
}

/** Accepts 0 for a budget too, which means that it is used up. */
function isLimits(value: unknown): value is Partial<Limits> {
  if (!isRecord(value)) return false;
  const all = Object.entries(value);
  const others = all.filter(([name, limit]) => limit !== 0 || !isBudget(name));
  const isSpent = all.length > 0 && others.length === 0;
  return isSpent || limitsFault(Object.fromEntries(others)) === null;
}

function isUsageEntry(value: unknown): value is UsageEntry {
  if (!isRecord(value) || !isText(value.role) || !isText(value.model)) return false;
  // Omitted figures of an entry are 0.
  return isCount(value.calls) && isUsage(usageOf(value as unknown as UsageEntry));
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

// From here on: functions that read a gate of another run.

/** The last moment that a Date can represent, in milliseconds since the epoch. */
const LAST_MOMENT = 8.64e15;

const text = readIf(isText);
const number: Reader<number> = value => (Number.isFinite(value) ? Number(value) : undefined);
const moment: Reader<number> = value =>
  Math.abs(number(value) ?? Infinity) <= LAST_MOMENT ? Number(value) : undefined;
const boolean: Reader<boolean> = value => (typeof value === 'boolean' ? value : undefined);
const schema: Reader<JsonSchema> = value => (isRecord(value) && fitsForm(value) ? value : undefined);
const texts: Reader<string[]> = value => (Array.isArray(value) && value.every(isText) ? value : undefined);

const compared = oneOf(COMPARISONS);

function isGateCalls(value: unknown): value is GateCall[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every(
      call =>
        readFields(call, { tool: text, callId: text, path: text }) !== undefined &&
        (call.concerns === undefined || texts(call.concerns) !== undefined) &&
        (call.compared === undefined || compared(call.compared) !== undefined),
    )
  );
}

const SUBJECTS: Record<GateKind, Record<string, Reader<unknown>>> = {
  approval: { tool: text, callId: text, arguments: text },
  plan: { tasks: number },
  question: { role: text },
  route: { act: text, messageId: text },
  clientTool: { tool: text, callId: text, arguments: text, idempotencyKey: id },
  budget: { budget: text, limit: number, used: number },
  failure: { model: text, models: texts },
  form: { server: text, tool: text, callId: text, schema },
  step: { taskId: text, canReplan: boolean },
};

/** Optional fields of the subject, left out if they have another form. */
const OPTIONAL: Partial<Record<GateKind, Record<string, Reader<unknown>>>> = {
  approval: {
    ...{ digest: id, why: text, concerns: texts, compared },
    always: value => (value === null ? value : text(value)),
    calls: readIf(isGateCalls),
  },
  question: { options: texts },
  clientTool: { claimedBy: id },
  route: { enlarges: boolean },
};

/** Reads a gate, without unknown fields; null if it is malformed. */
export function readGate(value: unknown): Gate | null {
  if (!isRecord(value)) return null;
  const kind = (Object.keys(SUBJECTS) as GateKind[]).find(known => known === value.kind);
  const fields = readFields(value, {
    ...{ id, title: text, body: text, openedAt: moment },
    deadline: (at: unknown) => (at === null ? at : moment(at)),
  });
  if (kind === undefined || !fields) return null;
  const subject = readFields(value.subject, SUBJECTS[kind]);
  const from = value.from === undefined ? null : readFields(value.from, { agent: id, run: id });
  if (!subject || from === undefined) return null;
  const besides = Object.entries(OPTIONAL[kind] ?? {}).map(([key, read]) =>
    readFields(value.subject, { [key]: read }),
  );
  // The cast is safe: each field was checked.
  return {
    ...fields,
    kind,
    subject: Object.assign(subject, ...besides),
    ...(from && { from }),
  } as unknown as Gate;
}
