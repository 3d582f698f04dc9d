/** Gates (C23): the one mechanism for every point where a run waits for a person, and the answers possible there. */

import type { JsonSchema } from '../../base/json/json.js';
import { jsonBytes } from '../../base/json/json.js';
import { GATE_BYTES, GATES_BYTES, LEAST_GATE_BYTES } from '../../base/sizes/bounds.js';
import { sizeOfList } from '../../base/sizes/sizes.js';
import { fitted } from '../../base/text/fit.js';
import { visibleText } from '../../base/text/unseen.js';
import type { CallFailure } from '../limits/failure.js';
import type { BudgetKind } from '../limits/limits.js';
import type { ToolContent } from '../messages/message.js';
import type { StepDecision, TaskChange } from '../plan/plan.js';
import { cutOptions, optionIndex } from './options.js';

interface GateBase {
  /** Unique in the run, such as `g1`. Other types name it `gateId`. */
  id: string;
  /** One line. */
  title: string;
  /** The information that a person needs to answer, as plain text. Approvals have their arguments between fences. */
  body: string;
  /** Milliseconds since the epoch. */
  openedAt: number;
  /** The time at which the safe answer is taken; null: never. */
  deadline: number | null;
  /** The sub-agent that asks, if any: its path, such as `search/1`, and the workflow id of its run. */
  from?: { agent: string; run: string };
}

export const COMPARISONS = ['changed', 'new', 'same', 'unread'] as const;

interface ApprovalSubject {
  tool: string;
  /** The own name of a tool of `steersman tools`, such as `edit`; absent for tools of other servers. */
  workspaceTool?: string;
  /** The model's id of the call. */
  callId: string;
  arguments: string;
  /** The digest of the tool as the run has it. */
  digest?: string;
  /** The permission that "always" grants (`allowedBy`). Null: only this call; absent: every call of the tool. */
  always?: string | null;
  /** The gate asks about all of these calls, in order; the other fields describe the first. Absent: one call. */
  calls?: readonly GateCall[];
  /** The beginning of the model's own words about the call; absent without any. */
  why?: string;
  /** The doubts about the call; absent in gates of earlier versions, whose text has them, and with `calls`. */
  concerns?: readonly string[];
  compared?: GateCall['compared'];
}

export interface GateCall {
  tool: string;
  workspaceTool?: string;
  callId: string;
  /** The file that it changes. */
  path: string;
  /** The run's or a reviewer's doubts about the call; absent without any. */
  concerns?: readonly string[];
  /** For a call that writes a whole file: how that file compared with the new content when the question was asked. */
  compared?: (typeof COMPARISONS)[number];
}

export type Gate = GateBase &
  (
    | { kind: 'approval'; subject: ApprovalSubject }
    | { kind: 'plan'; subject: { tasks: number } }
    /** `options`: proposed answers, chosen by letter when typed; any other answer is accepted too. */
    | { kind: 'question'; subject: { role: string; options?: string[] } }
    /** `enlarges`: approval changes a limit or a goal's means. */
    | { kind: 'route'; subject: { act: string; messageId: string; enlarges?: boolean } }
    /** A tool that the client runs; `callId` is the model's id of the call. `claimedBy`: the client that has begun it. */
    | {
        kind: 'clientTool';
        subject: {
          tool: string;
          callId: string;
          arguments: string;
          idempotencyKey: string;
          claimedBy?: string;
        };
      }
    | { kind: 'budget'; subject: { budget: BudgetKind; limit: number; used: number } }
    /** `models`: other models that may be tried. */
    | { kind: 'failure'; subject: { model: string; models: string[] } }
    /** A task of a plan has failed. `canReplan`: the planner may be asked to mend the plan. */
    | { kind: 'step'; subject: { taskId: string; canReplan: boolean } }
    /** A tool server asks during the running call `callId`. `schema`: the fields that it wants. */
    | { kind: 'form'; subject: { server: string; tool: string; callId: string; schema: JsonSchema } }
  );

export type GateKind = Gate['kind'];

/** `rule`: answered without a person. `superseded`: the answer is obsolete. */
export const GATE_CLOSERS = ['person', 'timeout', 'rule', 'superseded'] as const;
export type GateCloser = (typeof GATE_CLOSERS)[number];

export type LostCall = Extract<CallFailure['kind'], 'cancelled' | 'timedOut' | 'lost'>;

