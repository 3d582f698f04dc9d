/** A folder's own texts of the run: `prompts/words/<language>.yaml`, key by key. */
import { join } from 'node:path';
import { z } from 'zod';
import { placeholdersOf } from '../../base/words/prompt.js';
import { BUILT_IN_WORDS, builtInWords, type OwnWords, type WordKey } from '../../base/words/words.js';
import { readTextIfPresent } from '../files/files.js';
import { checkYaml, parseYaml } from '../files/yaml-source.js';

const KEYS = Object.keys(BUILT_IN_WORDS.en) as WordKey[];

/** Each text must have exactly the variables of the built-in one. */
const wordsSchema = z.strictObject(
  Object.fromEntries(
    KEYS.map(key => [
      key,
      z
        .string()
        .min(1)
        .superRefine((text, context) => {
          for (const message of variableFaults(key, text)) context.addIssue({ code: 'custom', message });
        })
        .exactOptional(),
    ]),
  ) as Record<WordKey, z.ZodExactOptional<z.ZodString>>,
);

function variableFaults(key: WordKey, text: string): string[] {
  const declared = placeholdersOf(BUILT_IN_WORDS.en[key]);
  const found = placeholdersOf(text);
  const known = declared.map(name => `{${name}}`).join(', ') || 'none';
  return [
    ...declared.filter(name => !found.includes(name)).map(name => `{${name}} is missing`),
    ...found
      .filter(name => !declared.includes(name))
      .map(name => `${name === '{{' ? name : `{${name}}`} is not a variable of it (known: ${known})`),
  ];
}

/**
 * Returns the texts in files that replace built-in ones of the language; earlier folders win. Undefined if none
 * differs.
 * @throws SteersmanError with `file:line` and key for unknown keys, and for missing or unknown variables.
 */
export async function loadWords(roots: readonly string[], language: string): Promise<OwnWords | undefined> {
  const builtIn = builtInWords(language);
  const own: Partial<Record<WordKey, string>> = {};
  for (const root of [...roots].reverse()) {
    const file = wordsFile(root, language);
    const text = await readTextIfPresent(file);
    if (text !== null) Object.assign(own, checkYaml(wordsSchema, parseYaml(text, file), 'docs/prompts.md'));
  }
  const differing = KEYS.filter(key => own[key] !== undefined && own[key] !== builtIn[key]);
  return differing.length === 0 ? undefined : Object.fromEntries(differing.map(key => [key, own[key]]));
}

function wordsFile(root: string, language: string): string {
  return join(root, 'words', `${language}.yaml`);
}
