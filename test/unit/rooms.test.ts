/**
 * The folders of src as they are on disk: few rooms, imports that only go down, also between the folders of a floor, and
 * no folder that nobody can take in.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = new URL('../..', import.meta.url).pathname;
const SRC = join(ROOT, 'src');
const PACKAGES_DIR = join(ROOT, 'packages');
const IMPORT = /^(?:import|export)\b[^;]*?from '([^']+)'|import\('([^']+)'\)/gm;
const MOST_ROOMS = 13;
const MOST_FILES = 15;
const MOST_FILES_OF_FEATURE = 8;
const MOST_LINES_OF_CLIENT = 20_000;

/** What workflows are made of, from the ground to the top: a file imports from its own floor and those below. */
const FLOORS = ['base', 'run', 'conversation', 'rules', 'workflows', 'features'];
/** Floors whose code is Temporal's. */
const ORCHESTRATING = ['workflows', 'features'];
/** What features have on workers: Node code, which no workflow loads. */
const ON_WORKERS = /^features\/(?:keys|workers|[^/]+\/(?:config|worker|activity|http))\.ts$/;
/** What the code of workflows may import from outside: it runs in Temporal's sandbox, and each run of a worker pays. */
const PACKAGES = ['@temporalio/workflow', '@temporalio/common', 'fflate', '@cfworker/json-schema'];
/** Of the activities, workflows know the types. */
const ACTIVITY_TYPES = 'activities/types.ts';

/** Where src puts its parts together, and its public entries: all else gets what packages do by interface. */
const COMPOSE = [
  'vocabularies.ts',
  'worker/parts/parts.ts',
  'worker/parts/providers.ts',
  'client/here/connect.ts',
  'client/remote-store.ts',
  'client/here/store-in.ts',
];

const entries = readdirSync(SRC, { recursive: true, withFileTypes: true });
const ofPackages = readdirSync(PACKAGES_DIR, { recursive: true, withFileTypes: true });
const folders = [...entries, ...ofPackages]
  .filter(entry => entry.isDirectory())
  .map(({ parentPath, name }) => join(parentPath, name));
const rooms = readdirSync(SRC, { withFileTypes: true })
  .filter(entry => entry.isDirectory())
  .map(({ name }) => name);

interface Import {
  from: string;
  /** A path below src, or the name of a package. */
  to: string;
  isPackage: boolean;
  /** Nothing is loaded for it. */
  isType: boolean;
}

const imports: Import[] = entries
  .filter(({ name }) => /\.tsx?$/.test(name))
  .map(({ parentPath, name }) => join(parentPath, name).slice(SRC.length + 1))
  .flatMap(from =>
    [...readFileSync(join(SRC, from), 'utf8').matchAll(IMPORT)].map(([text, still, late]) => {
      const to = still ?? late ?? '';
      const isPackage = !to.startsWith('.');
      return {
        from,
        to: isPackage ? to : normalize(join(from, '..', to)).replace(/\.js$/, '.ts'),
        isPackage,
        isType: /^(?:import|export) type\b/.test(text),
      };
    }),
  );
const inside = imports.filter(({ isPackage }) => !isPackage);

/** Keys of `steersman.yaml` that features have: their files import a library alone, so the configuration may. */
const KEYS = /^features\/(?:keys|[^/]+\/config)\.ts$/;

function roomOf(path: string): string {
  if (KEYS.test(path)) return 'keys of features';
  return path.includes('/') ? (path.split('/')[0] ?? '') : '';
}

/** What is left when folders that import no other that is left are taken away, again and again: those of circles. */
function inCircles(
  between: readonly Pick<Import, 'from' | 'to'>[],
  nameOf: (path: string) => string,
): string[] {
  let left = [...new Set(between.flatMap(({ from, to }) => [nameOf(from), nameOf(to)]))];
  for (;;) {
    const next = left.filter(name =>
      between.some(
        ({ from, to }) => nameOf(from) === name && nameOf(to) !== name && left.includes(nameOf(to)),
      ),
    );
    if (next.length === left.length) return left;
    left = next;
  }
}

