/**
 * The interface between the loop and a feature. A feature is a constant in a folder of `src/features`. `src/compose.ts` passes
 * the list to the workflow, so the loop does not import them. Everything but the name is optional.
 *
 * These rules keep replays valid: a moment in which a feature has nothing to do makes no command and awaits nothing. Features
 * are called in the order of their names. All that a feature needs after a safe point is in its slice of the state.
 *
 * `R` is the run. The run has features, so naming its type here would create an import cycle.
 */
import type { QueryDefinition, SignalDefinition, UpdateDefinition } from '@temporalio/common';
import type { CallToolResult, MomentEnd, MomentParts } from '../../activities/types.js';
import type { JsonSchema } from '../../base/json/json.js';
import type { CallValues } from '../../rules/prompts/call-context.js';
import type { ToolCallDecision } from '../../rules/tools/tool-call.js';
import type { PinnedRole } from '../../run/agents/role.js';
import type { Basis } from '../../run/evidence/evidence.js';
import type { GateAnswer } from '../../run/gates/gate.js';
import type { Cause, Outcome } from '../../run/limits/cause.js';
import type { CallFailure } from '../../run/limits/failure.js';
import type { Limits } from '../../run/limits/limits.js';
import type {
  AssistantMessage,
  PictureRef,
  ToolResultBlock,
  ToolUseBlock,
} from '../../run/messages/message.js';
import type { PinnedCall } from '../../run/models/model-use.js';
import type { ModelSituation } from '../../run/models/resolver.js';
import type { VerdictOutput } from '../../run/outputs/contracts.js';
import type { Task } from '../../run/plan/plan.js';
import type { Position, Verification } from '../../run/position/position.js';
import type { GoalEnd } from '../../run/state/goal.js';
import type { OpenGate } from '../../run/state/people.js';
import type { RunState } from '../../run/state/run-state.js';
import type { AnySlice } from '../../run/state/slice.js';
import type { Thread } from '../../run/state/thread.js';
import type { ToolDefinition } from '../../run/tools/tool.js';
import type { Seen } from '../run/definitions.js';
import type { Called, CallOptions } from '../run/ports.js';

export interface Feature<R> {
  name: string;
  /** Its part of the state, with its size limit, and the place where earlier code stored it. */
  slice?: AnySlice;
  /** Its part of results, and of answers to the query `state`. */
  seen?(state: RunState): Partial<Seen>;
  /** Returns a section for the Web UI. */
  status?(state: RunState): string;

  // Additions to what models know.

  /** Tools that the run carries out itself, by name. */
  tools?: Readonly<Record<string, OwnRunner<R>>>;
  /** Values that prompts name. */
  values?: CallValues;
  /** A schema that binds replies in words, at endpoints that support it. */
  form?: Form<R>;

  /** Phases of goals that it carries out: each takes one step from a position. */
  phases?: { [P in Position['phase']]?: Step<R, P> };
  /** Returns a test whether a call that a person would be asked about may run unasked; null: they are asked. */
  unasked?(run: R, call: ToolUseBlock, decision: AskedCall): (() => Promise<boolean>) | null;
  /** True if calls of this tool are reviewed: they never run in parallel with others. */
  reviewsTool?(run: R, tool: ToolDefinition): boolean;
  /** Returns the review of work before it counts; null if this feature does not review it. */
  reviews?(run: R, work: Work): Reviewed | null;
  /**
   * Resolves with how the goal continues after a failed task, if another role decides that; null: the run's policy
   * holds.
   */
  taskFailed?(run: R, task: Task): Promise<GoalEnd | 'moved'> | null;

  // Requests from outside the run.

  updates?: readonly Update<R>[];
  signals?: readonly Signal<R>[];
  queries?: readonly Query<R>[];
  /** Returns all arguments of one of its calls in flight; null if it has no such call. */
  argumentsOf?(state: RunState, callId: string): Record<string, unknown> | null;

  // Additions to what the loop decides upon.

  /** Returns facts for rows of the resolver and for the worker's program. */
  facts?(state: RunState): Partial<ModelSituation>;
  /** Returns the limits that sub-agents share. */
  limits?(run: R, limits: Limits): Limits;

  /** Returns how many calls in flight wait for a person: if all do, the goal's clock stops. */
  callsWaiting?(run: R): number;

  // Moments of a run, in order. Features only take notes; `tells`, `answered` and `comesToRest` may make the run wait.

