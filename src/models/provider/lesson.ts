/** A lesson is learnt from an endpoint's refusal: it says what to change in later requests to a model, and how far. */

export interface Lesson {
  /** The subject of the lesson: `option temperature`, `tool search`, `pictures`. */
  about: string;
  /** How often the subject was refused; each level changes more. */
  level: number;
  /** Explanation for a person: what was refused, and what is sent instead. */
  told: string;
  /** The lesson holds for this call only; later calls try the original again. */
  once?: true;
}

/** One step towards a request that the endpoint accepts. */
export type Step = Omit<Lesson, 'told'>;

/** Returns the form in which a run stores a lesson. */
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

/** `said` holds the endpoint's own words, safe to show; it is empty if there are no words to quote. */
export function tellLesson(model: string, { about, level }: Step, said = ''): string {
  const found = TOLD.map(([pattern, tell]) => [pattern.exec(about), tell] as const).find(([match]) => match);
  const what = found
    ? found[1](found[0]?.[1] ?? '', level)
    : 'the form of the conversation: it is sent in another';
  const quote = said === '' ? '' : ` It said: "${said}"`;
  return `The endpoint of ${model} refused ${what}.${quote}`;
}
