/** Reads a gate that another run tells of: total over any JSON, since anybody can send a signal. */
import { LONGEST_ID } from '../state/bounds.js';
import { isRecord } from '../text/json.js';
import { fitsForm } from './form.js';
import type { Gate, GateKind } from './gate.js';

type Form = 'name' | 'text' | 'number' | 'moment' | 'boolean' | 'texts' | 'schema';

/** What the subject of each kind must hold. */
const SUBJECTS: Record<GateKind, Record<string, Form>> = {
  approval: { tool: 'text', callId: 'text', arguments: 'text' },
  plan: { tasks: 'number' },
  question: { role: 'text' },
  route: { act: 'text', messageId: 'text' },
  clientTool: { tool: 'text', callId: 'text', arguments: 'text', idempotencyKey: 'name' },
  budget: { budget: 'text', limit: 'number', used: 'number' },
  failure: { model: 'text', models: 'texts' },
  form: { server: 'text', tool: 'text', callId: 'text', schema: 'schema' },
  step: { taskId: 'text', canReplan: 'boolean' },
};

/** What the subject may hold besides: left out where it has another form. */
const OPTIONAL: Partial<Record<GateKind, Record<string, Form>>> = {
  approval: { digest: 'name' },
  clientTool: { claimedBy: 'name' },
  route: { enlarges: 'boolean' },
};

const GATE = { id: 'name', title: 'text', body: 'text', openedAt: 'moment' } as const;
const FROM = { agent: 'name', run: 'name' } as const;

/** The gate, with nothing in it that a gate does not have; null where it is none. */
export function readGate(value: unknown): Gate | null {
  if (!isRecord(value)) return null;
  const kind = (Object.keys(SUBJECTS) as GateKind[]).find(known => known === value.kind);
  const fields = read(value, GATE);
  if (kind === undefined || fields === null) return null;
  const subject = read(value.subject, SUBJECTS[kind]);
  const from = value.from === undefined ? null : read(value.from, FROM);
  const { deadline } = value;
  if (subject === null || (value.from !== undefined && from === null)) return null;
  if (deadline !== null && !hasForm(deadline, 'moment')) return null;
  // Each field has been judged: this is the codec.
  return {
    ...{ ...fields, kind, deadline },
    subject: { ...subject, ...optional(value.subject, OPTIONAL[kind]) },
    ...(from && { from }),
  } as unknown as Gate;
}

/** These fields alone; null where one has not its form. */
function read(value: unknown, forms: Readonly<Record<string, Form>>): Record<string, unknown> | null {
  if (!isRecord(value)) return null;
  const fits = Object.entries(forms).every(([name, form]) => hasForm(value[name], form));
  return fits ? Object.fromEntries(Object.keys(forms).map(name => [name, value[name]])) : null;
}

function optional(value: unknown, forms: Readonly<Record<string, Form>> = {}): Record<string, unknown> {
  const fields = Object.entries(forms).map(([name, form]) => read(value, { [name]: form }));
  return Object.assign({}, ...fields);
}

/** The last moment that a date can tell, in milliseconds since the epoch. */
const LAST_MOMENT = 8.64e15;

function hasForm(value: unknown, form: Form): boolean {
  switch (form) {
    case 'name':
      return typeof value === 'string' && value.length <= LONGEST_ID;
    case 'text':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    case 'moment':
      return typeof value === 'number' && Math.abs(value) <= LAST_MOMENT;
    case 'boolean':
      return typeof value === 'boolean';
    case 'schema':
      return isRecord(value) && fitsForm(value);
    case 'texts':
      return Array.isArray(value) && value.every(each => typeof each === 'string');
  }
}