  /** A segment begins, including the first: the feature resumes what its slice has in flight. */
  segmentBegins?(run: R): void;
  /** The run is loaded, and its goal is not in the thread yet. */
  loaded?(run: R): void;
  /** Returns what the first goal's message has besides the goal: more text, pictures. */
  withGoal?(run: R): { text: string; pictures: PictureRef[] } | null;
  /** A step of the goal begins. Resolves when it may; null: at once. */
  stepBegins?(run: R): Promise<void> | null;
  /** A goal after the first begins. */
  goalBegins?(run: R): void;
  /**
   * Called before each model call, after the messages that tell the role its work. The thread may be trimmed
   * afterwards, which can drop what is said here: to stay, a message needs a purpose whose last message stays
   * (`PURPOSES`).
   */
  beforeCall?(run: R, role: PinnedRole): void;
  /** The model of the next call is known; `state.models.at` has the previous one. */
  modelChosen?(run: R, role: PinnedRole, model: string): void;
  /**
   * Prepares a conversation for a call, in place of the loop's trim to what the model takes. At most one feature has
   * it. Resolves with false if an event came meanwhile, which the loop handles first; null: ready at once.
   */
  prepares?(run: R, ahead: CallAhead): Promise<boolean> | null;
  /** Returns what the feature adds when the worker is notified of this moment; null if nothing. */
  tells?(run: R, moment: Moment): Part | null;
  /** A call of the conversation begins, perhaps in parallel with others. */
  callBegins?(run: R, callId: string): void;
  /** The call is about to be made. Resolves when it may be; null: at once. */
  beforeTool?(run: R, tool: ToolDefinition, input: Readonly<Record<string, unknown>>): Promise<void> | null;
  /** A person has answered a gate of this run, which may close at once. */
  gateAnswered?(run: R, open: OpenGate, answer: GateAnswer): void;
  /** A call of a tool has ended in any way, or an attempt of it. */
  callEnded?(run: R, callId: string): void;
  /** A tool call of the conversation has its result. */
  afterResult?(run: R, call: EndedCall): void;
  /** A sub-agent reports what it has done, a line for each effect. */
  agentActed?(run: R, effects: readonly string[]): void;
  /** True if something of its own is in flight outside the loop, so that this segment cannot end. */
  isBusy?(run: R): boolean;
  /** The verifier is about to judge: resolves once what its verdict may cite is set. Null: at once. */
  beforeVerdict?(run: R, position: Verification): Promise<void> | null;
  /** Resolves with what an accepted verdict rests on; null: this feature cannot tell. */
  verdictRests?(run: R, position: Verification, verdict: VerdictOutput): Promise<VerdictRests> | null;
  /**
   * The goal has its answer, and its end is not recorded yet. Resolves with the new end, or with `moved` if the feature
   * has moved the run to a position that answers the goal again. Null: the end is unchanged.
   */
  answered?(run: R, end: GoalEnd): Promise<GoalEnd | 'moved'> | null;
  /** The run is about to end (`memory.isResting`): resolves when nothing of the feature is in flight; null if nothing is. */
  comesToRest?(run: R): Promise<void> | null;
  /** The run has ended: nothing is awaited. */
  ended?(run: R): void;
}

/** A model call that is about to be made. */
export interface CallAhead {
  role: PinnedRole;
  thread: Thread;
  model: string;
  toolsOffered: boolean;
}

export interface Form<R> {
  /** True if the schema binds the reply to the next call, which then may not call tools. The pinned call stores this. */
  binds(run: R, role: PinnedRole): boolean;
  schema(state: RunState): JsonSchema | null;
}

/** Returns the schema that binds the reply to a pinned call; null without one. */
export function formOf(
  features: readonly Pick<Feature<never>, 'name' | 'form'>[],
  state: RunState,
  { form }: PinnedCall,
): JsonSchema | null {
  return features.find(({ name }) => name === form)?.form?.schema(state) ?? null;
}

/** A call of the conversation with its result. */
export interface EndedCall {
  callId: string;
  result: ToolResultBlock;
  /** The tool that ran, or that is pinned under the call's name; null for an unknown name. */
  tool: ToolDefinition | null;
  /** The arguments it ran with. */
  input: Readonly<Record<string, unknown>>;
}

export interface VerdictRests {
  /** Null if nothing was accepted. */
  basis: Basis | null;
  /** Files that it cites and that have changed since they were looked at. */
  changed: string[];
}

