/** Reviews of plans, results and risky actions (F20, C8): code checks its part, the reviewer the other; the stricter wins. */

import { isAbsent } from '../../base/text/output-fields.js';
import type { Words } from '../../base/words/words.js';
import type { ToolEnding, ToolUseBlock } from '../../run/messages/message.js';
import type { ReviewOutput } from '../../run/outputs/contracts.js';
import { confirmationReasons, type EnvelopeMeta } from '../../run/outputs/envelope.js';
import type { PlannedTask, Task } from '../../run/plan/plan.js';
import { planCycles } from '../../run/plan/plan.js';
import type { ToolDefinition } from '../../run/tools/tool.js';
import { type Capabilities, missing } from '../agents/capabilities.js';
import { saysNothing } from '../outputs/empty-phrase.js';

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
}

export function checkPlan({ tasks, knownTaskIds, has, maxTasks }: PlanCheck): ReviewChecks {
  const faults: string[] = [];
  if (tasks.length === 0) faults.push('The plan has no task.');
  if (tasks.length > maxTasks)
    faults.push(`The plan has ${tasks.length} tasks, at most ${maxTasks} are run.`);
  const known = new Set([...knownTaskIds, ...tasks.map(task => task.id)]);
  const seen = new Set<string>();
  for (const task of tasks) {
    if (seen.has(task.id)) faults.push(`The id ${task.id} is used twice.`);
    seen.add(task.id);
    for (const id of task.dependencies)
      if (!known.has(id)) faults.push(`${task.id} needs ${id}, which is not a task.`);
    // A planner may not change a person's task.
    if (task.completionCriteria === null && !task.byPerson)
      faults.push(`${task.id} does not say how to see that it is done.`);
    for (const wanted of missing(task.requiredCapabilities, has))
      faults.push(`${task.id} needs ${wanted}, which is not available.`);
  }
  for (const cycle of planCycles(tasks)) faults.push(`These tasks wait for each other: ${cycle.join(', ')}.`);
  return { faults, concerns: [] };
}

export interface ResultCheck {
  taskId: string;
  /** The decision on the task, not the executor's claim. */
  completed: boolean;
  summary: string;
  calls: readonly { tool: string; ending: ToolEnding; isError: boolean }[];
}

/** Checks a task's result: completion needs a result in words, and tool calls that did not all fail. */
export function checkResult({ taskId, completed, summary, calls }: ResultCheck): ReviewChecks {
  if (!completed) return { faults: [], concerns: [] };
  const faults: string[] = [];
  if (saysNothing(summary)) faults.push(`${taskId} is called done without its result.`);
  if (calls.length > 0 && calls.every(call => call.isError))
    faults.push(`${taskId} is called done, but every tool call of it failed.`);
  const last = calls.at(-1);
  if (last?.ending === 'outcome_unknown')
    faults.push(
      `${taskId} is called done, but no later call checked whether its last call, ${last.tool}, took effect.`,
    );
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
  if (tool === undefined) faults.push(`There is no tool named ${call.name}.`);
  if (call.argsParseFailed) faults.push(`The arguments of ${call.name} are not readable.`);
  for (const name of tool ? requiredArguments(tool) : []) {
    const value = Object.hasOwn(call.input, name) ? call.input[name] : undefined;
    if (isAbsent(value)) faults.push(`${call.name} needs the argument ${name}.`);
  }
  faults.push(...(call.argErrors ?? []));
  const { risk } = envelope;
  if (risk?.level === 'high' && !risk.mitigation)
    faults.push('The risk is high, and nothing is said of how it is kept small.');
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
  doubts: readonly string[] = [],
): ReviewDecision {
  // A review that approves but asks for fixes is not an approval. `doubts`: the reviewer's own, from its envelope.
  const asked = review === null || review === 'unreadable' ? null : review;
  const fixes = [...new Set([...checks.faults, ...(asked ? fixesOf(asked) : [])])];
  const approved = fixes.length === 0;
  if (!approved) return { approved, fixes, concerns: [] };
  const silent = review === 'unreadable' ? ['The reviewer gave no verdict.'] : [];
  return { approved, fixes, concerns: [...checks.concerns, ...silent, ...doubts] };
}

function fixesOf({ approved, requiredFixes, feedback }: ReviewOutput): string[] {
  if (approved || requiredFixes.length > 0) return requiredFixes;
  return [feedback || 'The reviewer did not approve it and did not say why: check it against the goal.'];
}
