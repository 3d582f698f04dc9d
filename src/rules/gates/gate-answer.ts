/** Checks answers to gates (K4), in the updates' validators, so that a bad answer adds nothing to the history. */

import type { JsonSchema } from '../../base/json/json.js';
import { booleanOrNull, isRecord, jsonBytes, stringOr } from '../../base/json/json.js';
import { LONGEST_ID } from '../../base/sizes/bounds.js';
import { expected, isAbsent, numberOrNull, quoted, stringsOf } from '../../base/text/output-fields.js';
import { choicesOf, type Gate, type GateAnswer } from '../../run/gates/gate.js';
import { type Ceilings, ceilingFault, limitsFault } from '../../run/limits/limits.js';
import type { ToolContent } from '../../run/messages/message.js';
import { readPlannedTasks } from '../outputs/planned-tasks.js';

type GateOf<K extends Gate['kind']> = Extract<Gate, { kind: K }>;
type Input = Readonly<Record<string, unknown>>;
type PlanEdit = Extract<GateAnswer, { kind: 'plan'; decision: 'edit' }>;

export interface AnswerRules {
  /** The update with the answer; results of client tools have their own. */
  via: 'answerGate' | 'submitToolResult';
  /** The largest answer as JSON in UTF-8. */
  maxBytes: number;
  /** Returns how a gate was closed, in words without a full stop; null if it never existed. Default: always null. */
  closedHow?: (gateId: string) => string | null;
  /** Other tasks that an edited plan's dependencies may name. */
  knownTaskIds?: readonly string[];
  /** The worker's upper bounds for limits. */
  ceilings?: Ceilings;
  /** Returns the faults of a tool's edited arguments, by its schema. Default: no faults. */
  argumentFaults?: (tool: string, args: Record<string, unknown>) => string[];
  /** Returns the faults of a form's fields, by its schema. Default: no faults. */
  formFaults?: (schema: JsonSchema, content: Record<string, unknown>) => string[];
  /** Returns objections to an edited plan's tasks, besides their form. */
  planFaults?: (edit: PlanEdit) => string[];
}

export type CheckedAnswer = { ok: { gateId: string; answer: GateAnswer } } | { error: string };

/** Checks a received answer, such as `{ "gateId": "g1", "decision": "approve" }`. Errors state the correct form. */
export function checkAnswer(gates: readonly Gate[], input: unknown, rules: AnswerRules): CheckedAnswer {
  if (!isRecord(input)) return { error: expected('answer', 'an object with gateId', input) };
  const found = findGate(gates, input, rules);
  if (typeof found === 'string') return { error: found };
  const wanted = found.kind === 'clientTool' ? 'submitToolResult' : 'answerGate';
  if (rules.via !== wanted)
    return { error: `Gate ${found.id} is of kind ${found.kind}: answer it with ${wanted}.` };
  if (!isAbsent(input.kind) && input.kind !== found.kind)
    return { error: `Gate ${found.id} is of kind ${found.kind}, not ${stringOr(input.kind, 'that')}.` };
  const bytes = jsonBytes(input);
  if (bytes > rules.maxBytes)
    return { error: `The answer has ${bytes} bytes, and at most ${rules.maxBytes} are taken.` };
  const answer = readAnswer(found, input, rules);
  return typeof answer === 'string' ? { error: answer } : { ok: { gateId: found.id, answer } };
}

function findGate(gates: readonly Gate[], input: Input, { via, closedHow }: AnswerRules): Gate | string {
  const { gateId, callId } = input;
  const byCall = via === 'submitToolResult' && isAbsent(gateId) && typeof callId === 'string';
  if (!byCall && (typeof gateId !== 'string' || gateId.length > LONGEST_ID))
    return `${expected('gateId', 'the id of a gate', gateId)} ${openGates(gates)}`;
  const gate = gates.find(open =>
    byCall ? open.kind === 'clientTool' && open.subject.callId === callId : open.id === gateId,
  );
  if (gate !== undefined) return gate;
  if (byCall) return `No call ${quoted(callId)} waits for a result. ${openGates(gates)}`;
  const how = closedHow?.(String(gateId)) ?? null;
  if (how !== null)
    return `Gate ${gateId} is closed: ${how}.${gates.length > 0 ? ` ${openGates(gates)}` : ''}`;
  return `There is no gate ${gateId}. ${openGates(gates)}`;
}

