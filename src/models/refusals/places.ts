/** Finds the part of a request that a refusal names, by its place or its name. */

export interface Refusal {
  status: number;
  message: string;
  param: string | null;
  code: string | null;
}

/** The text that may stand between a list and an index into it: `[3]`, `.3.`, ` -> 3`, `",3`, `/3/`, ` at index 3`. */
const BETWEEN = String.raw`["'\`\])]*\s*(?:->|[.,:/[(#])\s*["']?`;
const IN_WORDS = String.raw`\s+(?:message\s+)?(?:at\s+)?(?:index\s+|position\s+|number\s+)?#?`;

function placeIn(list: string, inWords: string): RegExp {
  return new RegExp(String.raw`\b(?:(?:${list})${BETWEEN}|(?:${inWords})${IN_WORDS})(\d+)\b`, 'i');
}

// Gemini's endpoint puts all tools of a request into its own `tools[0]`, so that place identifies no tool.
const TOOL = [
  placeIn('function_?declarations', 'function_?declarations'),
  new RegExp(
    `${placeIn('tools?|functions', 'tools|functions').source}(?!\\W{1,3}function_?declarations)`,
    'i',
  ),
];
const MESSAGE = [placeIn('messages?|input', 'messages?')];

function numberAt({ param, message }: Refusal, places: readonly RegExp[]): number | null {
  for (const text of [param ?? '', message]) {
    for (const place of places) {
      const number = place.exec(text)?.[1];
      if (number !== undefined) return Number(number);
    }
  }
  return null;
}

/** Returns the index of the tool that is named by its place; null if no tool is. */
export function toolPlace(refusal: Refusal): number | null {
  return numberAt(refusal, TOOL);
}

/** Returns the index of the message that is named by its place; null if no message is. */
export function messagePlace(refusal: Refusal): number | null {
  return numberAt(refusal, MESSAGE);
}

/** True if a text names something in quotes, or after the word "tool" or "function". */
export function namesQuoted(text: string, name: string): boolean {
  const word = escaped(name);
  return new RegExp(
    `['"\`‘“]${word}['"\`’”]|\\b(?:tool|function)s?(?: name[d]?)?:? ${word}(?![\\w-])`,
    'i',
  ).test(text);
}

export function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Matches a name in all its spellings: `reasoning_effort`, `reasoningEffort`, `reasoning effort`, `reasoning-effort`. */
export function spellings(name: string): RegExp {
  const parts = name.split('_').map(escaped);
  return new RegExp(`(?<![\\w.])${parts.join('[_ -]?')}(?![\\w])`, 'i');
}