export interface ClientAnswer {
  kind: 'clientTool';
  content: ToolContent[];
  isError: boolean;
  /** How a call was lost that may have begun and never got a result. */
  lost?: LostCall;
}

/** Replaces the result of a client's tool whose gate was open: a client may have run it. */
export function lostResult(lost: LostCall): ClientAnswer {
  return { kind: 'clientTool', content: [], isError: true, lost };
}

/** A person's answer to a tool server: the fields of its form, a refusal, or a dismissal. */
export type FormAnswer =
  | { kind: 'form'; decision: 'accept'; content: Record<string, unknown> }
  | { kind: 'form'; decision: 'decline' | 'cancel' };

export type GateAnswer =
  | {
      kind: 'approval';
      /** `always` also grants, for this run, the permission that the gate names. */
      decision: 'approve' | 'deny' | 'always';
      reason: string | null;
      /** Edited arguments, which are checked again; null: as the model sent them. */
      arguments: Record<string, unknown> | null;
      /** Calls of the gate that are denied although the others run, by id, each with a reason. */
      except?: Readonly<Record<string, string>>;
    }
  | { kind: 'plan'; decision: 'approve' }
  /** The planner gets the reason (S6). */
  | { kind: 'plan'; decision: 'reject'; reason: string }
  /** The complete list of tasks: omitted open tasks are removed, or with `shown` only the omitted ones among those. */
  | { kind: 'plan'; decision: 'edit'; tasks: TaskChange[]; shown?: string[] }
  /** Null: there was no answer. */
  | { kind: 'question'; text: string | null }
  | { kind: 'route'; decision: 'approve' | 'deny'; reason: string | null }
  | ClientAnswer
  /** `to`: the new limit, in the budget's own unit. */
  | { kind: 'budget'; decision: 'raise'; to: number }
  | { kind: 'budget'; decision: 'wrap_up' }
  | { kind: 'failure'; decision: 'retry' | 'stop' }
  | { kind: 'failure'; decision: 'other_model'; model: string }
  | { kind: 'step'; decision: StepDecision; reason: string | null }
  | FormAnswer;

/**
 * Returns the gate as people see it. Invisible characters become visible, so that no choice is deceptive. Its texts are
 * cut to the room that open gates leave. Kind and fixed fields stay unchanged.
 */
export function fitGate(asked: Gate, open: readonly Gate[]): Gate {
  const gate = visibleGate(asked);
  const room = GATES_BYTES - sizeOfList(open);
  const bytes = Math.min(GATE_BYTES, Math.max(LEAST_GATE_BYTES, Math.floor(room / 2)));
  const { title, body, subject, ...fixed } = gate;
  const left = bytes - jsonBytes(fixed);
  // The question is cut before its proposed answers.
  const fits = gate.kind === 'question' ? fitOptions(gate, left) : fitted({ title, body, subject }, left);
  // The compiler does not know that kind and subject belong together.
  return { ...fixed, ...fits } as Gate;
}

/** The least room for title and body. */
const LEAST_QUESTION_BYTES = 300;

function fitOptions({ title, body, subject }: Extract<Gate, { kind: 'question' }>, bytes: number) {
  const { options = [], ...fixed } = subject;
  const room = bytes - LEAST_QUESTION_BYTES - jsonBytes({ subject: { ...fixed, options: [] } });
  const fits = options.length > 0 ? { ...fixed, options: cutOptions(options, room) } : subject;
  const words = bytes - jsonBytes({ subject: fits });
  const fit = { ...fitted({ title, body }, words), subject: fits };
  // A gate of another run may have more options than this one asks with.
  return jsonBytes(fit) <= bytes ? fit : fitted({ title, body, subject }, bytes);
}

/** Makes invisible characters visible, except in form fields (`formFields`): servers know them by their exact names. */
function visibleGate(gate: Gate): Gate {
  const words = { title: visibleText(gate.title), body: visibleText(gate.body) };
  if (gate.kind !== 'question' || gate.subject.options === undefined) return { ...gate, ...words };
  return { ...gate, ...words, subject: { ...gate.subject, options: gate.subject.options.map(visibleText) } };
}

