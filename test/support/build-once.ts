import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { FAKE_MCP_SCRIPT } from './fake-mcp-server.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Before all tests, once: builds `dist/`, from which processes under test run, and the fake MCP server. */
export default async function setup(): Promise<void> {
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: 'inherit' });
  process.env[FAKE_MCP_SCRIPT] = await fakeMcpServer();
}

/** In one file it starts twice as fast, and tests start it a hundred times. */
async function fakeMcpServer(): Promise<string> {
  const source = join(root, 'test/support/fake-mcp-server.mjs');
  const folder = join(root, 'node_modules/.cache/steersman-test');
  const script = join(folder, 'fake-mcp-server.mjs');
  const changedAt = (file: string) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = [source, join(root, 'package-lock.json')];
  if (changedAt(script) > Math.max(...sources.map(changedAt))) return script;
  mkdirSync(folder, { recursive: true });
  const next = `${script}.${process.pid}`;
  await build({
    entryPoints: [source],
    outfile: next,
    bundle: true,
    platform: 'node',
    format: 'esm',
    // Packages of CommonJS require parts of Node.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  renameSync(next, script);
  return script;
}
