/** Pages of front ends, bundled from what is built as a project would, served beside the console's API. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { build } from 'esbuild';
import { createConsole } from '../../../packages/console/console.js';
import type { SteersmanClient } from '../../../src/client/index.js';

export interface FrontEnds {
  /** Such as `http://127.0.0.1:40123`. */
  url: string;
  close(): void;
}

/** `pages`: the file of each page's script, by its name, which is its path too. */
export async function serveFrontEnds(
  pages: Readonly<Record<string, string>>,
  { client, workspace }: { client: SteersmanClient; workspace: string },
): Promise<FrontEnds> {
  const { outputFiles } = await build({
    entryPoints: pages,
    ...{
      bundle: true,
      jsx: 'automatic',
      write: false,
      format: 'esm',
      splitting: true,
      outdir: '/',
      target: 'es2022',
    },
    define: { 'process.env.NODE_ENV': '"production"' },
    // The packages as they are built, not the sources that our own paths name.
    tsconfigRaw: {},
    logLevel: 'error',
  });
  const scripts = new Map(outputFiles.map(({ path, text }) => [path, text]));
  const served = createConsole({ client: async () => client, workspace });
  const answer = (request: Request) => {
    const { pathname } = new URL(request.url);
    const script = scripts.get(pathname);
    if (script !== undefined)
      return new Response(script, { headers: { 'content-type': 'text/javascript; charset=utf-8' } });
    const name = pathname.slice(1);
    if (!Object.hasOwn(pages, name)) return served.fetch(request);
    const html = `<!doctype html><meta charset="utf-8"><div id="app"></div><script type="module" src="/${name}.js"></script>`;
    return new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } });
  };
  const server = createServer(getRequestListener(answer));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      served.close();
      server.close();
      server.closeAllConnections();
    },
  };
}
