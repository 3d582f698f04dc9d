/** Translates gates to interrupts of AG-UI, and resumed interrupts to answers of gates. */

import { isRecord, stringOr } from 'steersman/base';
import type { GateReply } from 'steersman/client';
import { type Chosen, type PersonInput, partLines, partsOf, replyTo } from 'steersman/rules';
import { choicesOf, type Gate, safeAnswer } from 'steersman/run';
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

/** True for gates that ask a person. A client's tool is instead a call without a result. */
export function asksPerson(gate: Gate): gate is AskedGate {
  return gate.kind !== 'clientTool';
}

/** Returns an id that is unique in a thread of several runs. */
export function interruptId(run: string, gateId: string): string {
  return `${run}:${gateId}`;
}

/** Returns null if the id names no gate of this run. */
export function gateOf(run: string, id: string): string | null {
  return id.startsWith(`${run}:`) ? id.slice(run.length + 1) : null;
}

/** Returns the `toolCallId` of the gate's call; null for gates without a call. */
export function toolCallOf(run: string, gate: Gate): string | null {
  const { kind } = gate;
  if (kind !== 'approval' && kind !== 'clientTool') return null;
  return `${gate.from?.run ?? run}/${gate.subject.callId}`;
}

export function interruptOf(run: string, gate: AskedGate): AgUiInterrupt {
  const { id, kind, title, deadline, subject, from } = gate;
  const text = partLines(partsOf(gate)).join('\n');
  // At the first of several calls, the question would seem to be about that call alone.
  const isOfSeveral = gate.kind === 'approval' && gate.subject.calls !== undefined;
  const toolCallId = isOfSeveral ? null : toolCallOf(run, gate);
  return {
    id: interruptId(run, id),
    reason: isOfSeveral ? REASONS.plan : REASONS[kind],
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

/** Returns the schema of `payload`. */
function schemaOf(gate: AskedGate): Record<string, unknown> {
  const object = (properties: object, ...required: string[]) => ({ type: 'object', properties, required });
  switch (gate.kind) {
    case 'approval': {
      const editedArgs = {
        type: 'object',
        description: 'All arguments; they replace those that the model gave.',
      };
      const always = { type: 'boolean', description: 'Allows this tool for the rest of this run.' };
      const except = {
        ...{ type: 'object', additionalProperties: WORDS },
        description: 'Changes to leave out, by number, each with a reason.',
      };
      return object(
        { ...YES_OR_NO, ...(gate.subject.calls ? { except } : { editedArgs }), always },
        'approved',
      );
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
 * Returns the answer; null if the payload is invalid. A payload with `decision` is passed to `run.answerGate`, unless
 * the gate's form has a field of that name.
 */
export function replyOf(gate: AskedGate, resumed: Resumed): GateReply | null {
  const given = resumed.status === 'cancelled' ? nobodys(gate) : inputOf(gate, resumed.payload);
  const made = given && replyTo(gate, given);
  // The run gives the best error message for an invalid answer.
  return (made && 'input' in made ? made.input : given) as GateReply | null;
}

function inputOf(gate: AskedGate, payload: unknown): PersonInput | null {
  if (isRecord(payload) && typeof payload.decision === 'string' && !hasDecision(gate))
    return payload as unknown as Chosen;
  if (gate.kind === 'question') {
    const text = isRecord(payload) ? stringOr(payload.text, '') : stringOr(payload, '');
    // The message of an interrupt lists options by their letters.
    return text.trim() === '' ? null : { line: text };
  }
  if (gate.kind === 'form') return isRecord(payload) ? { decision: 'accept', content: payload } : null;
  return yesOrNo(gate, isRecord(payload) ? payload : { approved: payload });
}

/** True if `decision` in a payload is part of the answer, which is a text or a form. */
function hasDecision({ kind, subject }: AskedGate): boolean {
  if (kind !== 'form') return kind === 'question';
  const { properties } = subject.schema;
  return isRecord(properties) && Object.hasOwn(properties, 'decision');
}

function yesOrNo(
  { kind }: AskedGate,
  { approved, always, editedArgs, except, reason }: Payload,
): Chosen | null {
  if (typeof approved !== 'boolean' || (kind !== 'approval' && kind !== 'plan' && kind !== 'route'))
    return null;
  const why = stringOr(reason, '');
  if (!approved) return { decision: 'deny', reason: why || (kind === 'plan' ? NO : '') };
  if (kind !== 'approval') return { decision: 'approve', reason: kind === 'route' ? why : '' };
  const decision = always === true ? 'always' : 'approve';
  return {
    decision,
    ...(isRecord(editedArgs) && { arguments: editedArgs }),
    // The run refuses a reason that is not a text.
    ...(isRecord(except) && { except: except as Record<string, string> }),
  };
}

type Payload = Readonly<Record<string, unknown>>;

const NO = 'The person said no.';
const GAVE_UP = 'The person gave no answer.';

/** Returns the answer for a cancelled interrupt: the same as at the deadline, with a reason that says so. */
function nobodys(gate: AskedGate): PersonInput {
  if (gate.kind === 'question') return { text: GAVE_UP };
  if (gate.kind === 'form') return { decision: 'cancel' };
  const { decision, reason } = { reason: null, decision: '', ...safeAnswer(gate, GAVE_UP) };
  return { decision, ...(reason !== null && { reason }) };
}