type Step<R, P extends Position['phase']> = (
  run: R,
  at: Extract<Position, { phase: P }>,
) => Promise<GoalEnd | 'moved'>;

export type AskedCall = Extract<ToolCallDecision, { kind: 'ask' }>;

/** Work that may be reviewed: the plan in force, a task's report, a call that acts. */
export type Work =
  | { kind: 'plan' }
  | { kind: 'result'; task: Task; report: string }
  | { kind: 'call'; reply: AssistantMessage; call: ToolUseBlock; tool: ToolDefinition };

export type Reviewed =
  /** A role is being asked; the run returns to its position afterwards. */
  | { kind: 'pending' }
  /** `concerns`: why a person must confirm what is approved. */
  | { kind: 'done'; approved: boolean; fixes: string[]; concerns: string[] };

export interface Reply {
  message: AssistantMessage;
  /** Its number in the run. */
  turn: number;
}

/** Moments that the worker is notified of before the run continues: see `tell.ts`. */
export type Moment =
  /** The run is loaded, and nothing has begun: a failure refuses the start. */
  | { at: 'begin' }
  /** A reply has arrived, and its tools have not begun: a failure stops the run. */
  | { at: 'turn'; reply: Reply }
  /** Results of tools were added to the thread. */
  | { at: 'results'; messageIds: () => string[] }
  /** A model has failed a role after all retries, or the run could not begin. */
  | { at: 'error'; role: string; failure: CallFailure }
  | { at: 'goal'; outcome: Outcome; answer: string }
  /** The run has ended. This moment also follows a cancellation, and a start that failed. */
  | { at: 'end'; outcome: Outcome; cause: Cause };

export interface Part {
  /** This feature's input of the activity, in addition to the moment's. */
  input?: MomentParts;
  /** Called as soon as the activity has ended, in the order of features. */
  told?(ended: Called<MomentEnd>): void;
}

export interface OwnRunner<R> {
  /** Carries out a call. Its fault, such as an unknown id, is a result. A failed activity is retried or ends the call. */
  run(run: R, call: OwnCall): Promise<Called<CallToolResult>>;
  /** Its calls count as work on the goal, though they change nothing outside the run. */
  writes?: true;
}

/** A call of a tool that the run carries out itself. */
export interface OwnCall {
  /** The role that calls. */
  role: string;
  callId: string;
  toolUseId: string;
  /** Checked against the schema. */
  input: Record<string, unknown>;
  /** Options of the activity that it may need. */
  options: CallOptions;
}

/** The result of a reader of input. `type`: failure type of a refusal, if it is not the plain one. */
export type Read<T> = { ok: T } | { error: string; type?: string };

/** An update of a run. A refusal by `read` rejects it before it is accepted, which costs no history. */
export interface Update<R, T = unknown, Result = unknown> {
  definition: UpdateDefinition<Result, [never]>;
  description: string;
  read(run: R): (input: unknown) => Read<T>;
  act(run: R, value: T): Result;
}

/** Hides the types of an update: `act` gets what `read` returned. */
export function update<R, T, Result, Input>(
  given: Omit<Update<R, T, Result>, 'definition'> & { definition: UpdateDefinition<Result, [Input]> },
): Update<R> {
  return given as unknown as Update<R>;
}

/** A signal to a run. Its handler accepts any JSON, and does not throw. */
export interface Signal<R> {
  definition: SignalDefinition<[unknown]>;
  description: string;
  hear(run: R, input: unknown): void;
}

/** Hides the type of what a signal carries: any client can send another. */
export function signal<R, Input>(
  given: Omit<Signal<R>, 'definition'> & { definition: SignalDefinition<[Input]> },
): Signal<R> {
  return given as unknown as Signal<R>;
}

/** A query of a run, which accepts any JSON. */
export interface Query<R, Answer = unknown> {
  definition: QueryDefinition<Answer, [unknown]>;
  description: string;
  answer(run: R, input: unknown): Answer;
}

/** Hides the types of a query. */
export function query<R, Answer, Input>(
  given: Omit<Query<R, Answer>, 'definition'> & { definition: QueryDefinition<Answer, [Input]> },
): Query<R> {
  return given as unknown as Query<R>;
}

/** Sorts features into the order in which they are called, so that editing a list changes no command of a run. */
export function byName<F extends { name: string }>(features: readonly F[]): readonly F[] {
  return [...features].sort((a, b) => (a.name < b.name ? -1 : 1));
}