function openGates(gates: readonly Gate[]): string {
  if (gates.length === 0) return 'No gate is open.';
  return `Open: ${gates.map(gate => `${gate.id} (${gate.kind})`).join(', ')}.`;
}

function readAnswer(gate: Gate, input: Input, rules: AnswerRules): GateAnswer | string {
  if (gate.kind === 'question') {
    const text = stringOr(input.text, '').trim();
    return text === ''
      ? expected('text', 'the answer as a non-empty text', input.text)
      : { kind: 'question', text };
  }
  if (gate.kind === 'clientTool') return readToolResult(input);
  const choices = choicesOf(gate);
  if (!choices.some(choice => choice === input.decision))
    return `For gate ${gate.id} of kind ${gate.kind}, ${expected('decision', `one of ${choices.join(', ')}`, input.decision)}`;
  switch (gate.kind) {
    case 'approval':
      return readApproval(gate, input, rules);
    case 'plan':
      return readPlanAnswer(input, rules);
    case 'route':
      return {
        kind: 'route',
        decision: input.decision === 'approve' ? 'approve' : 'deny',
        reason: reasonOf(input),
      };
    case 'budget':
      return readBudgetAnswer(gate, input, rules.ceilings ?? {});
    case 'failure':
      return readFailureAnswer(gate, input);
    case 'step': {
      const decision = input.decision === 'abort' || input.decision === 'replan' ? input.decision : 'skip';
      return { kind: 'step', decision, reason: reasonOf(input) };
    }
    case 'form':
      return readFormAnswer(gate, input, rules);
  }
}

function reasonOf(input: Input): string | null {
  return stringOr(input.reason, '').trim() || null;
}

function readApproval(
  gate: GateOf<'approval'>,
  input: Input,
  { argumentFaults }: AnswerRules,
): GateAnswer | string {
  const decision = input.decision === 'deny' || input.decision === 'always' ? input.decision : 'approve';
  const edited = isAbsent(input.arguments) ? null : input.arguments;
  if (edited !== null && !isRecord(edited)) return expected('arguments', 'an object', edited);
  if (edited !== null && decision === 'deny') return '`arguments` go with approve or always, not with deny.';
  if (edited !== null && gate.subject.calls)
    return '`arguments` go with a gate of one call: name a change in `except` to have it made otherwise.';
  const except = readExcept(gate, decision, input.except);
  if (typeof except === 'string') return except;
  const faults = (edited && argumentFaults?.(gate.subject.tool, edited)) ?? [];
  if (faults.length > 0) return `The arguments do not fit ${gate.subject.tool}: ${inOneSentence(faults)}.`;
  return {
    kind: 'approval',
    decision,
    reason: reasonOf(input),
    arguments: edited,
    ...(except && { except }),
  };
}

/** Reads the calls of a gate that are left out, by number or id. Null: none. */
function readExcept(
  { id, subject: { calls = [] } }: GateOf<'approval'>,
  decision: string,
  except: unknown,
): Readonly<Record<string, string>> | null | string {
  if (isAbsent(except)) return null;
  const wanted = 'an object of numbers of its changes, each with a reason,';
  if (!isRecord(except) || calls.length === 0)
    return expected('except', `${wanted} at a gate of several`, except);
  if (decision === 'deny') return '`except` goes with approve or always, not with deny.';
  const read = Object.entries(except).map(([name, reason]) => {
    const call = calls.find(({ callId }, index) => callId === name || String(index + 1) === name);
    return [call?.callId ?? null, stringOr(reason, '').trim()] as const;
  });
  if (read.some(([callId, reason]) => callId === null || reason === ''))
    return `Gate ${id} has the changes 1 to ${calls.length}: ${expected('except', wanted, except)}`;
  return Object.fromEntries(read);
}

