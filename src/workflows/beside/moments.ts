/** Calls the features of a run: one function for each moment. */

import type { CallValues } from '../../rules/prompts/call-context.js';
import type { ToolCallDecision } from '../../rules/tools/tool-call.js';
import type { PinnedRole } from '../../run/agents/role.js';
import type { GateAnswer } from '../../run/gates/gate.js';
import type { Limits } from '../../run/limits/limits.js';
import type { PictureRef, ToolUseBlock } from '../../run/messages/message.js';
import type { ModelSituation } from '../../run/models/resolver.js';
import type { VerdictOutput } from '../../run/outputs/contracts.js';
import type { Task } from '../../run/plan/plan.js';
import type { Position, Verification } from '../../run/position/position.js';
import type { GoalEnd } from '../../run/state/goal.js';
import type { OpenGate } from '../../run/state/people.js';
import type { RunState } from '../../run/state/run-state.js';
import type { ToolDefinition } from '../../run/tools/tool.js';
import type { Seen } from '../run/definitions.js';
import { MOVED, type Moved, type Run } from '../run/run.js';
import type { CallAhead, EndedCall, Feature, OwnRunner, Reviewed, VerdictRests, Work } from './feature.js';

/** Moves state that earlier code stored elsewhere to the slices of features. */
export function adopted(state: RunState, features: readonly Feature<Run>[]): RunState {
  for (const { slice } of features) slice?.adopt(state);
  return state;
}

/** Returns the name of the feature that binds the reply to the next call; null without one. */
export function formFor(run: Run, role: PinnedRole): string | null {
  return run.features.find(({ form }) => form?.binds(run, role))?.name ?? null;
}

/** Lets features look at an end. Meanwhile the goal counts as answered: no task is added, and messages follow it. */
export function answered(run: Run, end: GoalEnd, after = 0): Promise<GoalEnd | Moved> | null {
  const { features, state, ports } = run;
  for (const [index, feature] of features.entries()) {
    const looking = index < after ? null : (feature.answered?.(run, end) ?? null);
    if (looking === null) continue;
    state.idleSince = ports.now();
    return looking.then(settled => {
      state.idleSince = null;
      return settled === MOVED ? MOVED : (answered(run, settled, index + 1) ?? settled);
    });
  }
  return null;
}

export function segmentBegins(run: Run): void {
  for (const feature of run.features) feature.segmentBegins?.(run);
}

export function loaded(run: Run): void {
  for (const feature of run.features) feature.loaded?.(run);
}

export function modelChosen(run: Run, role: PinnedRole, model: string): void {
  for (const feature of run.features) feature.modelChosen?.(run, role, model);
}

/** Returns undefined if no feature prepares conversations. */
export function prepared(run: Run, ahead: CallAhead): Promise<boolean> | null | undefined {
  return run.features.find(({ prepares }) => prepares !== undefined)?.prepares?.(run, ahead);
}

export function beforeCall(run: Run, role: PinnedRole): void {
  for (const feature of run.features) feature.beforeCall?.(run, role);
}

export function goalBegins(run: Run): void {
  for (const feature of run.features) feature.goalBegins?.(run);
}

export function callBegins(run: Run, callId: string): void {
  for (const feature of run.features) feature.callBegins?.(run, callId);
}

/** Returns the waits of features before a call is made, one after the other, so that a stop can end them in between. */
export function beforeTool(
  run: Run,
  tool: ToolDefinition,
  input: Readonly<Record<string, unknown>>,
): readonly (() => Promise<void> | null)[] {
  return run.features.map(feature => () => feature.beforeTool?.(run, tool, input) ?? null);
}

export function afterResult(run: Run, call: EndedCall): void {
  for (const feature of run.features) feature.afterResult?.(run, call);
}

export function besideGoal(run: Run): { text: string; pictures: PictureRef[] }[] {
  return run.features.flatMap(feature => feature.withGoal?.(run) ?? []);
}

export function reviewsTool(run: Run, tool: ToolDefinition): boolean {
  return run.features.some(feature => feature.reviewsTool?.(run, tool) === true);
}

