/** How many tokens a request allows for its reply, and how many an endpoint would grant. */
import type { Body } from './refused-options.js';

const KEYS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'] as const;
/** A shorter reply would be useless. */
const LEAST = 256;
/** The tokens left by a long request are rounded down to a multiple of this, so that a run learns few different limits. */
const ROUND = 512;

export function tokensAsked(body: Body): number | null {
  return KEYS.map(key => body[key]).find(given => typeof given === 'number') ?? null;
}

export function withTokensAtMost(body: Body, most: number): Body {
  const asked = KEYS.filter(key => Number(body[key]) > most);
  return asked.length === 0 ? body : { ...body, ...Object.fromEntries(asked.map(key => [key, most])) };
}

/** Returns the limit that the refusal implies, otherwise half of the request's; null if that is too little for a reply. */
export function fewerTokens(message: string, asked: number): number | null {
  const left = leftBeside(message, asked);
  const most = left === null ? (tokensNamed(message) ?? Math.floor(asked / 2)) : left - (left % ROUND);
  return most >= LEAST && most < asked ? most : null;
}

/** "maximum context length is 8192 tokens. However, you requested 18207 tokens (1823 in the messages, 16384 in the completion)". */
const OF_BOTH =
  /\bcontext length is (\d+)\b.{0,60}?\brequested (?:about )?(\d+) tokens.{0,120}?\b(\d+) (?:in|for) the (?:completion|output)/i;
/** "`inputs` tokens + `max_new_tokens` must be <= 8192. Given: 1823 `inputs` tokens". */
const OF_INPUTS = /max_new_tokens`? must be <= ?(\d+)\W.{0,20}?\b(\d+) `?inputs/i;

/**
 * Returns the tokens that a request leaves for its reply, also from "Limit 12000, Requested 17496", "5000 > 4096 -
 * 3000", "190000 + 21333 > 200000".
 */
function leftBeside(message: string, asked: number): number | null {
  const [, limit, requested] = /\blimit (\d+)\b.{0,30}?\brequested (\d+)/i.exec(message) ?? [];
  if (limit !== undefined) return asked - (Number(requested) - Number(limit));
  const [, length, both, reply] = OF_BOTH.exec(message) ?? [];
  if (length !== undefined) return Number(length) - (Number(both) - Number(reply));
  const [, whole, input] = OF_INPUTS.exec(message) ?? /\b\d+ > (\d+) - (\d+)/.exec(message) ?? [];
  if (whole !== undefined) return Number(whole) - Number(input);
  const [, given, , most] = /\b(\d+) \+ (\d+) > (\d+)/.exec(message) ?? [];
  return given === undefined ? null : Number(most) - Number(given);
}

function tokensNamed(message: string): number | null {
  const found =
    /(?:limit of|only afford|lower than|at most|equal to|\b\d+ >) [`'"]?(\d+)/i.exec(message) ??
    /\[\d+, ?(\d+)\]/.exec(message);
  return found === null ? null : Number(found[1]);
}
