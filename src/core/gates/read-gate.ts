/** Reads a gate that another run tells of: total over any JSON, since anybody can send a signal. */
import { LONGEST_ID } from '../state/bounds.js';
import { isRecord, isText, type Reader, readFields, readIf } from '../text/json.js';
import type { JsonSchema } from '../tools/tool.js';
import { fitsForm } from './form.js';
import type { Gate, GateKind } from './gate.js';

/** The last moment that a date can tell, in milliseconds since the epoch. */
const LAST_MOMENT = 8.64e15;

const text = readIf(isText);
const name: Reader<string> = value => (isText(value) && value.length <= LONGEST_ID ? value : undefined);
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
  clientTool: { tool: text, callId: text, arguments: text, idempotencyKey: name },
  budget: { budget: text, limit: number, used: number },
  failure: { model: text, models: texts },
  form: { server: text, tool: text, callId: text, schema },
  step: { taskId: text, canReplan: boolean },
};

/** What the subject may hold besides: left out where it has another form. */
const OPTIONAL: Partial<Record<GateKind, Record<string, Reader<unknown>>>> = {
  approval: { digest: name },
  clientTool: { claimedBy: name },
  route: { enlarges: boolean },
};

/** The gate, with nothing in it that a gate does not have; null where it is none. */
export function readGate(value: unknown): Gate | null {
  if (!isRecord(value)) return null;
  const kind = (Object.keys(SUBJECTS) as GateKind[]).find(known => known === value.kind);
  const fields = readFields(value, {
    ...{ id: name, title: text, body: text, openedAt: moment },
    deadline: (at: unknown) => (at === null ? at : moment(at)),
  });
  if (kind === undefined || !fields) return null;
  const subject = readFields(value.subject, SUBJECTS[kind]);
  const from = value.from === undefined ? null : readFields(value.from, { agent: name, run: name });
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
