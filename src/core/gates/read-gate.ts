/** Reads a gate that another run tells of: total over any JSON, since anybody can send a signal. */
import { isRecord } from '../json.js';
import type { Gate, GateKind } from './gate.js';

type Form = 'text' | 'number' | 'boolean' | 'texts' | 'object';

/** What the subject of each kind must hold. */
const SUBJECTS: Record<GateKind, Record<string, Form>> = {
  approval: { tool: 'text', callId: 'text', arguments: 'text' },
  plan: { tasks: 'number' },
  question: { role: 'text' },
  route: { act: 'text', messageId: 'text' },
  clientTool: { tool: 'text', callId: 'text', arguments: 'text' },
  budget: { budget: 'text', limit: 'number', used: 'number' },
  failure: { model: 'text', models: 'texts' },
  form: { server: 'text', tool: 'text', callId: 'text', schema: 'object' },
  step: { taskId: 'text', canReplan: 'boolean' },
};

/** The gate, or null where it is none. */
export function readGate(value: unknown): Gate | null {
  if (!isRecord(value) || !isRecord(value.subject)) return null;
  const kind = (Object.keys(SUBJECTS) as GateKind[]).find(known => known === value.kind);
  if (kind === undefined || !fits(value, { id: 'text', title: 'text', body: 'text', openedAt: 'number' }))
    return null;
  if (value.deadline !== null && !hasForm(value.deadline, 'number')) return null;
  const { from } = value;
  if (from !== undefined && !(isRecord(from) && fits(from, { agent: 'text', run: 'text' }))) return null;
  // Each field has been judged: this is the codec.
  return fits(value.subject, SUBJECTS[kind]) ? (value as unknown as Gate) : null;
}

function fits(value: Record<string, unknown>, forms: Record<string, Form>): boolean {
  return Object.entries(forms).every(([name, form]) => hasForm(value[name], form));
}

function hasForm(value: unknown, form: Form): boolean {
  switch (form) {
    case 'text':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'object':
      return isRecord(value);
    case 'texts':
      return Array.isArray(value) && value.every(each => typeof each === 'string');
  }
}
