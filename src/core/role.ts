/** Role profiles: agents as data (P6). Written as front matter of `prompts/core/<role>.md`. */
import type { Dialect } from './outputs/envelope.js';

/**
 * What a role's final reply must be: a named output contract, or free text. `intent`, `route`, `review` and
 * `orchestration` are those of the understanding, router, reviewer and orchestrator roles.
 */
export const OUTPUT_CONTRACTS = [
  'plan',
  'execution',
  'verdict',
  'intent',
  'route',
  'review',
  'orchestration',
  'text',
] as const;
export type OutputContract = (typeof OUTPUT_CONTRACTS)[number];
/** Those whose replies are JSON. */
export type FormedContract = Exclude<OutputContract, 'text'>;

/** How much a model thinks before it answers. */
export const REASONING_LEVELS = ['off', 'low', 'medium', 'high'] as const;
export type ReasoningLevel = (typeof REASONING_LEVELS)[number];

export interface RoleProfile {
  /** File name without `.md`; unique. */
  name: string;
  description: string;
  /** `shared`: reads and writes the run's main thread; `private`: a thread of its own. */
  memory: 'shared' | 'private';
  /** Globs over tool names the role is offered; empty for none. */
  tools: string[];
  output: OutputContract;
  /** The form of its JSON: flat components, or envelopes. */
  dialect: Dialect;
  /** `provider/model`s in order of preference; empty: the run's default. */
  models: string[];
  /** 0 to 2; null leaves it to the endpoint. */
  temperature: number | null;
  /** Nucleus sampling, 0 to 1; null leaves it to the endpoint. */
  topP: number | null;
  /** Null leaves it to the model, as does every endpoint that knows no such choice. */
  reasoning: ReasoningLevel | null;
  /** Texts that end a reply where the model writes them. */
  stop: string[];
  /** Tokens of one reply, reasoning included; null leaves it to the endpoint. */
  maxOutputTokens: number | null;
}

const LONG_OUTPUT_TOKENS = 16_384;
const SHORT_OUTPUT_TOKENS = 8_192;

/**
 * Tokens of one reply where a profile says nothing: far more than a role needs, reasoning included, and an
 * end to a model that rambles. Work and texts may be long, decisions are short.
 */
export const DEFAULT_OUTPUT_TOKENS: Readonly<Record<OutputContract, number>> = {
  plan: LONG_OUTPUT_TOKENS,
  execution: LONG_OUTPUT_TOKENS,
  verdict: LONG_OUTPUT_TOKENS,
  text: LONG_OUTPUT_TOKENS,
  intent: SHORT_OUTPUT_TOKENS,
  route: SHORT_OUTPUT_TOKENS,
  review: SHORT_OUTPUT_TOKENS,
  orchestration: SHORT_OUTPUT_TOKENS,
};

/** A role as pinned in a run: its profile and its rendered system prompt. */
export interface PinnedRole extends RoleProfile {
  system: string;
}
