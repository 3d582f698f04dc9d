/** Gates (C23): the one mechanism for all points where a run waits for a person, and what may be answered there. */

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
import { cutOptions, placeOf } from './options.js';

interface GateBase {
  /** Unique in the run, such as `g1`. Elsewhere it is the `gateId`. */
  id: string;
  /** One line. */
  title: string;
  /** What a person needs to know to answer: text, to be shown as it is. Approvals have their arguments between fences. */
  body: string;
  /** Milliseconds since the epoch. */
  openedAt: number;
  /** When the safe answer is taken; null: never. */
  deadline: number | null;
  /** The sub-agent that asks, where one does: the way to it, such as `search/1`, and the workflow id of its run. */
  from?: { agent: string; run: string };
}

interface ApprovalSubject {
  tool: string;
  /** The model's id of the call. */
  callId: string;
  arguments: string;
  /** Of the tool, as the run has it. */
  digest?: string;
  /** What "always" allows (`allowedBy`). Null: this call alone; absent: every call of the tool. */
  always?: string | null;
}

export type Gate = GateBase &
  (
    | { kind: 'approval'; subject: ApprovalSubject }
    | { kind: 'plan'; subject: { tasks: number } }
    /** `options`: answers that a person may choose, by letters where they are typed; they may answer otherwise. */
    | { kind: 'question'; subject: { role: string; options?: string[] } }
    /** `enlarges`: approving it changes a limit or a goal's means. */
    | { kind: 'route'; subject: { act: string; messageId: string; enlarges?: boolean } }
    /** A tool that the client runs; `callId` is the model's id of the call. `claimedBy`: who has begun it. */
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
    /** `models`: others that may be tried. */
    | { kind: 'failure'; subject: { model: string; models: string[] } }
    /** A task of a plan has failed. `canReplan`: its planner may be asked to mend the plan. */
    | { kind: 'step'; subject: { taskId: string; canReplan: boolean } }
    /** A tool server asks for the call `callId` that runs. `schema`: of the fields that it wants. */
    | { kind: 'form'; subject: { server: string; tool: string; callId: string; schema: JsonSchema } }
  );

export type GateKind = Gate['kind'];

/** `rule`: nobody needed to be asked. `superseded`: the answer is of no use any more. */
export const GATE_CLOSERS = ['person', 'timeout', 'rule', 'superseded'] as const;
export type GateCloser = (typeof GATE_CLOSERS)[number];

export type LostCall = Extract<CallFailure['kind'], 'cancelled' | 'timedOut' | 'lost'>;

export interface ClientAnswer {
  kind: 'clientTool';
  content: ToolContent[];
  isError: boolean;
  /** What became of a call that may have been begun, and whose result nobody gives. */
  lost?: LostCall;
}

/** In place of the result of a client's tool whose gate was open: somebody may have run it. */
export function lostResult(lost: LostCall): ClientAnswer {
  return { kind: 'clientTool', content: [], isError: true, lost };
}

/** What a person gives a tool server: the fields of its form, a refusal, or nothing. */
export type FormAnswer =
  | { kind: 'form'; decision: 'accept'; content: Record<string, unknown> }
  | { kind: 'form'; decision: 'decline' | 'cancel' };

export type GateAnswer =
  | {
      kind: 'approval';
      /** `always`: for what the gate says, in this run. */
      decision: 'approve' | 'deny' | 'always';
      reason: string | null;
      /** Edited arguments, to be checked again; null: as the model gave them. */
      arguments: Record<string, unknown> | null;
    }
  | { kind: 'plan'; decision: 'approve' }
  /** The reason goes to the planner (S6). */
  | { kind: 'plan'; decision: 'reject'; reason: string }
  /** All that is to be done: open tasks that it leaves out are removed, where `shown` is given only those of it. */
  | { kind: 'plan'; decision: 'edit'; tasks: TaskChange[]; shown?: string[] }
  /** Null: nobody answered. */
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
 * The gate as people see it, with as much of its texts as there is room for beside those that are open: nothing in
 * its words is unseen, so what they choose says what it seems to. What it is stays.
 */
