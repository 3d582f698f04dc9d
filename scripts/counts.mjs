// Prints the number of things of each kind in the project, and what a change adds: `npm run counts [-- BASE]`, where
// BASE is a commit, `main` by default. AGENTS.md says what an addition must prove.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const git = (...args) => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1e9 });

/** Returns the files of a commit, or without one those of this folder. */
function treeOf(commit) {
  const names = commit
    ? git('ls-tree', '-r', '--name-only', commit)
    : git('ls-files', '-co', '--exclude-standard');
  const files = names.split('\n').filter(name => commit || existsSync(name));
  const read = name => (commit ? git('show', `${commit}:${name}`) : readFileSync(name, 'utf8'));
  return { files, read: name => (files.includes(name) ? read(name) : '') };
}

/** Returns the names at the beginning of a block's lines, such as the keys of an interface. */
function namesIn(text, begin, name) {
  const from = text.indexOf(begin);
  const block = from < 0 ? '' : text.slice(from, text.indexOf('\n}', from));
  return [...block.matchAll(name)].map(([, found]) => found);
}

function keysOf({ properties = {}, ...schema }) {
  const below = [schema.items, schema.additionalProperties, ...(schema.anyOf ?? [])].filter(one => one?.type);
  return [
    ...Object.entries(properties).flatMap(([key, one]) => [
      key,
      ...keysOf(one).map(more => `${key}.${more}`),
    ]),
    ...below.flatMap(keysOf),
  ];
}

function kindsOf({ files, read }) {
  const sources = files.filter(name => /^(src|packages)\/.*\.tsx?$/.test(name));
  const manifest = JSON.parse(read('package.json'));
  const verbs = files
    .filter(name => /^packages\/cli\/.*\.ts$/.test(name))
    .flatMap(name => [...read(name).matchAll(/\.command\(\s*'([\w-]+)/g)]);
  const api = read('docs/api.md').matchAll(/^(?:interface|class|type|function|const) (\w+)/gm);
  return {
    'files of src and packages': sources,
    packages: files.filter(name => /^packages\/[^/]+\/index\.ts$/.test(name)),
    features: files.filter(name => /^src\/features\/[^/]+\/feature\.ts$/.test(name)),
    verbs: verbs.map(([, name]) => name),
    'keys of steersman.yaml': [...new Set(keysOf(JSON.parse(read('steersman.schema.json') || '{}')))],
    events: namesIn(read('src/run/state/journal.ts'), 'export interface JournalPayloads {', /^ {2}(\w+):/gm),
    'exported names': [...new Set([...api].map(([, name]) => name))],
    'words of prompts': read('prompts/words/en.yaml')
      .split('\n')
      .flatMap(line => /^(\w+):/.exec(line)?.[1] ?? []),
    dependencies: Object.keys(manifest.dependencies),
    'pages of docs': files.filter(name => /^docs\/[^/]+\.md$/.test(name)),
  };
}

/** Above this number, only the count is printed. */
const MOST_NAMED = 30;

const [base = 'main'] = process.argv.slice(2);
const before = kindsOf(treeOf(base));
for (const [kind, now] of Object.entries(kindsOf(treeOf(null)))) {
  const added = now.filter(name => !before[kind].includes(name));
  const gone = before[kind].filter(name => !now.includes(name));
  const names = [...added.map(name => `+${name}`), ...gone.map(name => `-${name}`)];
  const change = names.length > MOST_NAMED ? `+${added.length} -${gone.length}` : names.join(' ');
  console.log(`${String(now.length).padStart(6)}  ${kind}${change && `: ${change}`}`);
}
