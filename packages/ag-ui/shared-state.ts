/** A summary of a run as the shared state of AG-UI, its plan as an activity, and patches of both. */
import type { RunSnapshot } from 'steersman/client';
import type { AgUiPatch } from './events.js';

export const PLAN_ACTIVITY = 'PLAN';

export interface AgUiState extends Record<string, unknown> {
  run: string;
  goal: string | null;
  mode: string | null;
  phase: string | null;
  paused: boolean;
  outcome: string | null;
  tasks: { id: string; description: string; status: string }[];
  agents: { id: string; role: string; outcome: string | null }[];
  gates: { id: string; kind: string; title: string; deadline: number | null }[];
  artifacts: { id: string }[];
  usage: unknown;
}

export function stateOf(snapshot: RunSnapshot): AgUiState {
  const { id: run, goal, mode, phase, paused, outcome, tasks, children, gates, artifacts, usage } = snapshot;
  return {
    ...{ run, goal, mode, phase, paused, outcome },
    tasks: tasks.map(({ id, description, status }) => ({ id, description, status })),
    agents: children.map(({ id, agent: role, outcome: end }) => ({ id, role, outcome: end })),
    gates: gates.map(({ id, kind, title, deadline }) => ({ id, kind, title, deadline })),
    artifacts: artifacts.map(({ id }) => ({ id })),
    usage,
  };
}

/** Returns the patch between two values by field; lists of the same length are compared by item. */
export function patchOf(before: Record<string, unknown>, after: Record<string, unknown>): AgUiPatch[] {
  const gone = Object.keys(before).filter(key => !Object.hasOwn(after, key));
  return [
    ...gone.map(key => ({ op: 'remove' as const, path: `/${pointer(key)}` })),
    ...Object.keys(after).flatMap(key => fieldPatch(`/${pointer(key)}`, before[key], after[key])),
  ];
}

function fieldPatch(path: string, before: unknown, after: unknown): AgUiPatch[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (before === undefined) return [{ op: 'add', path, value: after }];
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return after.flatMap((item, at) => fieldPatch(`${path}/${at}`, before[at], item));
  return [{ op: 'replace', path, value: after }];
}

function pointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