/** True if a fitted gate still has all fields, options or changes of the original, or if it has none. */
export function hasWholeForm(fits: Gate, gate: Gate): boolean {
  if (gate.kind === 'approval' && gate.subject.calls) return fits.body === visibleText(gate.body);
  if (gate.kind === 'question')
    return choicesOf(fits).join('\n') === choicesOf(gate).map(visibleText).join('\n');
  if (gate.kind !== 'form') return true;
  return fits.kind === 'form' && jsonBytes(fits.subject.schema) === jsonBytes(gate.subject.schema);
}

/** False if there is no room for another gate: it is then opened later. */
export function isRoomForGate(open: readonly Gate[]): boolean {
  return GATES_BYTES - sizeOfList(open) >= LEAST_GATE_BYTES;
}

/** The decisions that a kind of gate accepts; empty if the answer is a text or a result. */
export const GATE_CHOICES: Record<GateKind, readonly string[]> = {
  approval: ['approve', 'deny', 'always'],
  plan: ['approve', 'reject', 'edit'],
  question: [],
  route: ['approve', 'deny'],
  clientTool: [],
  budget: ['raise', 'wrap_up'],
  failure: ['retry', 'other_model', 'stop'],
  step: ['skip', 'replan', 'abort'],
  form: ['accept', 'decline', 'cancel'],
};

/** The choices of one gate; for a question its options. `other_model` and `replan` are left out if they are impossible. */
export function choicesOf(gate: Gate): string[] {
  if (gate.kind === 'question') return gate.subject.options ?? [];
  const noModel = gate.kind === 'failure' && gate.subject.models.length === 0;
  const noPlan = gate.kind === 'step' && !gate.subject.canReplan;
  return GATE_CHOICES[gate.kind].filter(
    choice => !(noModel && choice === 'other_model') && !(noPlan && choice === 'replan'),
  );
}

/** Returns the option that was typed by its letter or text; null for another answer. */
export function optionAt({ subject }: Extract<Gate, { kind: 'question' }>, typed: string): string | null {
  const { options = [] } = subject;
  return options[optionIndex(typed)] ?? options.find(option => option === typed) ?? null;
}

/** The answer at the deadline, or if no person can be asked. It never replans: that needs a person's wish. */
export function safeAnswer({ kind }: Gate, reason = 'Nobody answered in time.'): GateAnswer {
  const answers: { [K in GateKind]: Extract<GateAnswer, { kind: K }> } = {
    approval: { kind: 'approval', decision: 'deny', reason, arguments: null },
    plan: { kind: 'plan', decision: 'reject', reason },
    question: { kind: 'question', text: null },
    route: { kind: 'route', decision: 'deny', reason },
    clientTool: lostResult('timedOut'),
    budget: { kind: 'budget', decision: 'wrap_up' },
    failure: { kind: 'failure', decision: 'stop' },
    step: { kind: 'step', decision: 'skip', reason: null },
    form: { kind: 'form', decision: 'decline' },
  };
  return answers[kind];
}

/** The answers of `--yes`: it never raises a budget or retries a failure. */
const YES: Partial<Record<GateKind, GateAnswer>> = {
  approval: { kind: 'approval', decision: 'approve', reason: null, arguments: null },
  plan: { kind: 'plan', decision: 'approve' },
  route: { kind: 'route', decision: 'approve', reason: null },
};

/** Returns the answer without a person; null: wait until the deadline. Only a client can give a client tool's result. */
export function autoAnswer(gate: Gate, given: { yes: boolean; attended: boolean }): GateAnswer | null {
  const yes = given.yes && !onlyAPerson(gate) ? YES[gate.kind] : undefined;
  if (yes) return yes;
  const waits = given.attended || gate.kind === 'clientTool';
  return waits ? null : safeAnswer(gate, 'Nobody can be asked in this run.');
}

/** True for gates whose answer may enlarge a limit: rules and `--yes` never approve them. */
function onlyAPerson(gate: Gate): boolean {
  return gate.kind === 'budget' || (gate.kind === 'route' && gate.subject.enlarges === true);
}

/** The answer at the gate of a call: from a person, their client, or the rule that replaces them. */
export type CallAnswer = Extract<GateAnswer, { kind: 'approval' | 'clientTool' | 'question' }>;

export type CallReply = Exclude<CallAnswer, { kind: 'approval' }>;

/** A form with a larger schema is not shown, so it is not answered. */
const SCHEMA_BYTES = 6_000;

export function fitsForm(schema: JsonSchema): boolean {
  return jsonBytes(schema) <= SCHEMA_BYTES;
}
