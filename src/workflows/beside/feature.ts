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
import type { CallToolResult } from '../../activities/types.js';
import type { CallValues } from '../../rules/prompts/call-context.js';
import type { PinnedRole } from '../../run/agents/role.js';
import type { ToolResultBlock } from '../../run/messages/message.js';
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

  // Moments of a run, in the order in which they come. They only note, and `comesToRest` may have the run wait.

  /** A part of the run begins, the first one too: what the slice has in flight goes on. */
  partBegins?(run: R): void;
  /** Before each model call, when all else is said. */
  beforeCall?(run: R, role: PinnedRole): void;
  /** A tool call of the conversation has its result. */
  afterResult?(run: R, call: { callId: string; result: ToolResultBlock }): void;
  /** Something of its own is in flight beside the loop, so this part of the run can't end. */
  isBusy?(run: R): boolean;
  /** The run is about to end (`memory.isResting`): resolves when nothing of its own is in flight. Null: nothing is. */
  comesToRest?(run: R): Promise<void> | null;
  /** The run has ended: nothing is waited for any more. */
  ended?(run: R): void;
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
