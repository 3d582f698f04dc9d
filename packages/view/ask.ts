/** Requests to a console's server, from a page. */
import type { FaultBody } from 'steersman/client';

/** A refusal of the server, with its message. */
export class AskFault extends Error {
  readonly code: string;
  readonly remedy: string;
  /** The option of a start that is wrong; null if it is not known. */
  readonly option: string | null;

  constructor({ code, message, remedy, option }: FaultBody['error']) {
    super(message);
    this.code = code;
    this.remedy = remedy;
    this.option = option ?? null;
  }
}

export interface Console {
  /** The console's address without a slash at its end. Default: the page's own origin. */
  url?: string | undefined;
  /** Default: none, for a console that is mounted behind a login. */
  token?: string | undefined;
}

/** The header that carries a token; null for a token that no header can carry, which no console knows. */
export function bearer(token: string): { authorization: string } | null {
  return /^[\x21-\x7e]*$/.test(token) ? { authorization: `Bearer ${token}` } : null;
}

/** `path`: below `/api/`. Without `body`, the path is read. @throws {AskFault} */
export async function ask<T>(
  { url = '', token = '' }: Console,
  path: string,
  { body, signal }: { body?: unknown; signal?: AbortSignal } = {},
): Promise<T> {
  const known = bearer(token);
  if (known === null)
    throw new AskFault({ code: 'refused', message: 'The token is not known.', remedy: 'Give another.' });
  const headers = { 'content-type': 'application/json', ...known };
  const post = body !== undefined && { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(`${url}/api/${path}`, { headers, ...post, ...(signal && { signal }) }).catch(
    () => null,
  );
  if (response === null)
    throw new AskFault({ code: 'away', message: 'The console does not answer.', remedy: '' });
  const answer = (await response.json().catch(() => null)) as T & Partial<FaultBody>;
  if (response.ok) return answer;
  throw new AskFault(answer?.error ?? { code: 'internal', message: `Status ${response.status}`, remedy: '' });
}

/** Returns the API path of a run, whose id may contain slashes. */
export function runPath(id: string, rest = ''): string {
  return `runs/${encodeURIComponent(id)}/${rest}`;
}
