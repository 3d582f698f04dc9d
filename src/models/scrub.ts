/** Characters of an endpoint's own words that a message quotes. */
const MAX_QUOTE_CHARS = 300;
/** A request text is recognised by its beginning; shorter texts are too common to look for. */
const RECOGNISE_CHARS = 24;

const KEY_SHAPES = [
  /\bBearer\s+[^\s"',]+/gi,
  /\b(?:sk|pk|rk|gsk|xai)-[A-Za-z0-9_*-]{6,}/g,
  /\bAIza[A-Za-z0-9_-]{10,}/g,
  /([?&](?:api[-_]?)?key=)[^\s&"']+/gi,
];
/** Validation errors of some servers quote the body they were sent from here on. */
const BODY_ECHO = /["'](?:input|messages|body)["']\s*:/i;

/**
 * An endpoint's error text as a message may quote it: one line of at most 300 characters, without
 * the given secrets, without anything shaped like a key, and cut where it begins to repeat the request.
 */
export function scrub(text: string, secrets: readonly string[], requestTexts: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) if (secret !== '') clean = clean.replaceAll(secret, '[key]');
  for (const shape of KEY_SHAPES) {
    clean = clean.replace(shape, (_match, prefix: unknown) =>
      typeof prefix === 'string' ? `${prefix}[key]` : '[key]',
    );
  }
  clean = clean.replace(/\s+/g, ' ').trim();
  const cut = Math.min(echoStart(clean, requestTexts), MAX_QUOTE_CHARS);
  return cut < clean.length ? `${clean.slice(0, cut).trim()}…` : clean;
}

function echoStart(text: string, requestTexts: readonly string[]): number {
  let start = text.search(BODY_ECHO);
  if (start < 0) start = text.length;
  for (const requestText of requestTexts) {
    const head = requestText.replace(/\s+/g, ' ').trim().slice(0, RECOGNISE_CHARS);
    if (head.length < RECOGNISE_CHARS) continue;
    const at = text.indexOf(head);
    if (at >= 0 && at < start) start = at;
  }
  return start;
}

/** A URL without user, password and query: what messages may show. */
export function publicUrl(url: URL): string {
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
