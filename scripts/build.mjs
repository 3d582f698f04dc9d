// Transpiles src and packages to dist, file by file, and bundles the workflows; skips both when nothing changed.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pastDoors } from './doors.mjs';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Error: Steersman needs Node 20.19 or newer. This is Node ${process.versions.node}.`);
  process.exit(2);
}

const root = fileURLToPath(new URL('..', import.meta.url));
/** A package of this repository, as its sources import it. In what is built, package.json says where it is (`imports`). */
const PART = /"@steersman\/([\w-]+)"/g;
const dist = join(root, 'dist');
const stamp = join(dist, '.built');

const CODE = /\.tsx?$/;

/** What the console's page loads is bundled, all else is transpiled file by file. */
const PAGE = join('packages', 'console', 'page');
const sources = ['src', 'packages'].flatMap(folder =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map(file => join(folder, file))
    .sort(),
);
const files = sources.filter(
  file => /\.(tsx?|json|zip|[cm]js)$/.test(file) && !/\bpackage\.json$/.test(file) && !file.startsWith(PAGE),
);
const pageFiles = sources.filter(file => file.startsWith(PAGE) && /\.\w+$/.test(file));
const hash = createHash('sha256');
for (const file of [
  ...files,
  ...pageFiles,
  'package.json',
  'package-lock.json',
  'scripts/build.mjs',
  'scripts/doors.mjs',
]) {
  hash
    .update(file)
    .update('\0')
    .update(readFileSync(join(root, file)))
    .update('\0');
}
const wanted = hash.digest('hex');
if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) process.exit(0);

// Built beside and moved into place, so that a command that runs meanwhile never sees half a build.
const next = join(root, `.build-${process.pid}`);
rmSync(next, { recursive: true, force: true });
mkdirSync(next, { recursive: true });
const esbuild = await import('esbuild');
/** `src/worker.ts` is built as `worker.js`, `packages/stack/owner.ts` as `packages/stack/owner.js`. */
const built = file => join(next, file.replace(/^src[\\/]/, ''));
for (const [folder, outdir] of [
  ['src', next],
  ['packages', join(next, 'packages')],
])
  await esbuild.build({
    entryPoints: files
      .filter(file => file.startsWith(folder) && CODE.test(file))
      .map(file => join(root, file)),
    outdir,
    outbase: join(root, folder),
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    sourcemap: true,
    logLevel: 'error',
  });
for (const file of files) {
  if (!CODE.test(file)) {
    cpSync(join(root, file), built(file));
    continue;
  }
  const script = built(file).replace(CODE, '.js');
  const text = readFileSync(script, 'utf8');
  const resolved = text.replace(PART, '"#steersman/$1"');
  if (resolved !== text) writeFileSync(script, resolved);
}

/** Modules of these do nothing when they are loaded: what nothing on the page uses of them is left out. */
const PURE = ['src/base', 'src/run', 'src/conversation', 'src/rules', 'packages/view'].map(folder =>
  join(root, folder),
);

/** The source of a file, which is named as it is built. */
const source = file => {
  const path = join(root, file.startsWith('packages') ? '' : 'src', file);
  return existsSync(path) ? path : path.replace(/\.ts$/, '.tsx');
};
const texts = new Map();

/** Each door is read once. */
function read(door) {
  if (!texts.has(door)) texts.set(door, readFileSync(source(door), 'utf8'));
  return texts.get(door);
}

/** Files of the page that its other parts need, and those that are loaded late; both empty before they are known. */
let shared = { common: [], late: [] };
const COMMON = 'common';

const doors = {
  name: 'doors',
  setup: build => {
    build.onResolve({ filter: new RegExp(`^${COMMON}$`) }, () => ({ path: COMMON, namespace: COMMON }));
    build.onLoad({ filter: /./, namespace: COMMON }, () => ({
      contents: shared.common.map(path => `import ${JSON.stringify(join(root, path))};`).join('\n'),
      resolveDir: root,
    }));
    build.onLoad({ filter: /[\\/]packages[\\/].*\.tsx?$/ }, ({ path }) => {
      // Code that is split is split by file.
      const text = pastDoors(readFileSync(path, 'utf8'), 'page.ts', { read, pathTo: source });
      const isLate = shared.late.includes(relative(root, path));
      return {
        contents: isLate ? `import '${COMMON}';\n${text}` : text,
        loader: path.endsWith('x') ? 'tsx' : 'ts',
      };
    });
    build.onResolve({ filter: /^(\.\.?)?\// }, async ({ path, pluginData, ...given }) => {
      if (pluginData === doors.name) return undefined;
      const found = await build.resolve(path, { ...given, pluginData: doors.name });
      return PURE.some(folder => found.path.startsWith(folder)) ? { ...found, sideEffects: false } : found;
    });
  },
};

