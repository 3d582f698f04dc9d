/** Tools that change during a run: noticed in results of calls, and pinned when the next goal begins (T19). */

import { jsonBytes } from '../../base/json/json.js';
import { PINNED_BYTES } from '../../base/sizes/bounds.js';
import { fill, type Words } from '../../base/words/words.js';
import type { PinnedRun } from '../../run/agents/run-config.js';
import { toolAllowedBy } from '../../run/tools/permission.js';
import { relisted, type ToolChanges, toolChanges } from '../../run/tools/tool.js';
import type { Run } from '../run/run.js';

/** `at`: when a server reported a change of its tools. The current goal keeps its tools. */
export function noteChange({ state: { tools, goal } }: Run, at: number | undefined): void {
  if (at !== undefined && at > tools.listed.at) tools.listed.changedIn = goal.number;
}

/** Lists the tools again if that is due, in the first step of a goal, by one activity whose result the run pins. */
export async function reloadTools(run: Run): Promise<void> {
  const { state, ports } = run;
  const { listed } = state.tools;
  if (listed.changedIn === null || listed.changedIn >= state.goal.number) return;
  state.tools.listed = { ...listed, at: ports.now(), changedIn: null };
  const loaded = await ports.reloadTools();
  ports.throwIfCancelled();
  if (loaded.ok) pinTools(run, loaded.value);
  else if (loaded.failure.kind !== 'cancelled')
    run.journal('warning', { text: `The tools stay as they were: ${loaded.failure.message}` });
}

function pinTools(run: Run, listed: Pick<PinnedRun, 'tools' | 'fallbackServer'>): void {
  const { state, pinned } = run;
  const tools = relisted(pinned.tools, listed.tools);
  const changes = toolChanges(pinned.tools, tools);
  if (changes === null) return;
  // Measurements of a role are cached by its object, so copy it.
  const roles = Object.fromEntries(Object.entries(pinned.roles).map(([name, role]) => [name, { ...role }]));
  const next = { ...pinned, roles, tools, fallbackServer: listed.fallbackServer ?? pinned.fallbackServer };
  if (jsonBytes(next) > PINNED_BYTES) {
    run.journal('warning', { text: 'The tools stay as they were: there are too many of them now.' });
    return;
  }
  state.pinned = next;
  state.tools.listed.times += 1;
  // The person allowed the tool as it was before.
  const gone = [...changes.changed, ...changes.removed];
  state.people.allowedTools = state.people.allowedTools.filter(entry => !gone.includes(toolAllowedBy(entry)));
  run.journal('tools_changed', changes);
  run.say(run.mainThread(), 'instruction', changesText(run.words, changes));
}

/** Limit of names in a message for models. */
const MOST_NAMES = 50;

function changesText(words: Words, { added, removed, changed }: ToolChanges): string {
  const parts = [
    { words: words.toolsAdded, names: added },
    { words: words.toolsRemoved, names: removed },
    { words: words.toolsOther, names: changed },
  ].filter(({ names }) => names.length > 0);
  const sentences = parts.map(part =>
    fill(part.words, { names: part.names.slice(0, MOST_NAMES).join(', ') }),
  );
  return fill(words.toolsChanged, { changes: sentences.join(' ') });
}