export function fitGate(asked: Gate, open: readonly Gate[]): Gate {
  const gate = visibleGate(asked);
  const room = GATES_BYTES - sizeOfList(open);
  const bytes = Math.min(GATE_BYTES, Math.max(LEAST_GATE_BYTES, Math.floor(room / 2)));
  const { title, body, subject, ...fixed } = gate;
  const left = bytes - jsonBytes(fixed);
  // A question is cut before the answers that it proposes.
  const fits = gate.kind === 'question' ? fitOptions(gate, left) : fitted({ title, body, subject }, left);
  // The compiler does not follow that kind and subject belong together.
  return { ...fixed, ...fits } as Gate;
}

/** Of title and text. */
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

/** Fields of forms are drawn by `formFields`: their names are what servers know them by. */
function visibleGate(gate: Gate): Gate {
  const words = { title: visibleText(gate.title), body: visibleText(gate.body) };
  if (gate.kind !== 'question' || gate.subject.options === undefined) return { ...gate, ...words };
  return { ...gate, ...words, subject: { ...gate.subject, options: gate.subject.options.map(visibleText) } };
}

/** Whether a gate that was made to fit has all the fields or options that it is about; true where it is about none. */
export function hasWholeForm(fits: Gate, gate: Gate): boolean {
  if (gate.kind === 'question')
    return choicesOf(fits).join('\n') === choicesOf(gate).map(visibleText).join('\n');
  if (gate.kind !== 'form') return true;
  return fits.kind === 'form' && jsonBytes(fits.subject.schema) === jsonBytes(gate.subject.schema);
}

/** False where one more gate would be one too many: it is opened when its turn comes. */
export function isRoomForGate(open: readonly Gate[]): boolean {
  return GATES_BYTES - sizeOfList(open) >= LEAST_GATE_BYTES;
}

/** The decisions that a kind of gate takes; empty where the answer is a text or a result. */
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

/** The choices of one gate; of a question, what it proposes. Another model is none where there is no other, nor is a plan that no limit allows. */
export function choicesOf(gate: Gate): string[] {
  if (gate.kind === 'question') return gate.subject.options ?? [];
  const noModel = gate.kind === 'failure' && gate.subject.models.length === 0;
  const noPlan = gate.kind === 'step' && !gate.subject.canReplan;
  return GATE_CHOICES[gate.kind].filter(
    choice => !(noModel && choice === 'other_model') && !(noPlan && choice === 'replan'),
  );
}

/** The option that was typed, by its letter or its words; null for another answer. */
export function optionAt({ subject }: Extract<Gate, { kind: 'question' }>, typed: string): string | null {
  const { options = [] } = subject;
  return options[placeOf(typed)] ?? options.find(option => option === typed) ?? null;
}

/** The answer at the deadline, and where nobody can be asked. No plan is made anew for it: no person asked for one. */
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

/** What `--yes` answers: it never raises a budget or tries a failure again. */
const YES: Partial<Record<GateKind, GateAnswer>> = {
  approval: { kind: 'approval', decision: 'approve', reason: null, arguments: null },
  plan: { kind: 'plan', decision: 'approve' },
  route: { kind: 'route', decision: 'approve', reason: null },
};

/** The answer that needs no person; null: wait for one, until the deadline. Only a client gives a client tool's result. */
export function autoAnswer(gate: Gate, given: { yes: boolean; attended: boolean }): GateAnswer | null {
  const yes = given.yes && !onlyAPerson(gate) ? YES[gate.kind] : undefined;
  if (yes) return yes;
  const waits = given.attended || gate.kind === 'clientTool';
  return waits ? null : safeAnswer(gate, 'Nobody can be asked in this run.');
}

/** True for gates whose answer may enlarge a limit: no rule approves them, also not for `--yes`. */
function onlyAPerson(gate: Gate): boolean {
  return gate.kind === 'budget' || (gate.kind === 'route' && gate.subject.enlarges === true);
}

/** What was said at the gate of a call: by a person or their client, or by the rule in their place. */
export type CallAnswer = Extract<GateAnswer, { kind: 'approval' | 'clientTool' | 'question' }>;

export type GivenAnswer = Exclude<CallAnswer, { kind: 'approval' }>;
