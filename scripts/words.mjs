// Writes src/base/words/built-in-words.ts: the texts of prompts/words as the workflow bundle has them.
// `node scripts/words.mjs` writes it; with --check it fails where the two differ, or the languages do.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = `${root}src/base/words/built-in-words.ts`;

const read = language => parse(readFileSync(`${root}prompts/words/${language}.yaml`, 'utf8'));
const constant = (name, type, words) => `export const ${name}${type} = ${JSON.stringify(words, null, 2)}`;

// A text a line, which no formatter lays out anew.
const source = `/** Made from prompts/words by \`npm run words\`: change the texts there. */
${constant('EN', '', read('en'))} as const;

${constant('ZH', ': Readonly<Record<keyof typeof EN, string>>', read('zh'))};
`;

if (!process.argv.includes('--check')) writeFileSync(target, source);
else if (readFileSync(target, 'utf8') !== source) {
  console.error('prompts/words has changed: run `npm run words`.');
  process.exit(1);
}
