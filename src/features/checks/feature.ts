/** The goal's checks: before its first change, after its work, and where a call is one of them. */
import { isWorkspaceTool } from '../../rules/tools/model-habits.js';
import type { ToolCallDecision } from '../../rules/tools/tool-call.js';
import { type Check, checksOf } from '../../run/checks/check.js';
import type { ToolUseBlock } from '../../run/messages/message.js';
import { matchesCall } from '../../run/tools/permission.js';
import type { Feature } from '../../workflows/beside/feature.js';
import type { Run } from '../../workflows/run/run.js';
import { readsNothingChanged } from './files.js';
import { checkBefore } from './make-check.js';
import { check } from './phase.js';

export const checks: Feature<Run> = {
  name: 'checks',
  phases: { checking: check },
  beforeTool: checkBefore,
  unasked: (run, call, decision) => {
    const itself = checkOf(run, call, decision);
    return itself && (() => readsNothingChanged(run, itself));
  },
};

/**
 * Returns the goal's check that equals the call word for word: who named the check has allowed its command (SE9). Null
 * if anything besides the default permission asks a person: `confirm`, a reviewer, or the reply itself.
 */
function checkOf(
  run: Run,
  call: ToolUseBlock,
  decision: Extract<ToolCallDecision, { kind: 'ask' }>,
): Check | null {
  if (!isWorkspaceTool(run.pinned, decision.tool, 'run')) return null;
  const { state, pinned, words } = run;
  if (!state.goal.start?.ref || decision.concerns.some(concern => concern !== words.mayDestroy)) return null;
  const called = { input: call.input, workspace: state.settings.workspace };
  const { name, serverToolName } = decision.tool;
  if (matchesCall([name, serverToolName], called, pinned.permissions.confirm)) return null;
  return checksOf(state).find(check => 'run' in check && check.run === call.input.command) ?? null;
}
