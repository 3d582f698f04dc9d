/** Fills in the start form with the settings of a run, and opens it. */
import type { CheckResult, RunSnapshot } from 'steersman/client';
import { draft } from '../parts/draft.js';
import { go } from '../state.js';
import { startDraft } from './start-body.js';

/** Matches checks that the form can't hold: those that are not commands, and those that were cut. */
const IS_OTHER = /^(?:function|file|tool) |…/;

export function startAgain({ goal, mode, model, workspace, checks, limits }: RunSnapshot): void {
  const fields = {
    mode: mode ?? '',
    model: model ?? '',
    ...(workspace !== null && { workspace }),
    checks: commandsIn(checks).join('\n'),
    costUsd: String(limits?.costUsd ?? ''),
  };
  const name = startDraft();
  draft(name.goal).value = goal ?? '';
  draft(name.fields).value = JSON.stringify(fields);
  go('/');
}

function commandsIn(checks: readonly CheckResult[]): string[] {
  return checks.map(({ check }) => check).filter(check => !IS_OTHER.test(check));
}
