/** Serves the page and its files, as they were built. */
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { builtBeside } from 'steersman/shared';
import type { Served } from './routes.js';

const DIR = builtBeside(import.meta.url, 'page');

/**
 * Only the console's own scripts and styles are allowed; no site may frame it, and it loads nothing from other servers.
 * The policy `default` sanitizes HTML that a project's elements write. Lit has the policy `lit-html`, once for each
 * copy.
 */
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
  "trusted-types steersman dompurify default lit-html 'allow-duplicates'",
].join('; ');

/** Headers of every response that does not set them. The page may frame only its own pages and, if configured, apps. */
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
 * Serves a page (`pageOf` in page/app.tsx chooses it), its files at the top level, or the health check. Other paths are
 * not found: a probe must not take the page for an answer. Ids may contain dots and slashes.
 */
export function assets(): Hono<Served> {
  const page = serveStatic({ root: DIR, path: 'index.html' });
  return new Hono<Served>()
    .get('/healthz', c => c.text('ok\n'))
    .on('GET', ['/', '/runs/*', '/sessions/*'], page)
    .get('/:file', serveStatic({ root: DIR }));
}
