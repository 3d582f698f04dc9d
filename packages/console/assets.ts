/** The page and its files, as they were built. */
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { builtScript } from 'steersman/shared';

const DIR = builtScript('packages/console/page');

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** No script but ours, no style but ours, no frame around it, nothing from elsewhere. */
const POLICY_BUT_FRAMES = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types steersman dompurify',
].join('; ');

/** It frames its own pages, and where given those of apps: nothing else. */
function policy(sandboxUrl: string | null): string {
  const apps = sandboxUrl === null ? '' : ` ${new URL(sandboxUrl).origin}`;
  return `${POLICY_BUT_FRAMES}; frame-src 'self'${apps}`;
}

export const SAFE_HEADERS: Record<string, string> = {
  'content-security-policy': policy(null),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** What `pageOf` (page/app.tsx) shows: the start, runs and conversations. Ids may have dots and slashes. */
const PAGES = /^\/(runs(\/.*)?|sessions(\/.*)?)?$/s;

/**
 * A page, one of its files, which lie at the top, or the answer to a health check. Every other path is not found: a
 * probe must not take the page for an answer.
 */
export async function assetOf(request: Request, path: string, sandboxUrl: string | null): Promise<Response> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return notHere(405);
  if (path === '/healthz') return new Response('ok\n', { headers: SAFE_HEADERS });
  const name = PAGES.test(path) ? 'index.html' : path.slice(1);
  const type = TYPES[extname(name)];
  if (type === undefined || !/^[\w.-]+$/.test(name)) return notHere(404);
  const content = await readFile(join(DIR, name)).catch(() => null);
  if (content === null) return notHere(404);
  return new Response(new Uint8Array(content), {
    headers: {
      ...SAFE_HEADERS,
      'content-security-policy': policy(sandboxUrl),
      'content-type': type,
      'cache-control': 'no-cache',
    },
  });
}

function notHere(status: number): Response {
  return new Response('There is nothing here.', { status, headers: SAFE_HEADERS });
}
