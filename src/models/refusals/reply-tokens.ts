/** How many tokens a request asks for its reply, and how many an endpoint would give. */
import type { Body } from '../request/refused-options.js';

const KEYS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'] as const;
/** A shorter reply says too little. */
const LEAST = 256;
/** What is left beside a long request is rounded down, so that a run learns few numbers. */
const ROUND = 512;

export function tokensAsked(body: Body): number | null {
  return KEYS.map(key => body[key]).find(given => typeof given === 'number') ?? null;
}

export function withTokensAtMost(body: Body, most: number): Body {
  const asked = KEYS.filter(key => Number(body[key]) > most);
  return asked.length === 0 ? body : { ...body, ...Object.fromEntries(asked.map(key => [key, most])) };
}

/** By the number in a refusal, else half of what was asked for; null where that is too little for a reply. */
export function fewerTokens(message: string, asked: number): number | null {
  const [, limit, requested] = /\blimit (\d+)\b.{0,30}?\brequested (\d+)/i.exec(message) ?? [];
  const told = /(?:limit of|only afford|lower than|at most) (\d+)/i.exec(message)?.[1];
  const over = limit === undefined ? null : Number(requested) - Number(limit);
  const beside = over === null ? null : asked - over - ((asked - over) % ROUND);
  const most = beside ?? (told === undefined ? Math.floor(asked / 2) : Number(told));
  return most >= LEAST && most < asked ? most : null;
}
