// Serves the page, and the console's API to it, on this machine alone. Elsewhere, put your login before it.
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import { build } from 'esbuild';
import { connect } from 'steersman/client';
import { createConsole } from 'steersman/console';

const port = Number(process.env.PORT ?? 3000);
const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL('page.tsx', import.meta.url))],
  ...{ bundle: true, jsx: 'automatic', minify: true, write: false, format: 'esm', target: 'es2022' },
  define: { 'process.env.NODE_ENV': '"production"' },
});
const html =
  '<!doctype html><meta charset="utf-8"><title>Steersman</title><div id="app"></div><script type="module" src="/page.js"></script>';
const client = await connect();
const { fetch } = createConsole({
  client: async () => client,
  hosts: [`127.0.0.1:${port}`, `localhost:${port}`],
});

function answer(request) {
  const { pathname } = new URL(request.url);
  if (pathname === '/') return new Response(html, { headers: { 'content-type': 'text/html' } });
  if (pathname === '/page.js')
    return new Response(outputFiles[0].contents, { headers: { 'content-type': 'text/javascript' } });
  return fetch(request);
}
createServer(getRequestListener(answer)).listen(port, '127.0.0.1');
console.log(`http://127.0.0.1:${port}/`);
