/** The list below the line: what the word at the cursor may become, and the keys that choose from it. Pure. */
import { asksForFiles, completionAt, withChoice } from './complete.js';
import type { Key } from './keys.js';
import type { Effect, Menu, Step, Talk } from './talk-state.js';

/** The talk with the list that belongs to its line: a new one where the line is another than before. */
export function withMenu(before: Talk, talk: Talk, effects: Effect[] = []): Step {
  const { line, files } = talk;
  const same = line.text === before.line.text && line.cursor === before.line.cursor && files === before.files;
  if (same && talk.stage === before.stage) return { talk, effects };
  // In the history Up and Down go on, and what a gate is answered with is no message.
  const offers = talk.stage.kind === 'compose' && line.at === null;
  const completion = offers ? completionAt(line, talk) : null;
  const menu = completion && { completion, at: 0, moved: false };
  const asks = offers && asksForFiles(line) && !asksForFiles(before.line);
  return { talk: { ...talk, menu }, effects: asks ? [...effects, { do: 'list-files' }] : effects };
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
      return kind === 'command' && !step.talk.line.text.endsWith(' ') ? { typed: step.talk } : step;
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
