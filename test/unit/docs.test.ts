/** What the documentation names is there, and it stays as short as it promises. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const ROOT = new URL('../..', import.meta.url).pathname;
const NAMED = /`((?:[\w-]+\/)+[\w-]+\.(?:tsx?|md|mjs|yaml))`/g;

test.each(['AGENTS.md', 'docs/architecture.md', 'docs/decisions.md'])(
  '%s: each file that it names → is there',
  page => {
    const named = [...readFileSync(join(ROOT, page), 'utf8').matchAll(NAMED)].map(([, path = '']) => path);
    const gone = named.filter(path => ![path, `src/${path}`].some(name => existsSync(join(ROOT, name))));
    expect(named.length).toBeGreaterThan(5);
    expect(gone).toEqual([]);
  },
);

/** Files of each walk of AGENTS.md, in its order. */
function walks(): string[][] {
  const [, section = ''] = readFileSync(join(ROOT, 'AGENTS.md'), 'utf8').split('## Four walks');
  const lines = section.split('\n## ')[0]?.split('\n') ?? [];
  return lines
    .filter(line => line.includes('→'))
    .map(line => [...line.matchAll(NAMED)].map(([, path = '']) => path));
}

test('walks: a steering message, a click on Approve, a tool result, a reply → 12, 12, 10 and 12 files', () => {
  expect(walks().map(walk => walk.length)).toEqual([12, 12, 10, 12]);
});

test.each([
  ['README.md', 1_200],
  ['docs/architecture.md', 2_000],
])('%s → at most %i words', (page, most) => {
  expect(readFileSync(join(ROOT, page), 'utf8').split(/\s+/).length).toBeLessThanOrEqual(most);
});

test('the glossary: its words → each once, and no more than AGENTS.md has room for', () => {
  const [, room] = /which has room for (\d+)/.exec(readFileSync(join(ROOT, 'AGENTS.md'), 'utf8')) ?? [];
  const [, glossary = ''] = readFileSync(join(ROOT, 'docs/README.md'), 'utf8').split('## Glossary');
  const words = [...glossary.matchAll(/^\| (?!word )([^|]+) \|/gm)].flatMap(([, names = '']) =>
    names.split(', '),
  );
  const entries = [...glossary.matchAll(/^\| (?!word )/gm)];
  expect(words).toEqual([...new Set(words)]);
  expect(entries.length).toBeGreaterThan(40);
  expect(entries.length).toBeLessThanOrEqual(Number(room));
});

const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

test.each([
  ['README.md', /Node ([\d.]+) or newer/],
  ['docs/cli.md', /Node ([\d.]+) or newer/],
  ['docs/embedding.md', /Node ([\d.]+) or later/],
  ['src/cli.ts', /Node ([\d.]+) or newer/],
  ['scripts/build.mjs', /Node ([\d.]+) or newer/],
  ['packages/cli/doctor/examine.ts', /MINIMUM_NODE = '([\d.]+)'/],
])('%s: the oldest Node → that of the package (SU8)', (file, said) => {
  const [, floor = ''] = said.exec(readFileSync(join(ROOT, file), 'utf8')) ?? [];
  expect(engines.node).toBe(`>=${floor.split('.').length === 2 ? `${floor}.0` : floor}`);
});

test('dependencies: the oldest Node that each takes → is no newer than that of the package (SU8)', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const all: [string, { dev?: true; engines?: { node?: string } }][] = Object.entries(packages);
  const newer = all.filter(([, { dev, engines: their }]) => {
    return dev !== true && their?.node !== undefined && isBelow(oldest(engines.node), oldest(their.node));
  });
  expect(all.length).toBeGreaterThan(100);
  expect(newer.map(([name]) => name)).toEqual([]);
});

/** The least version of a range such as `^18 || >=20.1.0`; of alternatives the least. */
function oldest(range: string): number[] {
  const versions = range.split('||').map(part => (/\d[\d.]*/.exec(part)?.[0] ?? '0').split('.').map(Number));
  return versions.reduce((least, version) => (isBelow(version, least) ? version : least));
}

function isBelow(left: readonly number[], right: readonly number[]): boolean {
  const at = [0, 1, 2].find(index => (left[index] ?? 0) !== (right[index] ?? 0));
  return at !== undefined && (left[at] ?? 0) < (right[at] ?? 0);
}

test('docker-compose.yml: the server has no accounts → it is told so by a variable, which earlier servers ignore (OP10)', () => {
  const compose = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'));
  expect(compose.services.temporal.environment.TEMPORAL_ALLOW_NO_AUTH).toBe('true');
});

test('Dockerfile: each folder and script that the build reads → is copied, and not ignored', () => {
  const build = readFileSync(join(ROOT, 'scripts/build.mjs'), 'utf8');
  const [, list = ''] = /const sources = \[([^\]]+)\]/.exec(build) ?? [];
  const folders = [...list.matchAll(/'(\w+)'/g)].map(([, name]) => name);
  expect(folders).toEqual(['src', 'packages']);
  const copied = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').split('\n');
  const allowed = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
  expect(folders.filter(name => !copied.includes(`COPY ${name} ${name}`))).toEqual([]);
  expect(folders.filter(name => !allowed.includes(`!${name}`))).toEqual([]);
  const read = build.matchAll(/from '\.\/(\w+\.mjs)'|'scripts\/([\w-]+\.cjs)'/g);
  const scripts = ['build.mjs', ...[...read].map(([, imported, loader]) => imported ?? loader)];
  expect(scripts.filter(name => !allowed.includes(`!scripts/${name}`))).toEqual([]);
  expect(copied).toContain(`COPY ${scripts.map(name => `scripts/${name}`).join(' ')} scripts/`);
});
