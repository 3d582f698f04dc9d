/** The next goal of a run. */

import { firstPosition } from '../../core/agents/modes.js';
import type { Account } from '../../core/limits/usage-by.js';
import { newGoal } from '../../core/state/goal.js';
import { preview } from '../../core/text/preview.js';
import type { Run } from '../run.js';

/**
 * The next goal of the run: counters and tasks of its own, the conversation goes on (S3). `spent`: what it
 * took to understand its message.
 */
export function beginNextGoal(run: Run, text: string, spent?: Account): void {
  const { state } = run;
  const { mode } = state.settings;
  state.goal = { ...newGoal(state.goal.number + 1, text, { mode, startedAt: run.ports.now() }), ...spent };
  state.tasks = [];
  state.tools.badCalls = {};
  state.models.failed = {};
  state.models.out = {};
  state.models.last = {};
  run.journal('goal_started', { number: state.goal.number, text: preview(text) });
  run.say(run.mainThread(), 'goal', text);
  run.enter(firstPosition(mode));
}
