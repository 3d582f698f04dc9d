/** A conversation as the rules look at it: what is wanted, what is known, what there is room for. */
import type { Conversation } from './conversation.js';
import { gatherEvidence } from './evidence.js';
import { readGoal } from './goal.js';
import type { Seen } from './sections.js';
import type { Toolbox } from './tools.js';
import { STANDARD_TOOLS, toolboxOf } from './tools.js';

/**
 * Characters that a conversation may grow to. A run that continues as new carries its whole conversation,
 * and would have to drop some above 1.6 MB.
 */
const MOST_CHARS = 900_000;
/** The conversation as rules look at it. */
export interface View extends Seen {
  conversation: Conversation;
  roomChars: number;
  /** Tools by the names that were used so far: for roles that are offered none. */
  usedBox: Toolbox;
}

/** Reads goal and results. `extra`: words of a task that another planner wrote. */
export function viewOf(conversation: Conversation, extra = ''): View {
  const used = conversation.calls.map(call => call.name);
  return {
    conversation,
    intent: readGoal(`${conversation.goal}${extra === '' ? '' : `\n${extra}`}`),
    evidence: gatherEvidence(conversation.calls),
    roomChars: MOST_CHARS - conversation.chars,
    usedBox: toolboxOf([...used, ...STANDARD_TOOLS]),
  };
}
