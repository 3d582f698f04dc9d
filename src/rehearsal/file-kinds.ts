/** What kind of file a path is, by its name: language, and whether its lines are worth counting. */

/** Language, then its extensions. */
const LANGUAGES = `
  TypeScript ts tsx mts cts, JavaScript js jsx mjs cjs, Python py pyi, Go go, Rust rs, Java java, Kotlin kt kts,
  Ruby rb gemspec, PHP php, C c h, C++ cc cpp cxx hpp, C# cs, Swift swift, Scala scala, Dart dart, Elixir ex exs,
  Lua lua, R r, Shell sh bash zsh, SQL sql, GraphQL graphql, Protobuf proto, HTML html htm, CSS css scss sass less,
  Vue vue, Svelte svelte, Terraform tf, Markdown md mdx markdown, reStructuredText rst, Text txt, JSON json jsonc json5,
  YAML yml yaml, TOML toml, XML xml svg, INI ini cfg conf properties, CSV csv tsv, Lock lock, Log log, Module mod sum`;

const BY_EXTENSION: ReadonlyMap<string, string> = new Map(
  LANGUAGES.split(',').flatMap(entry => {
    const [language = '', ...extensions] = entry.trim().split(/\s+/);
    return extensions.map(extension => [extension, language] as const);
  }),
);

const BINARY = new Set(
  `png jpg jpeg gif webp bmp ico icns pdf zip gz tgz bz2 xz 7z tar jar war class exe dll so dylib a o obj lib bin dat
  wasm node pyc pyo pyd whl egg woff woff2 ttf otf eot mp3 mp4 wav ogg flac avi mov webm mkv db sqlite sqlite3 parquet
  npy npz pt onnx gguf psd ai sketch fig doc docx xls xlsx ppt pptx key keystore p12 der heic avif`.split(
    /\s+/,
  ),
);

const GENERATED =
  /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|bun\.lockb|go\.sum|[\w-]+\.lock)$|\.(map|min\.js|min\.css|min\.mjs|snap)$/;

/** Folders of dependencies, builds and version control: they say nothing of what people wrote here. */
export const LEFT_OUT_FOLDERS: readonly string[] =
  `node_modules bower_components dist build out target vendor .git .hg .svn
  .venv venv env __pycache__ .mypy_cache .pytest_cache .ruff_cache .tox .eggs site-packages .next .nuxt .svelte-kit .output
  .turbo .parcel-cache .cache coverage .nyc_output .gradle .idea .vs .terraform Pods DerivedData .steersman`.split(
    /\s+/,
  );

export type FileKind = 'text' | 'binary' | 'generated';

/** A file without an extension counts as text until it was read. */
export function kindOf(path: string): FileKind {
  if (GENERATED.test(path)) return 'generated';
  return BINARY.has(extensionOf(path)) ? 'binary' : 'text';
}

/** Language for the table of lines; files of unknown kinds go by their extension or, without one, by their name. */
export function languageOf(path: string): string {
  const extension = extensionOf(path);
  const name = /(^|\/)(Makefile|Dockerfile|Gemfile|Rakefile|Jenkinsfile)$/.exec(path)?.[2];
  return name ?? BY_EXTENSION.get(extension) ?? (extension === '' ? 'other' : `.${extension}`);
}

/** True for extensions that goals may be expected to name files by. */
export function isKnownExtension(extension: string): boolean {
  return BY_EXTENSION.has(extension.toLowerCase()) || BINARY.has(extension.toLowerCase());
}

/** In lower case, without the dot; empty for names such as `LICENSE` and `.gitignore`. */
function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
}