/** Returns a test whether a call that would be asked about may run unasked; null: a person is asked. */
export function unasked(
  run: Run,
  call: ToolUseBlock,
  decision: ToolCallDecision,
): (() => Promise<boolean>) | null {
  if (decision.kind !== 'ask') return null;
  for (const feature of run.features) {
    const test = feature.unasked?.(run, call, decision);
    if (test) return test;
  }
  return null;
}

export function hasPhase({ features }: Run, phase: Position['phase']): boolean {
  return features.some(({ phases }) => phases?.[phase] !== undefined);
}

/** Takes one step of a phase that a feature has. */
export function stepOf(run: Run, at: Position): Promise<GoalEnd | Moved> {
  for (const { phases } of run.features) {
    // The compiler does not see that position and step are of the same phase.
    const step = phases?.[at.phase] as ((run: Run, at: Position) => Promise<GoalEnd | Moved>) | undefined;
    if (step) return step(run, at);
  }
  throw new Error(`nobody takes the phase ${at.phase}`);
}

/** Called before each step of a goal. */
export async function stepBegins(run: Run): Promise<void> {
  for (const feature of run.features) {
    const waiting = feature.stepBegins?.(run);
    if (waiting) await waiting;
  }
}

/** Work that no feature reviews is approved. */
export function review(run: Run, work: Work): Reviewed {
  for (const feature of run.features) {
    const reviewed = feature.reviews?.(run, work);
    if (reviewed) return reviewed;
  }
  return { kind: 'done', approved: true, fixes: [], concerns: [] };
}

export function taskFailed(run: Run, task: Task): Promise<GoalEnd | Moved> | null {
  for (const feature of run.features) {
    const deciding = feature.taskFailed?.(run, task);
    if (deciding) return deciding;
  }
  return null;
}

export function callEnded(run: Run, callId: string): void {
  for (const feature of run.features) feature.callEnded?.(run, callId);
}

export function gateAnswered(run: Run, open: OpenGate, answer: GateAnswer): void {
  for (const feature of run.features) feature.gateAnswered?.(run, open, answer);
}

export function agentActed(run: Run, effects: readonly string[]): void {
  for (const feature of run.features) feature.agentActed?.(run, effects);
}

/** Returns null if nothing is awaited. One promise is returned itself: another tick could reorder commands. */
export function beforeVerdict(run: Run, position: Verification): Promise<void> | null {
  const begun = run.features.flatMap(feature => feature.beforeVerdict?.(run, position) ?? []);
  const [only = null, ...others] = begun;
  return others.length === 0 ? only : Promise.all(begun).then(() => undefined);
}

/** Without a feature that can tell, a verdict is the verifier's opinion. */
export function verdictRests(
  run: Run,
  position: Verification,
  verdict: VerdictOutput,
): Promise<VerdictRests> | VerdictRests {
  for (const feature of run.features) {
    const rests = feature.verdictRests?.(run, position, verdict);
    if (rests) return rests;
  }
  return { basis: 'opinion', changed: [] };
}

/** Waits for the features; they begin nothing meanwhile. */
export async function settleFeatures(run: Run): Promise<void> {
  run.memory.isResting = true;
  const resting = run.features.map(feature => feature.comesToRest?.(run) ?? null);
  for (const each of resting) if (each) await each;
  run.memory.isResting = false;
}

export function ended(run: Run): void {
  for (const feature of run.features) feature.ended?.(run);
}

export function argumentsOf({ features, state }: Run, callId: string): Record<string, unknown> | null {
  for (const feature of features) {
    const found = feature.argumentsOf?.(state, callId);
    if (found) return found;
  }
  return null;
}

export function seenOf({ features, state }: Run): Partial<Seen> {
  return Object.assign({}, ...features.map(feature => feature.seen?.(state)));
}

export function valuesOf({ features }: Run): CallValues {
  return Object.assign({}, ...features.map(({ values }) => values));
}

export function ownRunner({ features }: Run, name: string): OwnRunner<Run> | undefined {
  return features.find(({ tools = {} }) => Object.hasOwn(tools, name))?.tools?.[name];
}

export function factsOf({ features, state }: Run): Partial<ModelSituation> {
  return Object.assign({}, ...features.map(feature => feature.facts?.(state)));
}

/** Returns the limits that new sub-agents share. */
export function limitsToShare(run: Run): Limits {
  return run.features.reduce((limits, feature) => feature.limits?.(run, limits) ?? limits, run.limits);
}
