/** Packages as a stranger has them: packed, and installed beside what they depend on. */
import { execFile, execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from './project.js';

/**
 * A folder whose `node_modules` hold `steersman`, or all of `packages/` too; their dependencies are those of this project.
 * `types: false`: without declarations, which take the compiler a while.
 */
export function installPackage({ types = true, packages = false } = {}): string {
  const dir = emptyProject();
  const modules = join(dir, 'node_modules');
  linkDependencies(modules);
  pack(dir, [...(types ? [] : ['--no-types']), ...(packages ? [] : ['steersman'])]);
  symlinkSync('../steersman/dist/cli.js', join(modules, '.bin', 'steersman'));
  return dir;
}

/**
 * A folder in which the client of its own is installed, beside what it depends on and nothing else; and the bytes of all
 * that would be installed with it.
 */
export function installClient(): { dir: string; bytes: number } {
  const dir = emptyProject();
  pack(dir, ['client']);
  const installed = join(dir, 'node_modules', 'steersman-client');
  const { dependencies } = manifestOf(installed);
  for (const name of Object.keys(dependencies)) {
    const link = join(dir, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(projectRoot, 'node_modules', name), link);
  }
  const folders = [installed, ...dependenciesOf(Object.keys(dependencies), projectRoot)];
  return { dir, bytes: folders.reduce((sum, folder) => sum + bytesIn(folder), 0) };
}

function emptyProject(): string {
  // Its real path, as module resolution has it.
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'steersman-package-')));
  writeFileSync(join(dir, 'package.json'), '{ "name": "stranger", "type": "module", "private": true }\n');
  return dir;
}

/** As in a fresh shell of somebody who knows nothing of this project: all state is below `dir`. */
export function strangersEnvironment(dir: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(TEMPORAL_(?!CLI_PATH)|STEERSMAN_|INIT_CWD|OPENAI_|npm_)/.test(name),
  );
  const own = { XDG_STATE_HOME: join(dir, 'state'), XDG_CACHE_HOME: join(dir, 'cache') };
  return { ...Object.fromEntries(inherited), ...own };
}

/**
 * Throws what the compiler says of files of a folder. It also checks what the package's types take from others: nobody
 * needs `skipLibCheck`.
 */
export async function typeChecked(dir: string, files: readonly string[]): Promise<void> {
  const options = '--noEmit --allowJs --checkJs --strict --target es2022 --module nodenext --types node';
  const tsc = join(dir, 'node_modules', '.bin', 'tsc');
  await promisify(execFile)(tsc, [...options.split(' '), ...files], { cwd: dir }).catch(({ stdout }) => {
    throw new Error(String(stdout));
  });
}

/** Packs, and unpacks each tarball as npm would. */
function pack(dir: string, args: readonly string[]): void {
  const script = join(projectRoot, 'scripts', 'pack.mjs');
  const packed = execFileSync(process.execPath, [script, '--to', dir, ...args], { encoding: 'utf8' });
  for (const tarball of packed.trim().split('\n')) {
    execFileSync('tar', ['xzf', tarball], { cwd: dir });
    const installed = join(dir, 'node_modules', manifestOf(join(dir, 'package')).name);
    mkdirSync(dirname(installed), { recursive: true });
    renameSync(join(dir, 'package'), installed);
  }
}

function manifestOf(folder: string): { name: string; dependencies: Record<string, string> } {
  return { dependencies: {}, ...JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) };
}

/** Folders of packages with all that they depend on, each once, found from `above` as Node finds them. */
function dependenciesOf(names: readonly string[], above: string, found = new Set<string>()): Set<string> {
  for (const name of names) {
    let from = above;
    while (!existsSync(join(from, 'node_modules', name)) && from !== dirname(from)) from = dirname(from);
    const folder = join(from, 'node_modules', name);
    if (found.has(folder)) continue;
    found.add(folder);
    dependenciesOf(Object.keys(manifestOf(folder).dependencies), folder, found);
  }
  return found;
}

/** But of packages within. */
function bytesIn(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .map(entry => join(folder, entry.name))
    .reduce((sum, path) => sum + (lstatSync(path).isDirectory() ? bytesIn(path) : lstatSync(path).size), 0);
}

function linkDependencies(modules: string): void {
  const given = join(projectRoot, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  for (const name of readdirSync(given))
    if (!/^(\.|@?steersman$)/.test(name)) symlinkSync(join(given, name), join(modules, name));
  for (const name of readdirSync(join(given, '.bin')))
    if (name !== 'steersman') symlinkSync(join(given, '.bin', name), join(modules, '.bin', name));
}
