/** Role profiles: agents as data (P6). Written as front matter of `prompts/core/<role>.md`. */
import type { Dialect } from './envelope.js';

/**
 * What a role's final reply must be: a named output contract, or free text. `intent`, `route`, `review` and
 * `orchestration` are those of the understanding, router, reviewer and orchestrator roles (F15, F16, F20, F21).
 */
export type OutputContract =
  | 'plan'
  | 'execution'
  | 'verdict'
  | 'intent'
  | 'route'
  | 'review'
  | 'orchestration'
  | 'text';

export interface RoleProfile {
  /** File name without `.md`; unique. */
  name: string;
  description: string;
  /** `shared`: reads and writes the run's main thread (Y2); `private`: a thread of its own. */
  memory: 'shared' | 'private';
  /** Globs over tool names the role is offered; empty for none (L9). */
  tools: string[];
  output: OutputContract;
  /** The form of its JSON (C1): flat components of document 000, or envelopes of document 002. */
  dialect: Dialect;
  /** `provider/model`s in order of preference; empty: the run's default. */
  models: string[];
  temperature: number | null;
  /** Tokens of one reply; null leaves it to the endpoint. */
  maxOutputTokens: number | null;
}

/** A role as pinned in a run: its profile and its rendered system prompt (P1). */
export interface PinnedRole extends RoleProfile {
  system: string;
}
