/** The package as a stranger has it: packed, and installed beside what it depends on. */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
