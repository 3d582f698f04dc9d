// Packs what is published, from the build. `npm run pack -- view print` writes these packages, the packages/ that
// they depend on, and `steersman` into this folder, or the one of `--to`; without names, all of them. `client` is the
// separate client, which depends on none of them. `--no-types` leaves out declarations.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, posix, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ours, pastDoors } from './doors.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const own = manifestOf('.');

/** The entry points of the separate client, each with its file of src. */
const ENTRIES = {
  '.': 'client/remote',
  './vocabularies': 'client/vocabularies/index',
  './messages': 'client/messages/index',
  './ag-ui': 'packages/ag-ui/index',
  './store': 'client/remote-store',
};

/** Optional packages: a database needs the first, a search in a folder the second, types of `./messages` the others. */
const OPTIONAL = ['pg', '@vscode/ripgrep', 'openai', '@anthropic-ai/sdk'];

/** Packages that none of our files imports: Temporal's types need the first, its histories as JSON the second. */
const OF_TEMPORAL = ['@types/ms', 'protobufjs'];

/** Matches a module specifier with the words before it. In built files every statement begins a line. */
const SPECIFIER = /(^(?:import|export)\b[^;'"]*?\bfrom\s*|^import\s*|\bimport\()(["'])([^"'\n]+)\2/gm;
const SOURCE_MAP = /^\/\/# sourceMappingURL=.*$/m;

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
}

/** Returns these packages with those that they depend on, which include `steersman`. */
function withSiblings(names) {
  // The loop also visits names that are added to the set meanwhile.
  const found = new Set(names);
  for (const name of found)
    if (name !== 'client' && name !== 'steersman') {
      const { dependencies, peerDependencies } = manifestOf(join('packages', name));
      for (const needed of Object.keys({ ...dependencies, ...peerDependencies }))
        if (/^(@steersman\/|steersman$)/.test(needed)) found.add(needed.replace('@steersman/', ''));
    }
  return found;
}

function stageSteersman(stage) {
  for (const name of ['package.json', 'README.md', 'LICENSE', ...own.files])
    if (!name.startsWith('!')) cpSync(join(root, name), join(stage, name), { recursive: true });
  for (const from of typed) cpSync(from, join(stage, 'dist'), { recursive: true });
}

/** Stages a package. In `steersman` its siblings are built in; packed alone it imports them. */
function stagePackage(stage, name) {
  const filter = file => !file.endsWith('.map');
  for (const from of [dist, ...typed])
    cpSync(join(from, 'packages', name), stage, { recursive: true, filter });
  for (const file of readdirSync(stage, { recursive: true, encoding: 'utf8' }).filter(isCode)) {
    const text = readFileSync(join(stage, file), 'utf8').replace(SOURCE_MAP, '');
    writeFileSync(join(stage, file), text.replace(/(["'])#steersman\//g, '$1@steersman/'));
  }
  for (const file of ['package.json', 'README.md'])
    cpSync(join(root, 'packages', name, file), join(stage, file));
  cpSync(join(root, 'LICENSE'), join(stage, 'LICENSE'));
}

function isCode(file) {
  return /\.[jt]s$/.test(file);
}

function stageClient(stage) {
  const packages = new Set(OF_TEMPORAL);
  const files = Object.values(ENTRIES);
  const all = [[dist, '.js'], ...typed.map(from => [from, '.d.ts'])];
  for (const [folder, ending] of all)
    closure(
      folder,
      files.map(file => file + ending),
      stage,
      packages,
    );
  const exports = Object.entries(ENTRIES).map(([name, file]) => [
    name,
    { types: `./dist/${file}.d.ts`, default: `./dist/${file}.js` },
  ]);
  const { version, license, type, engines } = own;
  const manifest = {
    name: 'steersman-client',
    version,
    description: 'Starts, watches and steers runs of Steersman on a Temporal server elsewhere.',
    ...{ license, type, exports: Object.fromEntries(exports), files: ['dist'], engines },
    dependencies: versionsOf([...packages].filter(name => !OPTIONAL.includes(name))),
    // These are peers, because a program may have them already.
    peerDependencies: Object.fromEntries(OPTIONAL.map(name => [name, `^${own.dependencies[name]}`])),
    peerDependenciesMeta: Object.fromEntries(OPTIONAL.map(name => [name, { optional: true }])),
  };
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(join(root, 'LICENSE'), join(stage, 'LICENSE'));
  cpSync(join(root, 'src', 'client', 'README.md'), join(stage, 'README.md'));
}

/** Stages the entries and all files that they need, and adds the packages that these import. */
function closure(folder, entries, stage, packages) {
  const read = file => readFileSync(join(folder, file), 'utf8').replace(SOURCE_MAP, '');
  const left = new Set(entries);
  for (const file of left) {
    const pathTo = to => pathFrom(file, to);
    const packed = pastDoors(read(file), file, { read, pathTo }).replace(
      SPECIFIER,
      (all, before, quote, name) => {
        if (name.startsWith('node:') || builtinModules.includes(name)) return all;
        const found = ours(file, name);
        if (found === null) packages.add(/^(@[^/]+\/)?[^/]+/.exec(name)[0]);
        else left.add(found);
        return found === null ? all : `${before}${quote}${pathTo(found)}${quote}`;
      },
    );
    mkdirSync(dirname(join(stage, 'dist', file)), { recursive: true });
    writeFileSync(join(stage, 'dist', file), packed);
  }
}

function pathFrom(file, to) {
  const path = posix.relative(posix.dirname(file), to).replace(/\.d\.ts$/, '.js');
  return path.startsWith('.') ? path : `./${path}`;
}

/** Returns the packages with the versions of this project. */
function versionsOf(names) {
  return Object.fromEntries(
    names.sort().map(name => {
      if (own.dependencies[name]) return [name, own.dependencies[name]];
      throw new Error(`${name} is no dependency of package.json, and the client imports it.`);
    }),
  );
}

const { values, positionals } = parseArgs({
  options: { to: { type: 'string', default: '.' }, types: { type: 'boolean', default: true } },
  allowNegative: true,
  allowPositionals: true,
});
const target = resolve(values.to);
const names = positionals.length > 0 ? positionals : readdirSync(join(root, 'packages'));
const work = mkdtempSync(join(tmpdir(), 'steersman-pack-'));
/** The folder of all declarations; empty if they are not wanted. */
const typed = values.types ? [join(work, 'types')] : [];
try {
  for (const to of typed)
    execFileSync(process.execPath, [join(root, 'scripts', 'types.mjs'), to], { stdio: 'inherit' });
  mkdirSync(target, { recursive: true });
  for (const name of withSiblings(names)) {
    const stage = join(work, name);
    mkdirSync(stage);
    if (name === 'steersman') stageSteersman(stage);
    else if (name === 'client') stageClient(stage);
    else stagePackage(stage, name);
    const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', target];
    process.stdout.write(execFileSync('npm', pack, { cwd: stage, encoding: 'utf8' }));
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
