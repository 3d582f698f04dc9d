/** The capabilities of a run, for tasks that require some (`requiredCapabilities`): names, case-insensitive (A10). */

import { cutText } from '../../base/text/fit.js';
import type { PinnedRole } from '../../run/agents/role.js';
import { offeredTools, type PinnedRun } from '../../run/agents/run-config.js';
import type { PlannedTask, Task } from '../../run/plan/plan.js';
import { agentsInReach } from './subagent.js';

type Pinned = Pick<PinnedRun, 'roles' | 'tools' | 'permissions' | 'agents' | 'fallbackServer'>;

/** Names that a task may require; null: any name, because a server takes calls of unlisted tools. */
export type Capabilities = readonly string[] | null;

/** Returns the capabilities of the roles that carry out tasks; any of these roles may get a task. */
export function capabilitiesOf(pinned: Pinned): Capabilities {
  if (pinned.fallbackServer !== null) return null;
  return [...new Set(carriers(pinned).flatMap(role => namesOf(pinned, role)))];
}

/** A tool is a capability, and so is its server. */
function namesOf(pinned: Pinned, role: PinnedRole): string[] {
  const tools = offeredTools(pinned, role);
  const servers = tools.flatMap(({ origin }) => (origin.type === 'mcp' ? [origin.server] : []));
  return [role.name, ...tools.map(({ name }) => name), ...servers, ...namesBesides(pinned, role)];
}

/** Returns a role's declared capabilities, and its agents with theirs. */
function namesBesides(pinned: Omit<Pinned, 'fallbackServer'>, role: PinnedRole): string[] {
  const agents = agentsInReach(pinned, role);
  return [
    ...(role.capabilities ?? []),
    ...agents.flatMap(({ name, capabilities = [] }) => [name, ...capabilities]),
  ];
}

export const EXECUTOR = 'executor';

/** The executor, and other roles with its output that share its conversation, so that each continues the others' work. */
function carriers({ roles }: Pick<PinnedRun, 'roles'>): PinnedRole[] {
  const executor = roles[EXECUTOR];
  if (!executor) return [];
  const isOther = ({ name, output, memory }: PinnedRole) =>
    name !== EXECUTOR && output === 'execution' && memory === 'shared' && executor.memory === 'shared';
  return [executor, ...Object.values(roles).filter(isOther)];
}

/** Returns the name of the role for a task: the executor, unless it lacks a capability and another role has all. */
export function carrierOf(pinned: Pinned, { requiredCapabilities }: PlannedTask): string {
  const able = carriers(pinned).find(
    role => missing(requiredCapabilities, namesOf(pinned, role)).length === 0,
  );
  return able?.name ?? EXECUTOR;
}

/** Returns the roles' capabilities besides tools, including agents, each once: a planner sees them nowhere else (T15). */
export function ownCapabilities(pinned: Omit<Pinned, 'fallbackServer'>): string[] {
  return [...new Set(carriers(pinned).flatMap(role => namesBesides(pinned, role)))];
}

/** Returns the counted resources that a task holds: those that it requires by name, and servers of tools that it requires. */
export function resourcesOf(
  { resources = {}, tools }: Pick<PinnedRun, 'resources' | 'tools'>,
  { requiredCapabilities }: Pick<PlannedTask, 'requiredCapabilities'>,
): string[] {
  const wanted = new Set(requiredCapabilities.map(normal));
  for (const { name, origin } of tools)
    if (origin.type === 'mcp' && wanted.has(normal(name))) wanted.add(normal(origin.server));
  return Object.keys(resources).filter(name => wanted.has(normal(name)));
}

export function missing(wanted: readonly string[], has: Capabilities): string[] {
  if (has === null || wanted.length === 0) return [];
  const names = new Set(has.map(normal));
  return wanted.filter(name => !names.has(normal(name)));
}

function normal(name: string): string {
  return name.trim().toLowerCase();
}

const LACKS = 'not available: ';
const NAMES_SHOWN = 3;
const NAME_BYTES = 60;

/** True if the run lacks a capability of the task: only another plan reopens it. */
export function isLacking({ status, reason }: Pick<Task, 'status' | 'reason'>): boolean {
  return status === 'blocked' && (reason?.startsWith(LACKS) ?? false);
}

/** Blocks every pending task that requires a missing capability, under this cycle, with a reason that names it. */
export function blockLacking(
  tasks: readonly Task[],
  { has, cycle }: { has: Capabilities; cycle: number },
): { tasks: Task[]; blocked: Task[] } {
  const blocked: Task[] = [];
  const all = tasks.map((task): Task => {
    const names = task.status === 'pending' ? missing(task.requiredCapabilities, has) : [];
    if (names.length === 0) return task;
    const lacking: Task = { ...task, status: 'blocked', reason: `${LACKS}${inShort(names)}`, cycle };
    blocked.push(lacking);
    return lacking;
  });
  return { tasks: all, blocked };
}

function inShort(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).map(name => cutText(name, NAME_BYTES));
  const more = names.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}
