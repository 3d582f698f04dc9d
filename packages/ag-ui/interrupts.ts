/** Gates as interrupts of AG-UI, and what resumes them as answers to gates. */

import { isRecord, stringOr } from 'steersman/base';
import type { GateReply } from 'steersman/client';
import { partLines, partsOf } from 'steersman/rules';
import { choicesOf, type Gate, optionAt } from 'steersman/run';
import type { AgUiInterrupt } from './events.js';

type AskedGate = Exclude<Gate, { kind: 'clientTool' }>;

const REASONS: Record<AskedGate['kind'], string> = {
  approval: 'tool_call',
  plan: 'confirmation',
  route: 'confirmation',
  question: 'input_required',
  form: 'input_required',
  budget: 'steersman:budget',
  failure: 'steersman:failure',
  step: 'steersman:step',
};

/** Gates that ask a person; a tool of the client is a call of its own, without a result. */
export function asksPerson(gate: Gate): gate is AskedGate {
  return gate.kind !== 'clientTool';
}

/** Unique in a thread of several runs. */
export function interruptId(run: string, gateId: string): string {
  return `${run}:${gateId}`;
}

/** Null where it names no gate of this run. */
export function gateOf(run: string, id: string): string | null {
  return id.startsWith(`${run}:`) ? id.slice(run.length + 1) : null;
}

/** `toolCallId` of the call that a gate is about. */
export function toolCallOf(run: string, gate: Gate): string | null {
  const { kind } = gate;
  if (kind !== 'approval' && kind !== 'clientTool') return null;
  return `${gate.from?.run ?? run}/${gate.subject.callId}`;
}

export function interruptOf(run: string, gate: AskedGate): AgUiInterrupt {
  const { id, kind, title, deadline, subject, from } = gate;
  const text = partLines(partsOf(gate)).join('\n');
  const toolCallId = toolCallOf(run, gate);
  return {
    id: interruptId(run, id),
    reason: REASONS[kind],
    message: text === '' ? title : `${title}\n\n${text}`,
    ...(toolCallId !== null && { toolCallId }),
    responseSchema: schemaOf(gate),
    ...(deadline !== null && { expiresAt: new Date(deadline).toISOString() }),
    ...(from !== undefined && { subagentRunId: from.run }),
    metadata: { steersman: { run, gate: id, kind, title, choices: choicesOf(gate), subject } },
  };
}

const WORDS = { type: 'string' };
const YES_OR_NO = { approved: { type: 'boolean' }, reason: WORDS };

/** What a `payload` may be. */
function schemaOf(gate: AskedGate): Record<string, unknown> {
  const object = (properties: object, ...required: string[]) => ({ type: 'object', properties, required });
  switch (gate.kind) {
    case 'approval': {
      const editedArgs = { type: 'object', description: 'All arguments, in place of those of the call.' };
      const always = { type: 'boolean', description: 'Of this tool in this run.' };
      return object({ ...YES_OR_NO, editedArgs, always }, 'approved');
    }
    case 'plan':
    case 'route':
      return object(YES_OR_NO, 'approved');
    case 'question':
      return object({ text: WORDS }, 'text');
    case 'budget':
      return object({ decision: { enum: choicesOf(gate) }, to: { type: 'number' } }, 'decision');
    case 'failure':
      return object({ decision: { enum: choicesOf(gate) }, model: WORDS }, 'decision');
    case 'step':
      return object({ decision: { enum: choicesOf(gate) }, reason: WORDS }, 'decision');
    case 'form':
      return gate.subject.schema;
  }
}

export type Resumed = { status: 'resolved'; payload?: unknown } | { status: 'cancelled' };

/**
 * The answer; null where the payload is none. A payload with a `decision` is the answer of `run.answerGate` itself:
 * the run's own validator says what it takes. In a form with a field of that name it is the field.
 */
export function replyOf(gate: AskedGate, resumed: Resumed): GateReply | null {
  if (resumed.status === 'cancelled') return safeReply(gate);
  const { payload } = resumed;
  if (isRecord(payload) && typeof payload.decision === 'string' && !hasDecision(gate))
    return payload as GateReply;
  if (gate.kind === 'question') {
    const text = isRecord(payload) ? stringOr(payload.text, '') : stringOr(payload, '');
    // The message of an interrupt shows options by their letters.
    return text === '' ? null : { text: optionAt(gate, text.trim()) ?? text };
  }
  if (gate.kind === 'form') return isRecord(payload) ? { decision: 'accept', content: payload } : null;
  const given: Record<string, unknown> | null = isRecord(payload) ? payload : { approved: payload };
  return typeof given.approved === 'boolean' ? yesOrNo(gate, given) : null;
}

/** True where `decision` in a payload is a part of the answer: of a text, or of a form. */
function hasDecision({ kind, subject }: AskedGate): boolean {
  if (kind !== 'form') return kind === 'question';
  const { properties } = subject.schema;
  return isRecord(properties) && Object.hasOwn(properties, 'decision');
}

function yesOrNo({ kind }: AskedGate, payload: Record<string, unknown>): GateReply | null {
  const { approved, always, editedArgs } = payload;
  const reason = stringOr(payload.reason, '');
  if (kind === 'plan' && !approved) return { decision: 'reject', reason: reason || NO };
  if (kind === 'plan') return { decision: 'approve' };
  if (kind !== 'approval' && kind !== 'route') return null;
  const given = reason !== '' && { reason };
  if (kind === 'route') return { decision: approved ? 'approve' : 'deny', ...given };
  if (!approved) return { decision: 'deny', ...given };
  return {
    decision: always === true ? 'always' : 'approve',
    ...(isRecord(editedArgs) && { arguments: editedArgs }),
  };
}

const NO = 'The person said no.';
const GAVE_UP = 'The person gave no answer.';

/** As at the deadline. */
function safeReply({ kind }: AskedGate): GateReply {
  const replies: Record<AskedGate['kind'], GateReply> = {
    approval: { decision: 'deny', reason: GAVE_UP },
    plan: { decision: 'reject', reason: GAVE_UP },
    route: { decision: 'deny', reason: GAVE_UP },
    question: { text: GAVE_UP },
    budget: { decision: 'wrap_up' },
    failure: { decision: 'stop' },
    step: { decision: 'skip' },
    form: { decision: 'cancel' },
  };
  return replies[kind];
}
