/** Reviews of plans, results and risky actions (F20, C8): code checks its part, the reviewer the other; the stricter wins. */

import { isAbsent } from '../../base/text/output-fields.js';
import { fill, type Words } from '../../base/words/words.js';
import { type Capabilities, missing } from '../../rules/agents/capabilities.js';
import { saysNothing } from '../../rules/outputs/empty-phrase.js';
import type { ToolEnding, ToolUseBlock } from '../../run/messages/message.js';
import type { ReviewOutput } from '../../run/outputs/contracts.js';
import { confirmationReasons, type EnvelopeMeta } from '../../run/outputs/envelope.js';
import type { PlannedTask, Task } from '../../run/plan/plan.js';
import { planCycles } from '../../run/plan/plan.js';
import type { ToolDefinition } from '../../run/tools/tool.js';

/** Results of the checks: faults reject, concerns need a person. Both are sentences. */
export interface ReviewChecks {
  faults: string[];
  concerns: string[];
}

export interface PlanCheck {
  tasks: readonly (PlannedTask & Pick<Task, 'byPerson'>)[];
  /** Tasks of earlier plans, which dependencies may name. */
  knownTaskIds: readonly string[];
  has: Capabilities;
  maxTasks: number;
  words: Words;
}

export function checkPlan({ tasks, knownTaskIds, has, maxTasks, words }: PlanCheck): ReviewChecks {
  const faults: string[] = [];
  if (tasks.length === 0) faults.push(words.reviewNoTask);
  if (tasks.length > maxTasks) faults.push(fill(words.reviewTooMany, { count: tasks.length, max: maxTasks }));
  const known = new Set([...knownTaskIds, ...tasks.map(task => task.id)]);
  const seen = new Set<string>();
  for (const task of tasks) {
    if (seen.has(task.id)) faults.push(fill(words.reviewTwice, { id: task.id }));
    seen.add(task.id);
    for (const needed of task.dependencies)
      if (!known.has(needed)) faults.push(fill(words.reviewNeeds, { id: task.id, needed }));
    // A planner may not change a person's task, and a call shows by its result that it is done.
    if (task.completionCriteria === null && !task.byPerson && !task.call)
      faults.push(fill(words.reviewNoCriterion, { id: task.id }));
    for (const needed of missing(task.requiredCapabilities, has))
      faults.push(fill(words.reviewLacks, { id: task.id, needed }));
  }
  for (const cycle of planCycles(tasks)) faults.push(fill(words.reviewCircle, { ids: cycle.join(', ') }));
  return { faults, concerns: [] };
}

export interface ResultCheck {
  taskId: string;
  /** The decision on the task, not the executor's claim. */
  completed: boolean;
  summary: string;
  calls: readonly { tool: string; ending: ToolEnding; isError: boolean }[];
  words: Words;
}

/** Checks a task's result: completion needs a result in words, and tool calls that did not all fail. */
export function checkResult({ taskId: id, completed, summary, calls, words }: ResultCheck): ReviewChecks {
  if (!completed) return { faults: [], concerns: [] };
  const faults: string[] = [];
  if (saysNothing(summary)) faults.push(fill(words.reviewNoResult, { id }));
  if (calls.length > 0 && calls.every(call => call.isError)) faults.push(fill(words.reviewAllFailed, { id }));
  const last = calls.at(-1);
  if (last?.ending === 'outcome_unknown') faults.push(fill(words.reviewUnknown, { id, tool: last.tool }));
  return { faults, concerns: [] };
}

export interface ActionCheck {
  call: Pick<ToolUseBlock, 'name' | 'input' | 'argErrors' | 'argsParseFailed'>;
  offered: readonly ToolDefinition[];
  /** The envelope of the reply with the call; `NO_ENVELOPE` in the component dialect. */
  envelope: EnvelopeMeta;
  words: Words;
}

/** Checks an action before it runs. High risk without a mitigation is a fault; with one it is a concern that shows it. */
export function checkAction({ call, offered, envelope, words }: ActionCheck): ReviewChecks {
  const faults: string[] = [];
  const tool = offered.find(candidate => candidate.name === call.name);
  if (tool === undefined) faults.push(fill(words.reviewNoTool, { tool: call.name }));
  if (call.argsParseFailed) faults.push(fill(words.reviewUnreadable, { tool: call.name }));
  for (const name of tool ? requiredArguments(tool) : []) {
    const value = Object.hasOwn(call.input, name) ? call.input[name] : undefined;
    if (isAbsent(value)) faults.push(fill(words.reviewArgument, { tool: call.name, name }));
  }
  faults.push(...(call.argErrors ?? []));
  const { risk } = envelope;
  if (risk?.level === 'high' && !risk.mitigation) faults.push(words.reviewRisk);
  return { faults, concerns: confirmationReasons(envelope, words) };
}

function requiredArguments({ inputSchema }: ToolDefinition): string[] {
  const { required } = inputSchema;
  return Array.isArray(required) ? required.filter(name => typeof name === 'string') : [];
}

export interface ReviewDecision {
  approved: boolean;
  fixes: string[];
  /** Why a person must confirm the output that code and reviewer approve, in sentences; empty if not needed. */
  concerns: string[];
}

/** Combines checks and reviewer. `review` null: without a reviewer, the checks decide; `unreadable`: a person confirms. */
export function decideReview(
  checks: ReviewChecks,
  review: ReviewOutput | 'unreadable' | null,
  { doubts = [], words }: { doubts?: readonly string[]; words: Words },
): ReviewDecision {
  // A review that approves but asks for fixes is not an approval. `doubts` are the reviewer's own, from its envelope.
  const asked = review === null || review === 'unreadable' ? null : review;
  const fixes = [...new Set([...checks.faults, ...(asked ? fixesOf(asked, words) : [])])];
  const approved = fixes.length === 0;
  if (!approved) return { approved, fixes, concerns: [] };
  const silent = review === 'unreadable' ? [words.reviewSilent] : [];
  return { approved, fixes, concerns: [...checks.concerns, ...silent, ...doubts] };
}

function fixesOf({ approved, requiredFixes, feedback }: ReviewOutput, words: Words): string[] {
  if (approved || requiredFixes.length > 0) return requiredFixes;
  return [feedback || words.reviewNoReason];
}
