/**
 * Loads what cleans the HTML that elements write, for `createHTML` of a Trusted Types policy named `default`. It is
 * loaded apart, because most pages draw no HTML.
 */
export async function loadSafeMarkup(): Promise<(html: string) => string> {
  const { safeMarkup } = await import('./safe-html.js');
  return safeMarkup;
}
