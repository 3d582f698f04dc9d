/** Checks of a start request: used by clients before a start, and by the workflow itself. */
import { isRecord, utf8Length } from './json.js';
import { MODES } from './run-config.js';

/** Longer goals do not fit a workflow input well: name a file in the goal instead. */
export const MAX_GOAL_BYTES = 1_000_000;

/** What is wrong with a goal, in words; null when nothing is. */
export function goalError(goal: unknown): string | null {
  if (typeof goal !== 'string' || goal.trim() === '') return 'the goal is empty: say what the team should do';
  const bytes = utf8Length(goal);
  if (bytes > MAX_GOAL_BYTES) {
    return `the goal is ${bytes} bytes long, and at most ${MAX_GOAL_BYTES} are taken: put the text in a file of the workspace and name that file in the goal`;
  }
  return null;
}

/** All that is wrong with a start request, each with its path; empty when it can start. */
export function checkRunInput(input: unknown): string[] {
  if (!isRecord(input)) return ['the input must be an object { goal, settings }'];
  const errors: string[] = [];
  const goal = goalError(input.goal);
  if (goal) errors.push(goal);
  const { settings } = input;
  if (!isRecord(settings)) return [...errors, 'settings must be an object { mode, workspace, autoApprove }'];
  if (!MODES.some(mode => mode === settings.mode)) {
    errors.push(`settings.mode must be one of ${MODES.join(', ')}, not ${JSON.stringify(settings.mode)}`);
  }
  if (typeof settings.workspace !== 'string' || !settings.workspace.startsWith('/')) {
    errors.push("settings.workspace must be an absolute path on the worker's host");
  }
  if (typeof settings.autoApprove !== 'boolean') errors.push('settings.autoApprove must be true or false');
  return errors;
}
