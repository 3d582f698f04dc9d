/** What a sub-agent and its caller tell each other. Anybody can send a signal, so the readers take any JSON. */

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
import { fitsText, told } from '../../base/text/fit.js';
import type { AgentRest } from '../../run/agents/children.js';
import { fitsForm } from '../../run/gates/form.js';
import { GATE_CLOSERS, type Gate, type GateCloser, type GateKind } from '../../run/gates/gate.js';
import { isBudget, type Limits, limitsFault } from '../../run/limits/limits.js';
import { type UsageEntry, usageOf } from '../../run/limits/usage-by.js';
import { isUsage } from '../../run/messages/message.js';
import { type InboxItem, STEER_TIMES } from '../../run/steering/inbox.js';
import { withEffects } from '../../run/tools/tool-use.js';

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
  | { type: 'paused'; by: string }
  | { type: 'resumed'; by: string }
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
  | { type: 'limits'; limits: Partial<Limits> }
  /** A person chose this model for a role, or for all: null. */
  | { type: 'model_chosen'; model: string; role: string | null }
  /** All that are out, each with the type of its failure. */
  | { type: 'models_out'; out: Record<string, string> }
  /** The sender of a message that was passed on to it takes it back. */
  | { type: 'withdraw'; messageId: string };

const QUOTES_BYTES = 2;
/** Around a form, which is no deeper than `MAX_JSON_DEPTH`. */
const DEPTH_AROUND = 8;
/** Of a name, or of the way to an agent. What is longer is none of ours, and the next level would get it too. */
const SHORT_BYTES = 1_000;

const id: Reader<string> = value => (isText(value) && value.length <= LONGEST_ID ? value : undefined);
const short: Reader<string> = value => (isText(value) && jsonBytes(value) <= SHORT_BYTES ? value : undefined);
const count = readIf(isCount);
/** Words of another run, within the bound of what is told. */
const words: Reader<string> = value => (typeof value === 'string' ? told(value) : undefined);

/** A message as an inbox holds it, and nothing beside; undefined where it is none, or larger than one may be. */
export const readItem: Reader<InboxItem> = value =>
  readFields<InboxItem>(value, {
    id,
    kind: oneOf(['steer', 'follow-up']),
    text: text => (isText(text) && fitsText(text, MESSAGE_BYTES + QUOTES_BYTES) ? text : undefined),
    when: oneOf(STEER_TIMES),
    to: to => (to === null ? to : id(to)),
    at: count,
  });

const readRest: Reader<AgentRest> = value =>
  readFields<AgentRest>(value, {
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
  const said = readTyped(raw, TO_CALLER);
  return said && { ...said, ...from };
}

function readTyped<M extends { type: string }>(raw: unknown, forms: Forms<M>): M | null {
  const { type } = isRecord(raw) ? raw : {};
  const readers = isText(type) ? ownValue<object>(forms, type) : undefined;
  const fields = readers && readFields(raw, readers);
  // Each field has been judged by the form of its type: this is the codec.
  return fields ? ({ type, ...fields } as unknown as M) : null;
}

function oneOf<T extends string>(known: readonly T[]): Reader<T> {
  return value => known.find(each => each === value);
}

/** Of a budget also 0: nothing is left. */
function isLimits(value: unknown): value is Partial<Limits> {
  if (!isRecord(value)) return false;
  const all = Object.entries(value);
  const others = all.filter(([name, limit]) => limit !== 0 || !isBudget(name));
  const isSpent = all.length > 0 && others.length === 0;
  return isSpent || limitsFault(Object.fromEntries(others)) === null;
}

function isUsageEntry(value: unknown): value is UsageEntry {
  if (!isRecord(value) || !isText(value.role) || !isText(value.model)) return false;
  // What is left out of an entry is 0.
  return isCount(value.calls) && isUsage(usageOf(value as unknown as UsageEntry));
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

// A gate that another run tells of.

/** The last moment that a date can tell, in milliseconds since the epoch. */
const LAST_MOMENT = 8.64e15;

const text = readIf(isText);
const number: Reader<number> = value => (Number.isFinite(value) ? Number(value) : undefined);
const moment: Reader<number> = value =>
  Math.abs(number(value) ?? Infinity) <= LAST_MOMENT ? Number(value) : undefined;
const boolean: Reader<boolean> = value => (typeof value === 'boolean' ? value : undefined);
const schema: Reader<JsonSchema> = value => (isRecord(value) && fitsForm(value) ? value : undefined);
const texts: Reader<string[]> = value => (Array.isArray(value) && value.every(isText) ? value : undefined);

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

/** What the subject may hold besides: left out where it has another form. */
const OPTIONAL: Partial<Record<GateKind, Record<string, Reader<unknown>>>> = {
  approval: { digest: id },
  question: { options: texts },
  clientTool: { claimedBy: id },
  route: { enlarges: boolean },
};

/** The gate, with nothing in it that a gate does not have; null where it is none. */
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
  // Each field has been judged: this is the codec.
  return {
    ...fields,
    kind,
    subject: Object.assign(subject, ...besides),
    ...(from && { from }),
  } as unknown as Gate;
}
