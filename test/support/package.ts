/** The package as a stranger has it: packed, and installed beside what it depends on. */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { projectRoot } from './project.js';

/**
 * A folder whose `node_modules` hold the package; its dependencies are those of this project. `types: false`: without
 * its declarations, which take the compiler a while.
 */
export function installPackage({ types = true } = {}): string {
  // Its real path, as module resolution has it.
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'steersman-package-')));
  const stage = stagePackage(join(dir, 'stage'), types);
  const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', dir], {
    cwd: stage,
    encoding: 'utf8',
  });
  const modules = join(dir, 'node_modules');
  linkDependencies(modules);
  const installed = join(modules, 'steersman');
  mkdirSync(installed);
  execFileSync('tar', ['xzf', join(dir, packed.trim()), '-C', installed, '--strip-components=1']);
  symlinkSync('../steersman/dist/cli.js', join(modules, '.bin', 'steersman'));
  writeFileSync(join(dir, 'package.json'), '{ "name": "stranger", "type": "module", "private": true }\n');
  return dir;
}

/**
 * A folder in which the client of its own is installed, beside what it depends on and nothing else; and the bytes of all
 * that would be installed with it.
 */
export function installClient(): { dir: string; bytes: number } {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'steersman-client-')));
  const script = join(projectRoot, 'scripts', 'pack-client.mjs');
  const packed = execFileSync(process.execPath, [script, dir], { encoding: 'utf8' });
  const installed = join(dir, 'node_modules', 'steersman-client');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['xzf', join(dir, packed.trim()), '-C', installed, '--strip-components=1']);
  const { dependencies } = manifestOf(installed);
  for (const name of Object.keys(dependencies)) {
    const link = join(dir, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(projectRoot, 'node_modules', name), link);
  }
  writeFileSync(join(dir, 'package.json'), '{ "name": "stranger", "type": "module", "private": true }\n');
  const folders = [installed, ...dependenciesOf(Object.keys(dependencies), projectRoot)];
  return { dir, bytes: folders.reduce((sum, folder) => sum + bytesIn(folder), 0) };
}

function manifestOf(folder: string): { dependencies: Record<string, string> } {
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

/** What is packed, with its types: these would change the build that other tests run meanwhile. */
function stagePackage(stage: string, types: boolean): string {
  mkdirSync(stage);
  const { files } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
  for (const name of ['package.json', 'LICENSE', ...files.filter((file: string) => !file.startsWith('!'))])
    cpSync(join(projectRoot, name), join(stage, name), { recursive: true });
  if (!types) return stage;
  execFileSync(process.execPath, [join(projectRoot, 'scripts', 'types.mjs'), join(stage, 'dist')]);
  return stage;
}

function linkDependencies(modules: string): void {
  const given = join(projectRoot, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  for (const name of readdirSync(given))
    if (!name.startsWith('.')) symlinkSync(join(given, name), join(modules, name));
  for (const name of readdirSync(join(given, '.bin')))
    symlinkSync(join(given, '.bin', name), join(modules, '.bin', name));
}
