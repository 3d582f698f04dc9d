// Packs the client of its own: `npm run pack:client` writes steersman-client-<version>.tgz into this folder, or that named.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, posix, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = resolve(process.argv[2] ?? '.');
const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** What programs import, and the file of src that it is. */
const ENTRIES = {
  '.': 'client/remote',
  './vocabularies': 'client/vocabularies/index',
  './store': 'client/remote-store',
};

/** Only who opens a database, or searches a folder, needs these. */
const OPTIONAL = ['pg', '@vscode/ripgrep'];

/** No file of ours imports these: Temporal's types need the first, its histories as JSON the second. */
const OF_TEMPORAL = ['@types/ms', 'protobufjs'];

/** A specifier with what stands before it: in what is built, statements begin their lines. */
const SPECIFIER = /(^(?:import|export)\b[^;'"]*?\bfrom\s*|^import\s*|\bimport\()(["'])([^"'\n]+)\2/gm;

/** An import of names. */
const NAMED = /^import (type )?\{([^}]*)\} from (["'])([^"'\n]+)\3;/gm;

/** The files that entries need, themselves included, as they are packed; and the packages that these import. */
function closure(folder, entries) {
  const files = new Map();
  const packages = new Set();
  const left = [...entries];
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    if (files.has(file)) continue;
    const text = readFileSync(join(folder, file), 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '');
    const packed = pastDoors(text, folder, file).replace(SPECIFIER, (all, before, quote, name) => {
      if (name.startsWith('node:') || builtinModules.includes(name)) return all;
      const found = ours(file, name);
      if (found === null) packages.add(/^(@[^/]+\/)?[^/]+/.exec(name)[0]);
      else left.push(found);
      return found === null ? all : `${before}${quote}${pathFrom(file, found)}${quote}`;
    });
    files.set(file, packed);
  }
  return { files, packages };
}

/** What comes through a door of ours is imported from its own file: a door loads all that it gives. */
function pastDoors(text, folder, file) {
  return text.replace(NAMED, (all, type = '', names, _quote, name) => {
    const door = ours(file, name);
    if (door === null || name.startsWith('.')) return all;
    const given = namesOf(readFileSync(join(folder, door), 'utf8'), door);
    return names
      .split(',')
      .map(one => one.trim())
      .filter(Boolean)
      .map(
        one =>
          `import ${type}{ ${one} } from "${pathFrom(file, given.get(one.replace(/^type /, '').split(' as ')[0]))}";`,
      )
      .join('\n');
  });
}

/** The file of each name that a door gives on; in what is built, it imports and exports it. */
function namesOf(text, door) {
  const exported = [...text.matchAll(/^(?:import|export) (?:type )?\{([^}]*)\} from ["']([^"']+)["']/gm)];
  return new Map(
    exported.flatMap(([, names, from]) =>
      names.split(',').map(name => [name.replace(/\btype\b/, '').trim(), ours(door, from)]),
    ),
  );
}

/** The file behind a specifier of ours; null for another package. */
function ours(file, name) {
  const ending = file.endsWith('.d.ts') ? '.d.ts' : '.js';
  if (name.startsWith('.')) return posix.join(posix.dirname(file), name.replace(/\.js$/, ending));
  const [, scope, door] = /^(#?)steersman\/([\w-]+)$/.exec(name) ?? [];
  if (door === undefined) return null;
  if (scope) return `packages/${door}/index${ending}`;
  return own.exports[`./${door}`].default.replace('./dist/', '').replace(/\.js$/, ending);
}

function pathFrom(file, to) {
  const path = posix.relative(posix.dirname(file), to).replace(/\.d\.ts$/, '.js');
  return path.startsWith('.') ? path : `./${path}`;
}

/** With the versions of this project. */
function versionsOf(names) {
  return Object.fromEntries(
    [...names].sort().map(name => {
      if (own.dependencies[name]) return [name, own.dependencies[name]];
      throw new Error(`${name} is no dependency of package.json, and the client imports it.`);
    }),
  );
}

const work = mkdtempSync(join(tmpdir(), 'steersman-client-'));
try {
  const [types, stage] = [join(work, 'types'), join(work, 'stage')];
  execFileSync(process.execPath, [join(root, 'scripts', 'types.mjs'), types], { stdio: 'inherit' });
  const built = closure(
    join(root, 'dist'),
    Object.values(ENTRIES).map(file => `${file}.js`),
  );
  const typed = closure(
    types,
    Object.values(ENTRIES).map(file => `${file}.d.ts`),
  );
  for (const [file, text] of [...built.files, ...typed.files]) {
    mkdirSync(dirname(join(stage, 'dist', file)), { recursive: true });
    writeFileSync(join(stage, 'dist', file), text);
  }
  const exports = Object.entries(ENTRIES).map(([name, file]) => [
    name,
    { types: `./dist/${file}.d.ts`, default: `./dist/${file}.js` },
  ]);
  const needed = [...new Set([...built.packages, ...typed.packages, ...OF_TEMPORAL])];
  const { version, license, type, engines } = own;
  const manifest = {
    name: 'steersman-client',
    version,
    description: 'Starts, watches and steers runs of Steersman on a Temporal server elsewhere.',
    ...{ license, type, exports: Object.fromEntries(exports), files: ['dist'], engines },
    dependencies: versionsOf(needed.filter(name => !OPTIONAL.includes(name))),
    // A program may have them already.
    peerDependencies: Object.fromEntries(OPTIONAL.map(name => [name, `^${own.dependencies[name]}`])),
    peerDependenciesMeta: Object.fromEntries(OPTIONAL.map(name => [name, { optional: true }])),
  };
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(join(root, 'LICENSE'), join(stage, 'LICENSE'));
  cpSync(join(root, 'src', 'client', 'README.md'), join(stage, 'README.md'));
  mkdirSync(target, { recursive: true });
  const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', target];
  process.stdout.write(execFileSync('npm', pack, { cwd: stage, encoding: 'utf8' }));
} finally {
  rmSync(work, { recursive: true, force: true });
}
