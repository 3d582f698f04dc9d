/** The list below the line: what the word at the cursor may become, and the keys that choose from it. Pure. */
import { asksForFiles, completionAt, withChoice } from './complete.js';
import type { Key } from './keys.js';
import { serverToAsk } from './prompt-line.js';
import type { Effect, Menu, Step, Talk } from './talk-state.js';

/** The talk with the list that belongs to its line: a new one where the line is another than before. */
export function withMenu(before: Talk, talk: Talk, effects: Effect[] = []): Step {
  const { line, files, prompts } = talk;
  const sameLine = line.text === before.line.text && line.cursor === before.line.cursor;
  const same = sameLine && files === before.files && prompts === before.prompts;
  if (same && talk.stage === before.stage) return { talk, effects };
  // In the history Up and Down go on, and what a gate is answered with is no message.
  const offers = talk.stage.kind === 'compose' && line.at === null;
  const completion = offers ? completionAt(line, talk) : null;
  const menu = completion && { completion, at: 0, moved: false };
  return { talk: { ...talk, menu }, effects: offers ? [...effects, ...asked(before, talk)] : effects };
}

/** What is to be known for the list, once for each name that is begun. */
function asked(before: Talk, { line, prompts }: Talk): Effect[] {
  const effects: Effect[] = [];
  if (asksForFiles(line) && !asksForFiles(before.line)) effects.push({ do: 'list-files' });
  const server = serverToAsk(line, prompts);
  if (server !== null && server !== serverToAsk(before.line, before.prompts))
    effects.push({ do: 'list-prompts', server });
  return effects;
}

/**
 * A key while the list is open: Up and Down mark, Tab takes what is marked, Enter too where a person has marked it,
 * Esc closes a list of files. `typed`: the choice is in the line, and the key means what it always means. Null: the
 * key is not for the list.
 */
export function menuKey(talk: Talk, { name = '', ctrl, meta, shift }: Key): Step | { typed: Talk } | null {
  const { menu } = talk;
  if (menu === null || ctrl || meta) return null;
  const { choices, kind } = menu.completion;
  switch (name) {
    case 'up':
    case 'down': {
      const step = name === 'up' ? choices.length - 1 : 1;
      const at = (menu.at + step) % choices.length;
      return { talk: { ...talk, menu: { ...menu, at, moved: true } }, effects: [] };
    }
    case 'tab':
      return chosen(talk, menu);
    case 'return': {
      if (!menu.moved || shift) return null;
      const step = chosen(talk, menu);
      // A command that takes nothing more is complete.
      return kind === 'command' && !/[ :]$/.test(step.talk.line.text) ? { typed: step.talk } : step;
    }
    case 'escape':
      return kind === 'file' ? { talk: { ...talk, menu: null }, effects: [] } : null;
    default:
      return null;
  }
}

function chosen(talk: Talk, { completion, at }: Menu): Step {
  const choice = completion.choices[at];
  if (choice === undefined) return { talk, effects: [] };
  return withMenu(talk, { ...talk, line: withChoice(talk.line, completion, choice) });
}
