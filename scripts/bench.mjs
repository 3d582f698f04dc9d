// `npm run bench -- <name> [options]`: transpiles bench/ and runs one benchmark on a copy of the build, so that
// another build meanwhile changes nothing. Without a name it runs the default set, one after another. `smoke` runs
// each benchmark at its smallest, which detects broken ones and measures nothing.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const DEFAULT_SET = ['turns', 'history', 'load'];
const SMOKE_AT_ONCE = 4;
const LAST_WORDS_MS = 10_000;
/**
 * The longest come first. Null: it installs another system's packages or starts a browser, which takes too long here.
 */
const SMOKE = {
  modes: '--modes lead --runs 1 --singles 0',
  cache: '--tasks 1 --reads 1',
  chaos: '--faults 1 --per-seed 1 --runs 1 --workers 1 --longest 1 --kinds team',
  console: null,
  'crash-storm': '--runs 1 --turns 4',
  endless: '--turns 20 --kills 1 --database memory',
  'first-text': '--samples 1 --runs 1 --model-ms 30',
  history: '--turns 5',
  load: '--runs 1 --singles 0 --database memory',
  'large-edit': '--megabytes 1 --places 10',
  'parallel-reads': '--reads 2 --turns 1 --rounds 1 --at-once 1,2 --tool-ms 30 --model-ms 30',
  'parallel-tasks': '--tasks 2 --rounds 1 --at-once 1,2 --model-ms 30',
  price: '--modes react,team --turns 100',
  replay: '--turns 2',
  quality: [
    '--recorded --against bare --tasks quarter-revenue,raise-prices,vendor-summary',
    '--recorded sloppy --against bare',
  ],
  rival: null,
  sessions: '--sessions 20 --rounds 1',
  simulate: '--runs 20',
  'steer-latency': '--samples 1',
  'steer-storm': '--messages 4 --kills 1',
  'store-away': '--outages 1 --conversations 1 --longest 2 --store folder',
  subagents: '--agents 2 --rounds 1 --model-ms 30',
  turns: '--turns 2 --rounds 1',
};

const [name, ...args] = process.argv.slice(2);
const names = readdirSync(join(root, 'bench'))
  .filter(file => file.endsWith('.ts'))
  .map(file => file.slice(0, -'.ts'.length))
  .sort();
if (name === '--help' || (name !== undefined && name !== 'smoke' && !names.includes(name))) {
  console.log(`Usage: npm run bench [-- <name> [options]]

Names: ${names.join(', ')}; each explains its options with --help.
Without a name: ${DEFAULT_SET.join(', ')}. With "smoke": each at its smallest, whether it is whole.
What the figures mean: docs/benchmarks.md.`);
  process.exit(name === '--help' ? 0 : 1);
}

const out = join(root, 'node_modules/.cache/steersman-bench', String(process.pid));
// Everything that the benchmark stores is in this folder, by whose name its processes are found.
const temporary = mkdtempSync(join(tmpdir(), 'steersman-bench-'));
const guard = spawn(process.execPath, [join(root, 'scripts/bench-guard.mjs'), out, temporary], {
  stdio: ['pipe', 'ignore', 'inherit'],
  detached: true,
});
guard.unref();
guard.stdin.unref();
const running = new Set();
let interrupted = false;
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
]) {
  process.on(signal, () => {
    if (signal !== 'SIGINT' || running.size === 0) process.exit(code);
    // A benchmark may still print its results. The signal comes twice, from the terminal and from npm.
    interrupted = true;
    for (const child of running) child.kill('SIGINT');
    setTimeout(() => process.exit(code), LAST_WORDS_MS);
  });
}
endWithNpm();

