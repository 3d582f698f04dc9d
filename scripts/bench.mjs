// `npm run bench -- <name> [options]`: transpiles bench/ and runs one benchmark on a copy of the build, so
// that a build made meanwhile changes nothing under it. Without a name: the default set, one after another.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const DEFAULT_SET = ['turns', 'history', 'load'];

const [name, ...args] = process.argv.slice(2);
const names = readdirSync(join(root, 'bench'))
  .filter(file => file.endsWith('.ts'))
  .map(file => file.slice(0, -'.ts'.length))
  .sort();
if (name === '--help' || (name !== undefined && !names.includes(name))) {
  console.log(`Usage: npm run bench [-- <name> [options]]

Names: ${names.join(', ')}; each explains its options with --help.
Without a name: ${DEFAULT_SET.join(', ')}. What the figures mean: docs/benchmarks.md.`);
  process.exit(name === '--help' ? 0 : 1);
}

const out = join(root, 'node_modules/.cache/steersman-bench', String(process.pid));
// All that the benchmark keeps is in here, so that its processes can be told by it.
const temporary = mkdtempSync(join(tmpdir(), 'steersman-bench-'));
const guard = spawn(process.execPath, [join(root, 'scripts/bench-guard.mjs'), out, temporary], {
  stdio: ['pipe', 'ignore', 'inherit'],
  detached: true,
});
guard.unref();
guard.stdin.unref();
let running = null;
process.on('exit', () => running?.kill('SIGKILL'));
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
]) {
  process.on(signal, () => process.exit(code));
}
endWithNpm();

const built = spawnSync(process.execPath, [join(root, 'scripts/build.mjs')], { stdio: 'inherit' });
if (built.status !== 0) process.exit(1);
mkdirSync(out, { recursive: true });
for (const part of ['dist', 'prompts', 'steersman.yaml', '.mcp.json', 'package.json']) {
  cpSync(join(root, part), join(out, part), { recursive: true });
}
// Benchmarks import ../src as everything else does; here that is the build.
symlinkSync(join(out, 'dist'), join(out, 'src'), 'junction');
// Where a fetched Temporal binary is kept.
mkdirSync(join(root, '.steersman'), { recursive: true });
symlinkSync(join(root, '.steersman'), join(out, '.steersman'), 'junction');
const esbuild = await import('esbuild');
for (const dir of ['bench', 'test/support', 'test/simulation']) {
  const files = readdirSync(join(root, dir), { recursive: true, encoding: 'utf8' });
  await esbuild.build({
    entryPoints: files.filter(file => file.endsWith('.ts')).map(file => join(root, dir, file)),
    outdir: join(out, dir),
    outbase: join(root, dir),
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    logLevel: 'error',
  });
  for (const file of files.filter(file => /\.(mjs|json)$/.test(file))) {
    cpSync(join(root, dir, file), join(out, dir, file), { recursive: true });
  }
}

for (const one of name === undefined ? DEFAULT_SET : [name]) {
  const script = join(out, 'bench', `${one}.js`);
  if (!existsSync(script)) throw new Error(`${script} was not built`);
  const code = await run(script, name === undefined ? [] : args);
  if (code !== 0) process.exit(code);
}

/** A process whose npm was killed is told of it by nobody. */
function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const lineage = () => [process.ppid, parentOfShell(process.ppid)].join();
  const born = lineage();
  setInterval(() => lineage() === born || process.exit(143), 1_000).unref();
}

/** npm runs scripts by a shell, which may stand between. */
function parentOfShell(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    return /^(sh|dash|bash)$/.test(name) ? stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] : null;
  } catch {
    return null;
  }
}

function run(script, options) {
  const env = { ...process.env, TMPDIR: temporary };
  const child = spawn(process.execPath, [script, ...options], { cwd: root, stdio: 'inherit', env });
  running = child;
  return new Promise(resolve => child.on('close', code => resolve(code ?? 1)));
}