function readPlanAnswer(input: Input, rules: AnswerRules): GateAnswer | string {
  if (input.decision === 'approve') return { kind: 'plan', decision: 'approve' };
  if (input.decision === 'reject') {
    const reason = reasonOf(input);
    if (reason === null)
      return expected('reason', 'a text that tells the planner what to change', input.reason);
    return { kind: 'plan', decision: 'reject', reason };
  }
  const list = input.tasks;
  if (!Array.isArray(list) || list.length === 0)
    return expected('tasks', 'an array of at least one task { id, description }', list);
  const errors: string[] = [];
  const knownTaskIds = rules.knownTaskIds ?? [];
  const tasks = readPlannedTasks(list, { field: 'tasks', knownTaskIds, byPerson: true }, errors);
  const shown = isAbsent(input.shown) ? null : stringsOf(input.shown);
  if (shown && !Array.isArray(input.shown))
    errors.push(expected('shown', 'an array of task ids', input.shown));
  const edit: PlanEdit = { kind: 'plan', decision: 'edit', tasks, ...(shown && { shown }) };
  errors.push(...(rules.planFaults?.(edit) ?? []));
  return errors.length > 0 ? errors.join(' ') : edit;
}

function readFormAnswer(
  { subject }: GateOf<'form'>,
  input: Input,
  { formFaults }: AnswerRules,
): GateAnswer | string {
  const { decision } = input;
  if (decision !== 'accept') return { kind: 'form', decision: decision === 'cancel' ? 'cancel' : 'decline' };
  const content = isAbsent(input.content) ? {} : input.content;
  if (!isRecord(content)) return expected('content', 'an object with the fields of the form', content);
  const faults = formFaults?.(subject.schema, content) ?? [];
  if (faults.length > 0) return `The fields do not fit the form: ${inOneSentence(faults)}.`;
  return { kind: 'form', decision: 'accept', content };
}

function readBudgetAnswer(gate: GateOf<'budget'>, input: Input, ceilings: Ceilings): GateAnswer | string {
  if (input.decision === 'wrap_up') return { kind: 'budget', decision: 'wrap_up' };
  const to = numberOrNull(input.to);
  const { budget, limit, used } = gate.subject;
  const floor = Math.max(limit, used);
  if (to === null || to <= floor) return expected('to', `a limit of ${budget} above ${floor}`, input.to);
  const raised = { [budget]: to };
  return limitsFault(raised) ?? ceilingFault(raised, ceilings) ?? { kind: 'budget', decision: 'raise', to };
}

function readFailureAnswer(gate: GateOf<'failure'>, input: Input): GateAnswer | string {
  if (input.decision !== 'other_model')
    return { kind: 'failure', decision: input.decision === 'retry' ? 'retry' : 'stop' };
  const { models } = gate.subject;
  const model =
    isAbsent(input.model) && models.length === 1 ? models[0] : models.find(m => m === input.model);
  if (model === undefined) return expected('model', `one of ${models.join(', ')}`, input.model);
  return { kind: 'failure', decision: 'other_model', model };
}

/** Reads a client's result: text, blocks of tool content, or any JSON, which becomes a block. */
function readToolResult(input: Input): GateAnswer | string {
  const { content } = input;
  if (isAbsent(content)) return expected('content', 'the result: a text, content blocks or JSON', content);
  const isError = isAbsent(input.isError) ? false : booleanOrNull(input.isError);
  if (isError === null) return expected('isError', 'a boolean', input.isError);
  if (typeof content === 'string')
    return { kind: 'clientTool', content: [{ type: 'text', text: content }], isError };
  const blocks = Array.isArray(content) ? content.map(readBlock) : [];
  const whole = blocks.length > 0 && blocks.every(block => block !== null);
  return {
    kind: 'clientTool',
    content: whole ? blocks.filter(block => block !== null) : [{ type: 'json', value: content }],
    isError,
  };
}

function readBlock(value: unknown): ToolContent | null {
  if (!isRecord(value)) return null;
  if (value.type === 'text' && typeof value.text === 'string') return { type: 'text', text: value.text };
  return value.type === 'json' && 'value' in value ? { type: 'json', value: value.value } : null;
}

/** Each schema fault ends with a full stop. */
function inOneSentence(faults: readonly string[]): string {
  return faults.map(fault => fault.replace(/\.$/, '')).join('; ');
}
