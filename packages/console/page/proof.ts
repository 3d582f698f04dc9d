/** Asks the server to prove that it is the console of this tab, which knows the token: see the server's `proof.ts`. */

const encoder = new TextEncoder();

/** A console that has proved itself must always do so. If a server with a login mounts the console, it may give no proofs. */
let hasProved = false;

/** `refused`: the server knows no such token. */
export async function proves(token: string, signal: AbortSignal): Promise<boolean | 'refused'> {
  // A console behind its own login has no token. Browsers offer no keys to pages of other machines without TLS.
  if (token === '' || globalThis.crypto?.subtle === undefined) return true;
  const key = await digestOf(token);
  const nonce = crypto.randomUUID();
  const answer = await fetch(`/api/proof?id=${await digestOf(key)}&nonce=${nonce}`, { signal });
  if (answer.status === 401) return 'refused';
  if (answer.status === 404) return !hasProved;
  const { proof } = (await answer.json()) as { proof?: unknown };
  const isOurs = answer.ok && proof === (await macOf(key, `${nonce} ${location.host}`));
  hasProved ||= isOurs;
  return isOurs;
}

async function digestOf(text: string): Promise<string> {
  return hex(await crypto.subtle.digest('SHA-256', encoder.encode(text)));
}

async function macOf(key: string, text: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const made = await crypto.subtle.importKey('raw', encoder.encode(key), algorithm, false, ['sign']);
  return hex(await crypto.subtle.sign('HMAC', made, encoder.encode(text)));
}

function hex(bytes: ArrayBuffer): string {
  return [...new Uint8Array(bytes)].map(byte => byte.toString(16).padStart(2, '0')).join('');
}
