import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { FAKE_MCP_SCRIPT } from './fake-mcp-server.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * What Steersman reads of the environment, such as keys and a database: whoever runs the tests means their own runs by
 * it. Where Temporal is, and where the stack has its home, is meant for tests too, as is the mark of their command.
 */
const OF_OWN_RUNS =
  /^(?:DATABASE_URL(?:_FILE)?|(?:OPENAI|ANTHROPIC)_.*|TEMPORAL_(?!CLI_PATH|TEST_SERVER_PATH).*|STEERSMAN_(?!TEST_|HOME|COMMAND).*)$/;

/** Before all tests, once: builds `dist/`, from which processes under test run, and the fake MCP server. */
export default async function setup(): Promise<void> {
  for (const name of Object.keys(process.env).filter(each => OF_OWN_RUNS.test(each)))
    Reflect.deleteProperty(process.env, name);
  // A proxy is for what is fetched: all that tests talk to is on this machine.
  const { no_proxy: direct = process.env.NO_PROXY ?? '' } = process.env;
  process.env.no_proxy = `${direct},127.0.0.1,localhost`;
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
