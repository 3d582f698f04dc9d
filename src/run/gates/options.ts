/** Answers that a question proposes: how they are shown, so that no two look the same, and which one an answer means. Pure. */

import { jsonBytes } from '../../base/json/json.js';
import { cutMiddle } from '../../base/text/fit.js';
import { oneLine } from '../../base/text/preview.js';
import { codedText, lookalikes, visibleBlanks, visibleText } from '../../base/text/unseen.js';

/** All options of a question as JSON. A gate has room for them beside its question. */
const OPTIONS_BYTES = 12_000;
/** No option is cut shorter than this. */
const LEAST_OPTION_BYTES = 56;

const LETTERS = 'abcdefghi';
export const MOST_OPTIONS = LETTERS.length;

/**
 * Options are shown by letters: a figure that is typed is an answer of its own ("How many?").
 */
export function optionLine(option: string, index: number): string {
  return `- ${LETTERS[index]}) ${option}`;
}

/** The place of the option that has this letter; -1 for what is no letter. */
export function placeOf(typed: string): number {
  const letter = /^\(?([a-i])\)?$/i.exec(typed)?.[1]?.toLowerCase();
  return letter === undefined ? -1 : LETTERS.indexOf(letter);
}

/** Options as a person sees them, at their places: each whole in one line, and different ones are told apart. */
export function shownOptions(given: readonly string[]): string[] {
  const visible = given.map(visibleText);
  const lines = visible.map(oneLine);
  // What only blanks tell apart shows them.
  const blanks = lines.map((line, at) =>
    isOnce(lines, given, at) ? line : visibleBlanks(visible[at] ?? ''),
  );
  return numbered(cutOptions(toldApart(blanks), OPTIONS_BYTES), given);
}

/** The options within so many bytes: the longest lose their middle. */
export function cutOptions(options: readonly string[], bytes: number): string[] {
  let most = bytes;
  let cut = [...options];
  while (jsonBytes(cut) > bytes && most > LEAST_OPTION_BYTES) {
    most = Math.max(LEAST_OPTION_BYTES, Math.floor(most * 0.8));
    cut = options.map(option => cutMiddle(option, most));
  }
  return numbered(cut, options);
}

/** The option that a person chose, all of it, as it was given; what hides something says so. Else what they said. */
export function chosenOption(text: string, shown: readonly string[], given: readonly string[]): string {
  const option = given[shown.indexOf(text)];
  return option === undefined ? text : visibleText(option);
}

/**
 * What looks equal stands by its codes. An option whose words are the letter of another stands in quotes, and so does one
 * that looked like it then.
 */
export function toldApart(all: readonly string[]): string[] {
  const alike = lookalikes(all);
  const options = all.map(option => (alike.has(option) ? codedText(option) : option));
  const quotes = options.map((option, index) => {
    const place = placeOf(option);
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

/** What looks the same after all has its place behind it. */
function numbered(shown: readonly string[], given: readonly string[]): string[] {
  let apart = [...shown];
  for (let round = 0; round < given.length; round += 1) {
    const now = apart;
    apart = now.map((option, at) => (isOnce(now, given, at) ? option : `${option} ‹option ${at + 1}›`));
  }
  return apart;
}

/** Whether nothing else that was given is shown as this is. */
function isOnce(shown: readonly string[], given: readonly string[], at: number): boolean {
  return shown.every((other, place) => other !== shown[at] || given[place] === given[at]);
}
