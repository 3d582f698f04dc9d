/** What a page loads of the packages for front ends, as a bundler makes it → no more than their READMEs say. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { projectRoot } from '../../support/project.js';

const PEERS = ['react', 'react-dom', 'react-dom/client'];

/** Kilobytes, gzipped: those of the script and what it imports at once, and those that it may load later. */
async function sizesOf(names: Record<string, string>): Promise<{ first: number; later: number }> {
  const lines = Object.entries(names).map(([from, what]) => `export { ${what} } from '${from}';`);
  const { outputFiles, metafile } = await build({
    stdin: { contents: lines.join('\n'), resolveDir: projectRoot },
    ...{ bundle: true, minify: true, splitting: true, format: 'esm', target: 'es2022', outdir: 'out' },
    ...{ write: false, metafile: true, external: PEERS, logLevel: 'error', absWorkingDir: projectRoot },
    define: { 'process.env.NODE_ENV': '"production"' },
    // The packages as they are built, not the sources that our own paths name.
    tsconfigRaw: {},
  });
  const outputs = Object.entries(metafile.outputs);
  const atOnce = new Set(
    outputs.flatMap(([path, { entryPoint }]) => (entryPoint === '<stdin>' ? [path] : [])),
  );
  for (const path of atOnce)
    for (const { kind, path: next, external } of metafile.outputs[path]?.imports ?? [])
      if (kind === 'import-statement' && !external) atOnce.add(next);
  const sum = { first: 0, later: 0 };
  for (const { path, contents } of outputFiles) {
    const isFirst = [...atOnce].some(each => path === join(projectRoot, each));
    sum[isFirst ? 'first' : 'later'] += gzipSync(contents).length / 1_024;
  }
  return sum;
}

function toldIn(name: string, pattern: RegExp): number[] {
  const readme = readFileSync(join(projectRoot, 'packages', name, 'README.md'), 'utf8');
  return pattern.exec(readme)?.slice(1).map(Number) ?? [];
}

/** What is told is no less than what is so, and at most 3 KB more. */
function expectTold(...sizes: [told: number, size: number][]): void {
  const wrong = sizes.filter(([told, size]) => size > told || size < told - 3);
  expect(wrong).toEqual([]);
}

test('R9 the sizes of components → those of its README', async () => {
  const [told = 0, more = 0, alone = 0] = toldIn(
    'components',
    /`createKit` and `draw` are (\d+) KB.* load up to (\d+) KB more.*`parsePartialJson` alone is (\d+) KB/,
  );
  const { first, later } = await sizesOf({ 'steersman/components': 'createKit, draw' });
  const partial = await sizesOf({ 'steersman/components': 'parsePartialJson' });
  expectTold([told, first], [more, later], [alone, partial.first]);
});

test('R10 the sizes of useRun, alone and with components → those of its README', async () => {
  const [told = 0, more = 0] = toldIn(
    'react',
    /`useRun` adds (\d+) KB.*with `Content` and a kit it is (\d+) KB/,
  );
  const hook = await sizesOf({ 'steersman/react': 'useRun' });
  const all = await sizesOf({ 'steersman/react': 'useRun, Content', 'steersman/components': 'createKit' });
  expectTold([told, hook.first], [more, all.first]);
});
