/** How much a model thinks, in OpenAI's words. */
import type OpenAI from 'openai';
import type { ReasoningLevel } from '../../core/agents/role.js';
import type { RefusableOption } from '../request/refused-options.js';

export function toEffort(level: ReasoningLevel): OpenAI.ReasoningEffort {
  return level === 'off' ? 'none' : level;
}

/** As refusable, at its place in a body. Not every model that thinks can do without: the least is next to none. */
export function effortOption(path: string): RefusableOption {
  return { path, instead: [{ path, value: given => (given === 'none' ? 'minimal' : given) }] };
}
