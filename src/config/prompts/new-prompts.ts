/** Writes a project's first prompts from a few answers (P15). The templates are in `prompts/new`. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorText } from '../../base/text/error-text.js';
import { renderTemplate } from '../../base/words/prompt.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { displayPath, readTextIfPresent } from '../files/files.js';
import { shippedPrompts } from '../files/prompt-files.js';

export interface PromptAnswers {
  /** The programming language, such as `TypeScript`. */
  language: string;
  /** The runtime or framework, such as `Express`. */
  platform: string;
  /** The project, its users and its rules: the team reads this text unchanged. */
  businessContext: string;
  /** The model provider, if it matters to the work. */
  provider?: string;
}

/** The language of the texts: English, or one with a folder in `prompts/new`. */
export type TemplateLanguage = 'en' | 'zh';

/** Templates, and the files made from them. */
const FILES = {
  context: { template: 'default.md', made: 'prompts/business/default.md' },
  task: { template: 'task.md', made: 'prompts/new-prompts.md' },
  application: { template: 'application.md', made: 'prompts/new-application.md' },
} as const;

/** The paths of the files that were written. */
export type NewPrompts = Record<keyof typeof FILES, string>;

const PROVIDER_LINE: Readonly<Record<TemplateLanguage, (name: string) => string>> = {
  en: name => `\n- Provider of models: ${name}`,
  zh: name => `\n- 模型提供方：${name}`,
};

/**
 * Writes a business context for all roles, the task by which a model writes one for each, and the task of building an
 * application with such a team. @throws SteersmanError if one of the files exists: then none is written.
 */
export async function writeNewPrompts(
  dir: string,
  { language, platform, businessContext, provider }: PromptAnswers,
  templates: TemplateLanguage = 'en',
): Promise<NewPrompts> {
  const values = {
    LANGUAGE: language,
    PLATFORM: platform,
    BUSINESS_CONTEXT: businessContext.trim(),
    AI_PROVIDER: provider === undefined ? '' : PROVIDER_LINE[templates](provider),
  };
  const made = await Promise.all(
    Object.entries(FILES).map(async ([name, { template, made: path }]) => {
      const source = join(shippedPrompts() ?? '', 'new', templates === 'en' ? '' : templates, template);
      const text = renderTemplate((await readTextIfPresent(source)) ?? '', values, { file: source });
      return { name, path: join(dir, path), text };
    }),
  );
  for (const { path } of made) await refuseIfThere(path);
  for (const { path, text } of made) await write(path, text);
  // The cast is safe: there is one file for each name.
  return Object.fromEntries(made.map(({ name, path }) => [name, path])) as NewPrompts;
}

async function refuseIfThere(path: string): Promise<void> {
  if ((await readTextIfPresent(path)) === null) return;
  throw new SteersmanError(
    `${displayPath(path)} is there already, and is not written over.`,
    'Move it away, or name another folder.',
  );
}

async function write(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    throw new SteersmanError(
      `${displayPath(path)} cannot be written: ${errorText(error)}`,
      'Name a folder that can be written to.',
      'host',
    );
  }
}
