// Writes the texts of prompts/words for the workflow bundle, and those that people read for the console. With --check
// it compares the files instead, and fails if one differs.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = language => parse(readFileSync(`${root}prompts/words/${language}.yaml`, 'utf8'));
const [en, zh] = ['en', 'zh'].map(read);
const constant = (name, type, words) => `export const ${name}${type} = ${JSON.stringify(words, null, 2)}`;

// Each text is on its own line, and no formatter changes that.
const source = `/** Made from prompts/words by \`npm run words\`: change the texts there. */
${constant('EN', '', en)} as const;

${constant('ZH', ': Readonly<Record<keyof typeof EN, string>>', zh)};
`;

/** Keys of the texts that people read in the console. All others are for models. */
const FOR_PEOPLE =
  /^(gate|asked|meant|route|deadline|receipt|decided|review|role|suggest|check)[A-Z]|^(asksConfirmation|highRisk|riskNotDescribed|mitigation|notSure|otherwise|appAsks|mayDestroy|whyUnreadable|criterion|noTools|notDoneReport|noAnswer)$/;
/** Keys of texts that a run adds as lines to a role's words. */
const ADDED = /^(notDone|checksNotPassed|checksUnchanged|checksChanged|exceptions|status[A-Z]\w*)$/;
const pairsOf = keys =>
  Object.keys(en)
    // A text that only has variables would match any other.
    .filter(key => keys.test(key) && /[a-z]/i.test(en[key].replace(/\{\w+\}/g, '')))
    .map(key => [en[key], zh[key]]);
const table = (name, keys) =>
  `export const ${name}: readonly (readonly [english: string, chinese: string])[] = ${JSON.stringify(pairsOf(keys), null, 2)};`;
const page = `/** Made from prompts/words by \`npm run words\`: what a run says to people, in English and in Chinese. */
${table('RUN_TEXTS', FOR_PEOPLE)}

/** Lines that a run adds to the words of a role. */
${table('ADDED_TEXTS', ADDED)}
`;

const made = {
  'src/base/words/built-in-words.ts': source,
  'packages/console/page/words/run-texts.ts': page,
};
for (const [file, text] of Object.entries(made)) {
  if (!process.argv.includes('--check')) writeFileSync(`${root}${file}`, text);
  else if (readFileSync(`${root}${file}`, 'utf8') !== text) {
    console.error('prompts/words has changed: run `npm run words`.');
    process.exit(1);
  }
}
