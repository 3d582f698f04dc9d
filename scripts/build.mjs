// Transpiles src and packages to dist, file by file, and bundles the workflows. It skips both if no source has
// changed.
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
/**
 * An import of one of our packages. The build renames it, because package.json (`imports`) says where the package is.
 */
const PART = /"@steersman\/([\w-]+)"/g;
const dist = join(root, 'dist');
const stamp = join(dist, '.built');

const CODE = /\.tsx?$/;

/** The console's page is bundled; all other files are transpiled one by one. */
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

// The build is made in another folder and then moved, so that a running command never sees half of it.
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

/**
 * Modules in these folders have no effect when they are loaded, so the page's bundle leaves out what it does not use
 * of them.
 */
const PURE = ['src/base', 'src/run', 'src/conversation', 'src/rules', 'packages/view'].map(folder =>
  join(root, folder),
);

/** Returns the source of a file by the name of its built form. */
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

/**
 * `common`: files that several parts of the page need; `late`: files that are loaded late. Empty until the first
 * build.
 */
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
      // The bundler splits code by file, so each name is imported from its own file.
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

/** Finds by a first build what the second one shares. */
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
// One file for each set of parts that share code would mean many small files, which weigh more. So each late part
// imports all that the page's frame has, and all that the pages of runs and the first page share.
const { metafile } = await buildPage({ write: false, metafile: true });
shared = sharedIn(metafile);
await buildPage();
// The page of another origin contains this script as a single text.
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
  // Stack traces need a source map, which every worker thread parses. File and line are enough, so it has no texts.
  // Its paths are relative to the project, because those of the building machine are private.
  devtool: 'inline-nosources-cheap-module-source-map',
  output: {
    ...config.output,
    devtoolModuleFilenameTemplate: info => relative(root, info.absoluteResourcePath),
  },
  // A module that only one other needs is merged into it, so each worker has a quarter less to parse and to store.
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
  // Workers with a bundle, and replays, take the interceptors from the bundle.
  workflowInterceptorModules: [interceptors],
  payloadConverterPath: payloads,
  // These modules are loaded once for all runs of a worker. They store nothing of a run, as the simulation shows.
  preloadModules: [workflows, interceptors, payloads],
  logger: quiet,
  webpackConfigHook: slim,
});
writeFileSync(join(next, 'workflow-bundle.js'), code);
chmodSync(join(next, 'cli.js'), 0o755);
writeFileSync(join(next, '.built'), wanted);

// Several commands may build at once: the last one wins, and none finds a folder that is half removed.
const old = `${next}-old`;
try {
  renameSync(dist, old);
} catch {
  // This is the first build, or another command has just moved the folder.
}
try {
  renameSync(next, dist);
} catch (error) {
  if (!existsSync(stamp)) throw error;
  rmSync(next, { recursive: true, force: true });
}
rmSync(old, { recursive: true, force: true });