function lines(found: readonly Import[]): string[] {
  return found.map(({ from, to }) => `${from} imports ${to}`);
}

test('rooms: the folders of src → few, and their imports go one way', () => {
  expect(rooms.length).toBeLessThanOrEqual(MOST_ROOMS);
  expect(imports.length).toBeGreaterThan(2_000);
  expect(inCircles(inside, roomOf)).toEqual([]);
});

test('rooms: doors → nobody imports them but doors', () => {
  expect(lines(inside.filter(({ from, to }) => roomOf(from) !== '' && roomOf(to) === ''))).toEqual([]);
});

test('floors: base, run, conversation, rules, workflows, features → each imports what is below it', () => {
  const upward = inside.filter(({ from, to }) => {
    const floor = FLOORS.indexOf(roomOf(from));
    if (floor < 0 || ON_WORKERS.test(from)) return false;
    if (ORCHESTRATING.includes(roomOf(from)) && to === ACTIVITY_TYPES) return false;
    const below = FLOORS.indexOf(roomOf(to));
    return below < 0 || below > floor;
  });
  expect(lines(upward)).toEqual([]);
});

test.each(FLOORS.slice(0, 4))('floors: the folders of %s → their imports go one way', floor => {
  const within = inside.filter(({ from, to }) => roomOf(from) === floor && roomOf(to) === floor);
  expect(within.length).toBeGreaterThan(5);
  expect(inCircles(within, dirname)).toEqual([]);
});

test('floors: packages → none below the workflows, and a few there', () => {
  const foreign = imports.filter(({ from, to, isPackage }) => {
    const room = roomOf(from);
    if (!isPackage || !FLOORS.includes(room) || ON_WORKERS.test(from)) return false;
    return !ORCHESTRATING.includes(room) || !PACKAGES.includes(to);
  });
  expect(lines(foreign)).toEqual([]);
});

test('features: their imports → none of another feature, and none of what runs on workers by what workflows load', () => {
  const featureOf = (path: string) => /^features\/([^/]+)\//.exec(path)?.[1];
  const across = inside.filter(({ from, to }) => {
    const [own, other] = [featureOf(from), featureOf(to)];
    return own !== undefined && other !== undefined && own !== other;
  });
  expect(lines(across)).toEqual([]);
  const loaded = [...loadedWith('compose.ts')];
  expect(loaded.filter(path => featureOf(path) !== undefined).length).toBeGreaterThan(2);
  expect(loaded.filter(path => ON_WORKERS.test(path))).toEqual([]);
});

test('packages: who in src imports one → its entries, and where worker and client are put together', () => {
  const users = imports.filter(({ from, to }) => to.startsWith('@steersman/') && roomOf(from) !== '');
  expect([...new Set(users.map(({ from }) => from))].filter(from => !COMPOSE.includes(from))).toEqual([]);
});

/** What is loaded with a file of src, itself included: files, and packages by their names. */
function loadedWith(entry: string): Set<string> {
  const loaded = new Set([entry]);
  // The loop also visits names that are added to the set meanwhile.
  for (const file of loaded)
    for (const { from, to, isType } of imports) if (from === file && !isType) loaded.add(to);
  return loaded;
}

test('the client of its own: what is loaded with it → at most 20,000 lines, and nothing of models, configuration, workers, stack or store', () => {
  const loaded = [...loadedWith('client/remote.ts')];
  expect(loaded.length).toBeGreaterThan(100);
  const files = loaded.filter(name => name.endsWith('.ts'));
  const lines = files.map(name => readFileSync(join(SRC, name), 'utf8').split('\n').length - 1);
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThan(MOST_LINES_OF_CLIENT);
  const foreign = /^(?:(?:models|config|worker|mcp|activities|client\/here)\/|@?steersman\b)/;
  expect(loaded.filter(name => foreign.test(name))).toEqual([]);
  expect([...loadedWith('client/index.ts')].filter(name => foreign.test(name)).length).toBeGreaterThan(50);
});

