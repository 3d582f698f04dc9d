/** Packages as they are published: each manifest says what its files import, in the versions of this project. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectRoot } from '../support/project.js';

interface Manifest {
  version: string;
  license: string;
  engines: object;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  /** Peers that a program may be without. */
  peerDependenciesMeta?: Record<string, object>;
}

const IMPORT = /^(?:import|export)\b[^;]*?from '([^'.][^']*)'|\b(?:import|resolve)\('([^'.][^']*)'\)/gm;
const PACKAGES = join(projectRoot, 'packages');
/** What browsers load is bundled: packages in it are installed by nobody. */
const PAGE = join('console', 'page');

const root = manifestOf(projectRoot);

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** Packages that the files of one import, types included: declarations name them too. */
function importedBy(name: string): Set<string> {
  const files = readdirSync(join(PACKAGES, name), { recursive: true, encoding: 'utf8' })
    .map(file => join(name, file))
    .filter(file => /\.tsx?$/.test(file) && !file.startsWith(PAGE));
  const specifiers = files.flatMap(file =>
    [...readFileSync(join(PACKAGES, file), 'utf8').matchAll(IMPORT)].map(
      ([, still, late]) => still ?? late ?? '',
    ),
  );
  const names = specifiers.map(specifier => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '');
  return new Set(names.filter(found => !found.startsWith('node:')));
}

describe.each(readdirSync(PACKAGES))('packages/%s', name => {
  const manifest = manifestOf(join(PACKAGES, name));

  test('its dependencies → what it imports, in the versions of the project', () => {
    const peers = Object.keys(manifest.peerDependenciesMeta ?? {});
    const imported = [...importedBy(name)]
      .filter(found => found !== 'steersman' && !peers.includes(found))
      .sort();
    const versions = imported.map(found => [
      found,
      found.startsWith('@steersman/') ? root.version : root.dependencies?.[found],
    ]);
    expect(manifest.dependencies ?? {}).toEqual(Object.fromEntries(versions));
    expect(peers.filter(peer => !importedBy(name).has(peer))).toEqual([]);
    expect(Object.keys(manifest.peerDependencies ?? {}).sort()).toEqual([...peers, 'steersman'].sort());
    expect(manifest.peerDependencies?.steersman).toBe(root.version);
  });

  test('its manifest → is that of the project, with the door of every package', () => {
    const { version, license, engines } = root;
    const exports = { '.': './index.js', './package.json': './package.json' };
    expect(manifest).toMatchObject({
      name: `@steersman/${name}`,
      version,
      license,
      type: 'module',
      exports,
      engines,
    });
  });
});

test('SU7: links of the pages that are packed → lead to what is packed too', () => {
  const { files = [] } = manifestOf(projectRoot) as Manifest & { files?: string[] };
  // npm packs these unasked.
  const packed = [...files, 'README.md', 'LICENSE', 'package.json'].filter(name => !name.startsWith('!'));
  const isPacked = (path: string) => packed.some(name => path === name || path.startsWith(`${name}/`));
  const pages = packed.flatMap(name => {
    if (name.endsWith('.md')) return [name];
    const inside = name === 'docs' || name === 'examples' || name === 'prompts';
    const found = inside ? readdirSync(join(projectRoot, name), { recursive: true, encoding: 'utf8' }) : [];
    return found.filter(file => file.endsWith('.md')).map(file => join(name, file));
  });
  const lost = pages.flatMap(page =>
    [...readFileSync(join(projectRoot, page), 'utf8').matchAll(/\]\(([^)#\s:]+)(?:#[^)]*)?\)/g)]
      .map(([, link = '']) => join(dirname(page), link))
      .filter(path => !isPacked(path))
      .map(path => `${page}: ${path}`),
  );
  expect(lost).toEqual([]);
});
