// Writes docs/api.md from the emitted types: all names that the package exports, with their signatures. With --check
// it compares the file instead, and fails if it differs.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { namesOf, ours } from './doors.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const report = join(root, 'docs', 'api.md');

/** Returns a file's declarations by name, without their comments. */
function declarations(file) {
  const text = readFileSync(file, 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '');
  const starts = [
    ...text.matchAll(
      /^(?:export )?(?:declare )?(?:abstract )?(?:class|interface|type|function|const) (\w+)/gm,
    ),
  ];
  const ends = /^(?:export|declare|import|interface|type|class|function|const|\/\/#)/gm;
  const found = new Map();
  for (const { index, 0: head, 1: name } of starts) {
    ends.lastIndex = index + head.length;
    const end = ends.exec(text)?.index ?? text.length;
    const body = text
      .slice(index, end)
      .replace(/\n\s*\n/g, '\n')
      .replace(/^(?:export )?(?:declare )?/, '')
      .trim();
    found.set(name, [...(found.get(name) ?? []), body]);
  }
  return found;
}

/** Returns the declarations behind an import: a relative file, or the door of a room or a package. */
function fileOf(from, entry) {
  return join(out, ours(relative(out, entry), from));
}

/** Returns the declarations of a name that a file exports, even if they come through other doors. */
function declared(file, own) {
  const found = declarations(file).get(own);
  if (found) return found;
  const through = exported(file).find(({ given }) => given === own);
  return through ? declared(through.file, through.own) : undefined;
}

/** Returns the names that an entry point exports, each with the file that declares it. */
function exported(entry) {
  const text = readFileSync(entry, 'utf8');
  const names = [];
  for (const { how, own, given, from } of namesOf(text))
    if (how === 'export') names.push({ own, given, file: fileOf(from, entry) });
  for (const [, from] of text.matchAll(/export \* from '([^']+)'/g))
    names.push(...exported(fileOf(from, entry)));
  for (const name of declarations(entry).keys())
    if (new RegExp(`^export .*\\b${name}\\b`, 'm').test(text) && !names.some(({ given }) => given === name))
      names.push({ own: name, given: name, file: entry });
  return names.sort((a, b) => (a.given < b.given ? -1 : 1));
}

function section(name, entry) {
  const blocks = exported(entry).map(({ own, given, file }) => {
    const found = declared(file, own) ?? [`${own} // from ${file}`];
    return (own === given ? found : [`// as ${given}`, ...found]).join('\n');
  });
  return `## ${name}\n\n\`\`\`ts\n${blocks.join('\n\n')}\n\`\`\`\n`;
}

const out = mkdtempSync(join(tmpdir(), 'steersman-api-'));
try {
  execFileSync(process.execPath, [join(root, 'scripts/types.mjs'), out], { stdio: 'inherit' });
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const parts = Object.entries(exports)
    .filter(([path, target]) => path !== '.' && target.types !== undefined)
    .map(([path, { types }]) =>
      section(`steersman${path.slice(1)}`, join(out, types.replace('./dist/', ''))),
    );
  const intro =
    'For programmers: all that the package exports, with its types. `npm run api` writes this page. `steersman` itself is `steersman/client`.';
  const text = `# Public API\n\n${intro}\n\n${parts.join('\n')}`;
  if (!process.argv.includes('--check')) writeFileSync(report, text);
  else if (readFileSync(report, 'utf8') !== text) {
    process.stderr.write(
      'The public API has changed: look at it, and write docs/api.md anew with `npm run api`.\n',
    );
    process.exitCode = 1;
  }
} finally {
  rmSync(out, { recursive: true, force: true });
}
