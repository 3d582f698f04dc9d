/** The beginning of requests. It never changes during a run, because endpoints charge a tenth for a known beginning. */

import { fill, type Words, wordsOf } from '../../base/words/words.js';
import type { PinnedRole } from '../../run/agents/role.js';
import { offeredTools, type PinnedRun } from '../../run/agents/run-config.js';
import { RECALL, type ToolDefinition } from '../../run/tools/tool.js';
import { inventoryText, readsFiles } from './inventory.js';

export interface Prefix {
  key: string;
  system: string;
  tools: ToolDefinition[];
}

/** Returns the beginning of a role's requests. A shared one has all tools offered to any of its roles, in the run's order. */
export function prefixOf(pinned: PinnedRun, role: PinnedRole): Prefix {
  const isOwn = role.prefix === 'own';
  const sharing = isOwn ? [role] : Object.values(pinned.roles).filter(({ prefix }) => prefix === 'shared');
  const tools = offeredTools(pinned, ...sharing);
  const said = isOwn ? role.prompt : pinned.prefix.system;
  const { files } = pinned;
  const system =
    files !== undefined && tools.some(readsFiles)
      ? `${said}\n\n${inventoryText(files, wordsOf({ pinned }))}`
      : said;
  return { key: isOwn ? `own:${role.name}` : 'shared', system, tools };
}

/** Returns a role's prompt as a message of the thread: from there on, the model has that role. */
export function introduction(pinned: PinnedRun, role: PinnedRole, words: Words): string {
  const inBlock = prefixOf(pinned, role).tools.length;
  const own = offeredTools(pinned, role).map(({ name }) => name);
  const parts = [
    fill(words.takeRole, { role: role.name }),
    role.prompt,
    ...(own.length === inBlock ? [] : [toolsText(words, own)]),
  ];
  return parts.join('\n\n');
}

/**
 * Tells a role whose only tool is `recall` in how many replies it may call it; '' for others, and where nothing is left
 * out.
 */
export function recallText(pinned: PinnedRun, role: PinnedRole, rounds: number, words: Words): string {
  const own = offeredTools(pinned, role);
  if (rounds === 0 || own.length === 0 || own.some(({ name }) => name !== RECALL)) return '';
  return fill(words.recallOfRole, { rounds });
}

function toolsText(words: Words, own: readonly string[]): string {
  // `recallText` tells a role that only judges or sums up when it may call `recall`.
  if (own.every(name => name === RECALL)) return words.noToolsOfRole;
  return fill(words.toolsOfRole, { tools: own.join(', ') });
}
