/** Fills in the start form with what a run was started with, and opens it. */
import type { StartAsk } from '@steersman/view';
import type { CheckResult, RunSnapshot } from 'steersman/client';
import { get, runPath } from '../ask.js';
import { go } from '../state.js';
import { fieldsIn } from './start-body.js';
import { startDraft } from './start-draft.js';

/** Matches checks that the form can't hold: those that are not commands, and those that were cut. */
const IS_OTHER = /^(?:function|file|tool) |…/;

/** Throws the server's refusal. */
export async function startAgain(run: RunSnapshot): Promise<void> {
  const asked = (await get<StartAsk | null>(runPath(run.id, 'start'))) ?? askedAsTold(run);
  const { goal, fields, files } = startDraft();
  goal.value = asked.goal;
  fields.value = JSON.stringify(fieldsIn(asked));
  files.value = [...(asked.files ?? []), ...(asked.pictures ?? [])];
  go('/');
}

/** Returns the start as its snapshot has it, if Temporal has deleted the original. */
function askedAsTold({ goal, mode, model, workspace, checks, limits }: RunSnapshot): StartAsk {
  const { costUsd = null } = limits ?? {};
  return {
    ...{ goal: goal ?? '', attended: true, checks: commandsIn(checks), keepOpenSeconds: 1 },
    ...(mode !== null && { mode }),
    ...(model !== null && { model }),
    ...(workspace !== null && { workspace }),
    ...(costUsd !== null && { limits: { costUsd } }),
  };
}

function commandsIn(checks: readonly CheckResult[]): string[] {
  return checks.map(({ check }) => check).filter(check => !IS_OTHER.test(check));
}