const built = spawnSync(process.execPath, [join(root, 'scripts/build.mjs')], { stdio: 'inherit' });
if (built.status !== 0) process.exit(1);
mkdirSync(out, { recursive: true });
for (const part of ['dist', 'prompts', 'steersman.yaml', '.mcp.json', 'package.json']) {
  cpSync(join(root, part), join(out, part), { recursive: true });
}
// Benchmarks import ../src and ../packages; here these names lead to the build.
symlinkSync(join(out, 'dist'), join(out, 'src'), 'junction');
symlinkSync(join(out, 'dist/packages'), join(out, 'packages'), 'junction');
// Tasks whose files are data, not code of ours.
const TASKS = ['bench/quality/tasks', 'bench/price'];
for (const folder of TASKS) cpSync(join(root, folder), join(out, folder), { recursive: true });
// A fetched Temporal binary is in this folder.
mkdirSync(join(root, '.steersman'), { recursive: true });
symlinkSync(join(root, '.steersman'), join(out, '.steersman'), 'junction');
const esbuild = await import('esbuild');
for (const dir of ['bench', 'test/support', 'test/simulation']) {
  const isOfTask = file => TASKS.some(folder => join(dir, file).startsWith(`${folder}/`));
  const files = readdirSync(join(root, dir), { recursive: true, encoding: 'utf8' }).filter(
    file => !file.includes('node_modules') && (!isOfTask(file) || /\/(check|ends)\.ts$/.test(file)),
  );
  await esbuild.build({
    entryPoints: files.filter(file => file.endsWith('.ts')).map(file => join(root, dir, file)),
    outdir: join(out, dir),
    outbase: join(root, dir),
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    sourcemap: true,
    logLevel: 'error',
  });
  for (const file of files.filter(file => /\.(mjs|json)$/.test(file))) {
    cpSync(join(root, dir, file), join(out, dir, file), { recursive: true });
  }
}

if (name === 'smoke') process.exit((await smoke()) ? 0 : 1);
for (const one of name === undefined ? DEFAULT_SET : [name]) {
  const { code } = await run(one, name === undefined ? [] : args);
  if (code !== 0) process.exit(code);
}

/** Returns true if all benchmarks ended well. Prints the output of those that did not. */
async function smoke() {
  const unknown = names.filter(one => !(one in SMOKE));
  if (unknown.length > 0) throw new Error(`SMOKE has no size for ${unknown.join(', ')}`);
  const left = Object.entries(SMOKE).flatMap(([one, sizes]) => [sizes].flat().map(size => [one, size]));
  let whole = true;
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [one, size] = next;
      if (size === null) {
        console.log(`${one}: left out, it installs packages or starts a browser`);
        continue;
      }
      const from = performance.now();
      const { code, said } = await run(one, size.split(' '), 'pipe');
      const seconds = ((performance.now() - from) / 1_000).toFixed(1);
      console.log(code === 0 ? `${one}: whole, ${seconds} s` : `${one}: broken, ${seconds} s\n${said}`);
      whole &&= code === 0;
    }
  };
  await Promise.all(Array.from({ length: SMOKE_AT_ONCE }, work));
  return whole;
}

/** Ends this process when its npm was killed, because no signal reports that. */
function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const lineage = () => [process.ppid, parentOfShell(process.ppid)].join();
  const born = lineage();
  setInterval(() => lineage() === born || process.exit(143), 1_000).unref();
}

/** Returns the parent of a shell, because npm may run scripts by one; null for other programs. */
function parentOfShell(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    return /^(sh|dash|bash)$/.test(name) ? stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] : null;
  } catch {
    return null;
  }
}

/** Resolves with the exit code and, if `output` is `pipe`, the benchmark's output. */
function run(one, options, output = 'inherit') {
  const env = { ...process.env, TMPDIR: temporary };
  const args = [join(out, 'bench', `${one}.js`), ...options];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['inherit', output, output], env });
  running.add(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', part => (said += part));
  return new Promise(resolve =>
    child.on('close', code => {
      running.delete(child);
      if (interrupted) process.exit(130);
      resolve({ code: code ?? 1, said });
    }),
  );
}
