/**
 * What the loop asks of a feature beside it. A feature is a constant in a folder of `src/features`. `src/compose.ts` gives
 * the list to the workflow, so the loop knows none of them. Everything but the name is optional.
 *
 * These rules keep replays: a moment in which a feature has nothing to do makes no command and waits for nothing. Features
 * are asked in the order of their names. Whatever a feature needs after a safe point is in its slice of the state.
 *
 * `R` is the run. It has features, so a type here can't name it without a circle.
 */
import type { UpdateDefinition } from '@temporalio/common';
import type { CallToolResult, MomentEnd, MomentParts } from '../../activities/types.js';
import type { CallValues } from '../../rules/prompts/call-context.js';
import type { PinnedRole } from '../../run/agents/role.js';
import type { Cause, Outcome } from '../../run/limits/cause.js';
import type { CallFailure } from '../../run/limits/failure.js';
import type { Limits } from '../../run/limits/limits.js';
import type { AssistantMessage, ToolResultBlock } from '../../run/messages/message.js';
import type { ModelSituation } from '../../run/models/resolver.js';
import type { RunState } from '../../run/state/run-state.js';
import type { AnySlice } from '../../run/state/slice.js';
import type { Seen } from '../run/definitions.js';
import type { Called, CallOptions } from '../run/ports.js';

export interface Feature<R> {
  name: string;
  /** Its part of the state, with its bound, and where earlier code had it. */
  slice?: AnySlice;
  /** What it shows in results, and in answers to the query `state`. */
  seen?(state: RunState): Partial<Seen>;
  /** A section in the Web UI. */
  status?(state: RunState): string;

  // What it adds to what models know.

  /** Tools that the run carries out itself, by name. */
  tools?: Readonly<Record<string, OwnRunner<R>>>;
  /** Values that prompts name. */
  values?: CallValues;

  // What others ask of the run.

  updates?: readonly Update<R>[];
  /** All arguments of a call of its own that is in flight; null if it has no such call. */
  argumentsOf?(state: RunState, callId: string): Record<string, unknown> | null;

  // What it adds to what the loop decides upon.

  /** What rows of the resolver and the worker's program are told. */
  facts?(state: RunState): Partial<ModelSituation>;
  /** The limits that sub-agents share. */
  limits?(run: R, limits: Limits): Limits;

  // Moments of a run, in the order in which they come. They only note; `tells` and `comesToRest` may have the run wait.

  /** A part of the run begins, the first one too: what the slice has in flight goes on. */
  partBegins?(run: R): void;
  /** The run is loaded, and its goal is not said yet. */
  loaded?(run: R): void;
  /** Before each model call, when all else is said. */
  beforeCall?(run: R, role: PinnedRole): void;
  /** The model of the next call is known; `state.models.at` has the one before it. */
  modelChosen?(run: R, role: PinnedRole, model: string): void;
  /** What concerns it of a moment that the worker is told of; null: nothing does. */
  tells?(run: R, moment: Moment): Part | null;
  /** A tool call of the conversation has its result. */
  afterResult?(run: R, call: { callId: string; result: ToolResultBlock }): void;
  /** Something of its own is in flight beside the loop, so this part of the run can't end. */
  isBusy?(run: R): boolean;
  /** The run is about to end (`memory.isResting`): resolves when nothing of its own is in flight. Null: nothing is. */
  comesToRest?(run: R): Promise<void> | null;
  /** The run has ended: nothing is waited for any more. */
  ended?(run: R): void;
}

export interface Reply {
  message: AssistantMessage;
  /** Its number in the run. */
  turn: number;
}

/** What the worker is told of before the run goes on: see `tell.ts`. */
export type Moment =
  /** The run is loaded, and nothing is begun: a failure refuses the start. */
  | { at: 'begin' }
  /** A reply has come, and its tools have not begun: a failure stops the run. */
  | { at: 'turn'; reply: Reply }
  /** Results of tools were said. */
  | { at: 'results'; messageIds: () => string[] }
  /** A model has failed a role for good, or the run could not begin. */
  | { at: 'error'; role: string; failure: CallFailure }
  | { at: 'goal'; outcome: Outcome; answer: string }
  /** Nothing is begun any more, also where the run was cancelled or could not begin. */
  | { at: 'end'; outcome: Outcome; cause: Cause };

export interface Part {
  /** What the activity is given of it, beside the moment. */
  input?: MomentParts;
  /** Called as soon as the activity has ended, in the order of features. */
  told?(ended: Called<MomentEnd>): void;
}

export interface OwnRunner<R> {
  /** A fault of the call, such as an unknown id, is a result. A failure of its activity is tried again or ends it. */
  run(run: R, call: OwnCall): Promise<Called<CallToolResult>>;
  /** What it does counts as evidence. */
  writes?: true;
}

/** A call of a tool that the run carries out itself. */
export interface OwnCall {
  /** Who calls. */
  role: string;
  callId: string;
  toolUseId: string;
  /** Checked against the schema. */
  input: Record<string, unknown>;
  /** For the activity that it may need. */
  options: CallOptions;
}

/** What a reader makes of an input; `type`: that of the refusal, unless it is the plain one. */
export type Read<T> = { ok: T } | { error: string; type?: string };

/** An update of a run. What `read` refuses is rejected before it is accepted, which costs no history. */
export interface Update<R, T = unknown, Result = unknown> {
  definition: UpdateDefinition<Result, [never]>;
  description: string;
  read(run: R): (input: unknown) => Read<T>;
  act(run: R, value: T): Result;
}

/** Hides the types of an update: what is read is what is acted upon. */
export function update<R, T, Result, Input>(
  given: Omit<Update<R, T, Result>, 'definition'> & { definition: UpdateDefinition<Result, [Input]> },
): Update<R> {
  return given as unknown as Update<R>;
}

/** The order in which features are asked: an edit of a list moves no command of a run. */
export function byName<F extends { name: string }>(features: readonly F[]): readonly F[] {
  return [...features].sort((a, b) => (a.name < b.name ? -1 : 1));
}
