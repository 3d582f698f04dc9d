/**
 * Options of a chat request that not every endpoint takes. Where one answers that it does not, the
 * request goes on without the option in the same try, and later ones leave it out from the start.
 */
import type OpenAI from 'openai';

export type ChatBody = OpenAI.Chat.ChatCompletionCreateParamsStreaming;

type Droppable =
  | 'response_format'
  | 'stream_options'
  | 'temperature'
  | 'max_completion_tokens'
  | 'max_tokens';

/** How an error names an option when it does not name it by its field. */
const OTHER_NAMES: Partial<Record<Droppable, RegExp>> = {
  response_format: /json.?schema|structured.?output|response mime type|grammar|guided/i,
};

const OTHER_TOKEN_LIMIT: Partial<Record<Droppable, 'max_tokens' | 'max_completion_tokens'>> = {
  max_completion_tokens: 'max_tokens',
  max_tokens: 'max_completion_tokens',
};

const DROPPABLE: readonly Droppable[] = [
  'response_format',
  'stream_options',
  'temperature',
  'max_completion_tokens',
  'max_tokens',
];

/** At most as many retries without waiting as there are options. */
export const MAX_OPTION_RETRIES = DROPPABLE.length;

/** What endpoints were found not to take, by endpoint and model. Lives as long as the worker process. */
export class EndpointOptions {
  readonly #refused = new Map<string, Set<Droppable>>();

  /** The body without the options that `model` is known to refuse. */
  apply(model: string, body: ChatBody): ChatBody {
    const refused = this.#refused.get(model) ?? new Set<Droppable>();
    let result = body;
    for (const option of refused) result = without(result, option, refused);
    return result;
  }

  /**
   * Learns from a 400 or 422. True when it names an option that `body` carries: the request is worth
   * sending again.
   */
  learn(model: string, body: ChatBody, error: { message: string; param: string | null }): boolean {
    const refused = this.#refused.get(model) ?? new Set<Droppable>();
    const option = DROPPABLE.find(
      name => body[name] !== undefined && !refused.has(name) && names(error, name),
    );
    if (option === undefined) return false;
    this.#refused.set(model, refused.add(option));
    return true;
  }
}

function names(error: { message: string; param: string | null }, option: Droppable): boolean {
  if (error.param !== null && error.param.split(/[.[]/)[0] === option) return true;
  const { message } = error;
  // "Use 'max_completion_tokens' instead of 'max_tokens'" names both: the one after "use" is the cure.
  const blamed = message.replace(/\buse ['"`]?\w+['"`]?/gi, '');
  return new RegExp(`\\b${option}\\b`).test(blamed) || (OTHER_NAMES[option]?.test(message) ?? false);
}

/** Leaves an option out. The token limit goes on under its other name, unless that is refused too. */
function without(body: ChatBody, option: Droppable, refused: ReadonlySet<Droppable>): ChatBody {
  const { [option]: value, ...rest } = body;
  const other = OTHER_TOKEN_LIMIT[option];
  return other && typeof value === 'number' && !refused.has(other) ? { ...rest, [other]: value } : rest;
}
