/** What a program says of its worker in code: the same as files say, and over them. */
import type { z } from 'zod';
import { isRecord } from '../base/json/json.js';
import { SteersmanError } from '../shared/process/errors.js';
import { checkYaml, type YamlSource } from './files/yaml-source.js';
import type { RoleFile, RoleFrontMatter } from './prompts/role-file.js';
import { settingsSchema } from './schema/settings-schema.js';

/** `steersman.yaml` as an object: every key may be left out. */
export type SettingsInCode = z.input<typeof settingsSchema>;

/** A role as its file `prompts/core/<name>.md` would have it: the front matter, and the template below it. */
export interface RoleInCode extends RoleFrontMatter {
  /** `planner`, `executor`, `verifier`, `summary`, or another that the configuration has. */
  name: string;
  /** The core template, with `{{businessContext}}` and the other placeholders of docs/prompts.md. */
  prompt: string;
}

export interface ConfigInCode {
  /** Over `steersman.yaml`, key by key within each section. */
  settings?: SettingsInCode;
  /** Each in place of the file of its name. */
  roles?: readonly RoleInCode[];
  /** Business contexts by role, or `default`: in place of `prompts/business/<role>.md`. */
  prompts?: Readonly<Record<string, string>>;
  /** Model providers of the program itself: model ids may begin with their names. */
  providers?: readonly { name: string }[];
  /** Transforms of the program itself, by name. Left out: nobody knows which there are, and any name is taken. */
  transforms?: Readonly<Record<string, unknown>>;
}

const DOCS = 'docs/embedding.md';

/**
 * What a file says, with what code says over it.
 * @throws SteersmanError where the code's part is wrong: a fault must not be looked for in the file.
 */
export function withSettingsInCode(file: YamlSource, inCode: SettingsInCode | undefined): YamlSource {
  if (inCode === undefined) return file;
  const at = () => 'settings (in code)';
  checkYaml(settingsSchema, { value: { ...inCode }, at }, DOCS);
  const value: Record<string, unknown> = { ...file.value };
  for (const [key, given] of Object.entries(inCode)) {
    const said = value[key];
    if (given !== undefined) value[key] = isRecord(said) && isRecord(given) ? { ...said, ...given } : given;
  }
  return { value, at: path => file.at(path) };
}

/** As if it were read from a file. @throws SteersmanError for a name given twice. */
export function roleFilesInCode(roles: readonly RoleInCode[]): Map<string, RoleFile> {
  const files = new Map<string, RoleFile>();
  for (const { name, prompt, ...frontMatter } of roles) {
    if (files.has(name)) {
      throw new SteersmanError(`The role ${name} is given twice in code.`, 'Give each role once.');
    }
    const file = `role ${name} (in code)`;
    files.set(name, {
      file,
      frontMatter: { value: { ...frontMatter }, at: () => file },
      template: prompt,
      firstLine: 1,
    });
  }
  return files;
}
