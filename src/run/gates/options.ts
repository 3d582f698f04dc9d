/** Proposed answers of a question: how they are shown, so that no two look alike, and which one an answer means. Pure. */

import { jsonBytes } from '../../base/json/json.js';
import { cutMiddle } from '../../base/text/fit.js';
import { oneLine } from '../../base/text/preview.js';
import { codedText, lookalikes, visibleBlanks, visibleText } from '../../base/text/unseen.js';

/** The limit for all options of a question as JSON. A gate has room for them in addition to its question. */
const OPTIONS_BYTES = 12_000;
/** Options are never cut below this. */
const LEAST_OPTION_BYTES = 56;

const LETTERS = 'abcdefghi';
export const MOST_OPTIONS = LETTERS.length;

/** Options are labelled by letters, because a typed number may itself be an answer ("How many?"). */
export function optionLine(option: string, index: number): string {
  return `- ${LETTERS[index]}) ${option}`;
}

/** Returns the index of the option with this letter; -1 for other text. */
export function optionIndex(typed: string): number {
  const letter = /^\(?([a-i])\)?$/i.exec(typed)?.[1]?.toLowerCase();
  return letter === undefined ? -1 : LETTERS.indexOf(letter);
}

/** Returns the options as a person sees them, in order: each on one line, and different options look different. */
export function shownOptions(given: readonly string[]): string[] {
  const visible = given.map(visibleText);
  const lines = visible.map(oneLine);
  // Options that differ only in blanks show their blanks.
  const blanks = lines.map((line, at) =>
    isOnce(lines, given, at) ? line : visibleBlanks(visible[at] ?? ''),
  );
  return numbered(cutOptions(distinctOptions(blanks), OPTIONS_BYTES), given);
}

/** Cuts the middle of the longest options until all fit `bytes`. */
export function cutOptions(options: readonly string[], bytes: number): string[] {
  let most = bytes;
  let cut = [...options];
  while (jsonBytes(cut) > bytes && most > LEAST_OPTION_BYTES) {
    most = Math.max(LEAST_OPTION_BYTES, Math.floor(most * 0.8));
    cut = options.map(option => cutMiddle(option, most));
  }
  return numbered(cut, options);
}

/** Returns the chosen option in full, with invisible characters made visible; for another answer, the text itself. */
export function chosenOption(text: string, shown: readonly string[], given: readonly string[]): string {
  const option = given[shown.indexOf(text)];
  return option === undefined ? text : visibleText(option);
}

/**
 * Options that look alike are shown with codes. An option that equals another's letter is quoted, and so is an option
 * that looks like a quoted one.
 */
export function distinctOptions(all: readonly string[]): string[] {
  const alike = lookalikes(all);
  const options = all.map(option => (alike.has(option) ? codedText(option) : option));
  const quotes = options.map((option, index) => {
    const place = optionIndex(option);
    return options[place] !== undefined && place !== index;
  });
  const shown = () => options.map((option, at) => (quotes[at] ? JSON.stringify(option) : option));
  for (let round = 0; round < options.length; round += 1) {
    const now = shown();
    now.forEach((_, at) => {
      if (!isOnce(now, options, at)) quotes[at] = true;
    });
  }
  return shown();
}

/** Adds its number to each option that still looks like another. */
function numbered(shown: readonly string[], given: readonly string[]): string[] {
  let apart = [...shown];
  for (let round = 0; round < given.length; round += 1) {
    const now = apart;
    apart = now.map((option, at) => (isOnce(now, given, at) ? option : `${option} ‹option ${at + 1}›`));
  }
  return apart;
}

/** True if no different option is shown the same. */
function isOnce(shown: readonly string[], given: readonly string[], at: number): boolean {
  return shown.every((other, place) => other !== shown[at] || given[place] === given[at]);
}