/** A face uses what a program may use: doors of `steersman`, and those of other packages. */
test('packages: their imports → files of their own, doors, and libraries', () => {
  const own = ofPackages
    .filter(({ name }) => /\.tsx?$/.test(name))
    .map(({ parentPath, name }) => join(parentPath, name).slice(PACKAGES_DIR.length + 1));
  expect(own.length).toBeGreaterThan(250);
  const outside = own.flatMap(from =>
    [...readFileSync(join(PACKAGES_DIR, from), 'utf8').matchAll(IMPORT)]
      .map(([, still, late]) => still ?? late ?? '')
      .filter(to => to.startsWith('.') && roomOf(normalize(join(from, '..', to))) !== roomOf(from))
      .map(to => `${from} imports ${to}`),
  );
  expect(outside).toEqual([]);
});

test('packages: each → has a page, stands in the architecture, and imports others in one direction', () => {
  const packages = readdirSync(PACKAGES_DIR);
  const architecture = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
  expect(packages.filter(name => !architecture.includes(`\`${name}\``))).toEqual([]);
  expect(packages.filter(name => !existsSync(join(PACKAGES_DIR, name, 'README.md')))).toEqual([]);
  const between = ofPackages
    .filter(({ name }) => /\.tsx?$/.test(name))
    .flatMap(({ parentPath, name }) => {
      const from = join(parentPath, name).slice(PACKAGES_DIR.length + 1);
      return [...readFileSync(join(parentPath, name), 'utf8').matchAll(IMPORT)]
        .map(([, still, late]) => still ?? late ?? '')
        .filter(to => to.startsWith('@steersman/'))
        .map(to => ({ from, to: `${to.slice('@steersman/'.length)}/index.ts`, isPackage: false }));
    });
  expect(between.length).toBeGreaterThan(20);
  expect(inCircles(between, roomOf)).toEqual([]);
});

test('folders: each below src and packages → at most fifteen files', () => {
  const full = folders.filter(
    folder =>
      readdirSync(folder, { withFileTypes: true }).filter(
        entry => entry.isFile() && !/^(?:README\.md|package\.json)$/.test(entry.name),
      ).length > MOST_FILES,
  );
  expect(full.map(folder => folder.slice(ROOT.length))).toEqual([]);
});

test('features: the folder of each → at most eight files, and none below it', () => {
  const own = readdirSync(join(SRC, 'features'), { withFileTypes: true }).filter(entry =>
    entry.isDirectory(),
  );
  expect(own.length).toBeGreaterThan(3);
  const files = own.map(({ name }) => readdirSync(join(SRC, 'features', name), { withFileTypes: true }));
  expect(Math.max(...files.map(({ length }) => length))).toBeLessThanOrEqual(MOST_FILES_OF_FEATURE);
  expect(files.flat().filter(entry => entry.isDirectory())).toEqual([]);
});

/** What each line of work has of its own: in the state of the run it is that of the main line. */
const OF_MAIN_LINE =
  /\bstate\.(?:cursor|tools\.(?:badCalls|inFlight|sessions)|models\.retries)\b|\bcursor\b[^;=]*= (?:run\.)?state;|state: \{[^}]*\bcursor\b/;

test('code that a branch may run → reads what a line has of its own from the line', () => {
  const files = ['phases', 'say', 'turn'].flatMap(folder =>
    readdirSync(join(SRC, 'workflows', folder), { recursive: true, withFileTypes: true }),
  );
  const wrong = files
    .filter(({ name }) => name.endsWith('.ts'))
    .filter(({ parentPath, name }) => OF_MAIN_LINE.test(readFileSync(join(parentPath, name), 'utf8')));
  expect(wrong.map(({ name }) => name)).toEqual([]);
});