/** Says by a first build what the second one shares. */
function sharedIn({ inputs, outputs }) {
  const importsOf = (path, kind) =>
    (inputs[path]?.imports ?? []).filter(each => each.kind === kind && each.path in inputs);
  const neededBy = (path, known = new Set()) => {
    if (known.has(path)) return known;
    known.add(path);
    for (const each of importsOf(path, 'import-statement')) neededBy(each.path, known);
    return known;
  };
  const used = new Set(
    Object.values(outputs).flatMap(({ inputs: parts }) =>
      Object.keys(parts).filter(path => parts[path].bytesInOutput > 0),
    ),
  );
  const [frame, run, home] = [APP, `${PAGE}/run/run-page.tsx`, `${PAGE}/home/home-page.tsx`].map(path =>
    neededBy(path),
  );
  const late = Object.keys(inputs).flatMap(path => importsOf(path, 'dynamic-import').map(each => each.path));
  return {
    common: [...used].filter(path => path !== APP && (frame.has(path) || (run.has(path) && home.has(path)))),
    late: late.filter(path => !path.startsWith(`${PAGE}/words/`)),
  };
}

const forBrowsers = {
  outdir: join(next, PAGE),
  bundle: true,
  minify: true,
  platform: 'browser',
  target: 'es2022',
  logLevel: 'error',
};
const APP = `${PAGE}/app/main.tsx`;
const buildPage = options =>
  esbuild.build({
    absWorkingDir: root,
    entryPoints: {
      app: join(root, APP),
      style: join(root, PAGE, 'style.css'),
      'stream-worker': join(root, PAGE, 'stream-worker.ts'),
    },
    ...forBrowsers,
    splitting: true,
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    chunkNames: 'chunk-[hash]',
    plugins: [doors],
    ...options,
  });
// A file of its own for each set of parts that share code would be many small ones, which weigh more. So each part that
// is loaded late imports all that the frame of the page has, and what the pages of runs and the first page share.
const { metafile } = await buildPage({ write: false, metafile: true });
shared = sharedIn(metafile);
await buildPage();
// Stands in the page of another origin, as one text.
await esbuild.build({
  entryPoints: { 'app-frame': join(root, PAGE, 'apps', 'app-frame.ts') },
  ...forBrowsers,
  format: 'iife',
});
for (const file of pageFiles) if (/\.(html|svg)$/.test(file)) cpSync(join(root, file), join(next, file));

const { bundleWorkflowCode } = await import('@temporalio/worker');
const quiet = { trace() {}, debug() {}, info() {}, warn: console.error, error: console.error, log() {} };
const workflows = join(next, 'compose.js');
const interceptors = join(next, 'workflows/platform/interceptors.js');
const payloads = join(next, 'workflows/platform/read-payloads.js');
const slim = config => ({
  ...config,
  module: {
    ...config.module,
    rules: [
      ...(config.module?.rules ?? []),
      { test: /node_modules.*\.js$/, loader: join(root, 'scripts/without-comments.cjs') },
    ],
  },
  // Stack traces need a source map, and every worker thread parses it: file and line are enough, without the texts.
  // Its paths are the project's own: those of the machine that built it are nobody's business.
  devtool: 'inline-nosources-cheap-module-source-map',
  output: {
    ...config.output,
    devtoolModuleFilenameTemplate: info => relative(root, info.absoluteResourcePath),
  },
  // Modules that only one other needs become one with it: a quarter less for each worker to parse and to keep.
  optimization: {
    ...config.optimization,
    concatenateModules: true,
    providedExports: true,
    usedExports: true,
    sideEffects: true,
  },
});
const { code } = await bundleWorkflowCode({
  workflowsPath: workflows,
  // A worker with a bundle takes its interceptors from there, and so does a replay.
  workflowInterceptorModules: [interceptors],
  payloadConverterPath: payloads,
  // Once for all runs of a worker, not for each: they keep nothing of a run, and the simulation shows it.
  preloadModules: [workflows, interceptors, payloads],
  logger: quiet,
  webpackConfigHook: slim,
});
writeFileSync(join(next, 'workflow-bundle.js'), code);
chmodSync(join(next, 'cli.js'), 0o755);
writeFileSync(join(next, '.built'), wanted);

// Several commands may build at once: the last one wins, and none finds a folder half removed.
const old = `${next}-old`;
try {
  renameSync(dist, old);
} catch {
  // The first build, or another command has just moved it.
}
try {
  renameSync(next, dist);
} catch (error) {
  if (!existsSync(stamp)) throw error;
  rmSync(next, { recursive: true, force: true });
}
rmSync(old, { recursive: true, force: true });
