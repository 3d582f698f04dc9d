/** Skills in a run: the worker reads one and compares it with the pinned digest, and the journal records it. */
import type { CallToolResult } from '../../activities/types.js';
import type { ToolContent } from '../../run/messages/message.js';
import { inlineInput } from '../../run/tools/ledger.js';
import type { Feature, OwnCall } from '../../workflows/beside/feature.js';
import type { Called } from '../../workflows/run/ports.js';
import type { Run } from '../../workflows/run/run.js';
import { READ_SKILL, type ReadSkillInput, SKILL, type SkillRead } from './rules.js';

export const skills: Feature<Run> = { name: 'skills', tools: { [SKILL]: { run: readSkill } } };

async function readSkill(run: Run, call: OwnCall): Promise<Called<CallToolResult>> {
  const { skills: pinned = {}, language } = run.pinned;
  const { workspace } = run.state.settings;
  const input: ReadSkillInput = {
    ...{ callId: call.callId, workspace, pinned, language },
    ...inlineInput(call.input),
  };
  const called = await run.call({ kind: 'tool', role: call.role }, call.options, () =>
    run.ports.activity(READ_SKILL, input, call.options),
  );
  if (!called.ok) return called;
  // The cast is safe: `worker.ts` has an activity of these types under this name.
  const { said, listed, loaded, ...read } = called.value as SkillRead;
  if (loaded) run.journal('skill_loaded', loaded);
  const content: ToolContent[] = [];
  if (said !== undefined) content.push({ type: 'text', text: said });
  if (listed) content.push({ type: 'json', value: listed });
  return { ok: true, value: { ...read, content, durationMs: 0 } };
}
