/** Error answers in the one form that the SDK reads, `{ "error": { "message" } }`, whatever an endpoint sends. */
import { isRecord } from '../core/json.js';

/** A fetch whose error answers are in that form. Answers that are no JSON are left as they are. */
export async function fetchWithPlainErrors(
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  const response = await fetch(input, init);
  if (response.ok) return response;
  const text = await response.text();
  const { status, statusText, headers } = response;
  return new Response(plainError(text) ?? text, { status, statusText, headers });
}

/** Null when the text is no JSON or has nothing that could be a message. */
function plainError(text: string): string | null {
  const body = parse(text);
  // Gemini's endpoint sends a list with one error.
  const outer: unknown = Array.isArray(body) ? body[0] : body;
  if (!isRecord(outer)) return null;
  const error = outer.error ?? outer.detail ?? outer.message;
  if (error === undefined) return null;
  if (isRecord(error)) return JSON.stringify({ error });
  const message = typeof error === 'string' ? error : JSON.stringify(error);
  const { code, type, param } = outer;
  return JSON.stringify({ error: { message, code, type, param } });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
