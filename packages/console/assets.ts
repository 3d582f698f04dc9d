/** The page and its files, as they were built. */
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { builtBeside } from 'steersman/shared';
import type { Served } from './routes.js';

const DIR = builtBeside(import.meta.url, 'page');

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

/** What every answer has that has no other. The page frames its own pages, and where given those of apps: nothing else. */
export function safeHeaders(sandboxUrl: string | null): Record<string, string> {
  const apps = sandboxUrl === null ? '' : ` ${new URL(sandboxUrl).origin}`;
  return {
    'content-security-policy': `${POLICY_BUT_FRAMES}; frame-src 'self'${apps}`,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-cache',
  };
}

/**
 * A page, which `pageOf` (page/app.tsx) shows, one of its files, which lie at the top, or the answer to a health check.
 * Every other path is not found: a probe must not take the page for an answer. Ids may have dots and slashes.
 */
export function assets(): Hono<Served> {
  const page = serveStatic({ root: DIR, path: 'index.html' });
  return new Hono<Served>()
    .get('/healthz', c => c.text('ok\n'))
    .on('GET', ['/', '/runs/*', '/sessions/*'], page)
    .get('/:file', serveStatic({ root: DIR }));
}
