/** What an endpoint taught by a refusal: what is changed of each request to a model, and how far. */

export interface Lesson {
  /** What it is about: `option temperature`, `tool search`, `pictures`. */
  about: string;
  /** How often that was refused: each level changes more. */
  level: number;
  /** For a person: what was refused, and what happens now. */
  told: string;
  /** Of this call alone: later ones try again. */
  once?: true;
}

/** One step towards a request that an endpoint takes. */
export type Step = Omit<Lesson, 'told'>;

/** As a run keeps it. */
export function lessonId({ about, level }: Step): string {
  return `${about} ${level}`;
}

export function readLesson(id: string): Step | null {
  const [, about, level] = /^(.+) (\d)$/.exec(id) ?? [];
  return about === undefined ? null : { about, level: Number(level) };
}

const TOLD: readonly [RegExp, (name: string, level: number) => string][] = [
  [/^option (.+)$/, name => `the option ${name}: requests go on without it, or with the next best`],
  [
    /^tool (.+)$/,
    (name, level) =>
      level === 1
        ? `the schema of the tool ${name}: it gets a simpler one, and calls are checked by the original`
        : `the tool ${name}: it is not offered to this model`,
  ],
  [
    /^tools$/,
    () => 'the schema of a tool: all tools get simpler ones, and calls are checked by the originals',
  ],
  [/^strict tools$/, () => 'the field strict of tools: they are sent without it'],
  [/^tools in text$/, () => 'tools: they are described, and their calls read, as text'],
  [
    /^tools at most (\d+)$/,
    most => `so many tools: it is offered ${most}, those that it has called and the first`,
  ],
  [/^reply at most (\d+)$/, most => `so many tokens for a reply: it may have ${most}`],
  [/^pictures$/, () => 'pictures: notes stand in their place'],
  [/^picture (.+)$/, () => 'a picture: a note stands in its place'],
  [/^empty messages$/, () => 'messages without text: they say that they are empty'],
  [
    /^message (.+)$/,
    (_hash, level) =>
      `a message of the conversation: ${level === 1 ? 'it is sent as plain text' : 'a note stands in its place'}`,
  ],
  [
    /^order$/,
    (_name, level) =>
      `the order of the conversation: ${level === 1 ? 'it begins and ends with the user' : 'calls and results are sent as text'}`,
  ],
  [/^streaming$/, () => 'its replies in that way: they come whole where they were streamed, or the reverse'],
  [/^written calls$/, () => 'no calls but in the text of replies: those are read'],
];

/** `said`: the endpoint's own words, fit to be shown; empty for none. */
export function tellLesson(model: string, { about, level }: Step, said = ''): string {
  const found = TOLD.map(([pattern, tell]) => [pattern.exec(about), tell] as const).find(([match]) => match);
  const what = found
    ? found[1](found[0]?.[1] ?? '', level)
    : 'the form of the conversation: it is sent in another';
  const quote = said === '' ? '' : ` It said: "${said}"`;
  return `The endpoint of ${model} refused ${what}.${quote}`;
}
