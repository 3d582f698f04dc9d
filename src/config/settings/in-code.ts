/** A program's configuration of its worker in code: it overrides the files. */
import type { z } from 'zod';
import { isRecord } from '../../base/json/json.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { checkYaml, type YamlSource } from '../files/yaml-source.js';
import type { RoleFile, RoleFrontMatter } from './role-file.js';
import { settingsSchema } from './settings-schema.js';

/** `steersman.yaml` as an object: every key is optional. */
export type SettingsInCode = z.input<typeof settingsSchema>;

/** A role as in its file `prompts/core/<name>.md`: the front matter, and the template after it. */
export interface RoleInCode extends RoleFrontMatter {
  /** `planner`, `executor`, `verifier`, `summary`, or another that the configuration has. */
  name: string;
  /** The core template, with `{{businessContext}}` and the other placeholders of docs/prompts.md. */
  prompt: string;
}

export interface ConfigInCode {
  /** Overrides `steersman.yaml`, key by key within each section. */
  settings?: SettingsInCode;
  /** Each role replaces the file of its name. */
  roles?: readonly RoleInCode[];
  /** Business contexts by role, or `default`: they replace `prompts/business/<role>.md`. */
  prompts?: Readonly<Record<string, string>>;
  /** Folders of skills, each of one skill or of several, besides those of the configuration folder. Default: none. */
  skills?: readonly string[];
  /** Model providers of the program: model ids may begin with their names. */
  providers?: readonly { name: string }[];
  /** Transforms of the program, by name. Absent: they are unknown, and any name is accepted. */
  transforms?: Readonly<Record<string, unknown>>;
}

const DOCS = 'docs/embedding.md';

/**
 * Returns the file's settings, overridden by those in code.
 * @throws SteersmanError if the code's part is wrong, so that the fault is not looked for in the file.
 */
export function withSettingsInCode(file: YamlSource, inCode: SettingsInCode | undefined): YamlSource {
  if (inCode === undefined) return file;
  const at = () => 'settings (in code)';
  checkYaml(settingsSchema, { value: { ...inCode }, at }, DOCS);
  const value: Record<string, unknown> = { ...file.value };
  for (const [key, given] of Object.entries(inCode)) {
    const old = value[key];
    if (given !== undefined) value[key] = isRecord(old) && isRecord(given) ? { ...old, ...given } : given;
  }
  return { value, at: path => file.at(path) };
}

/** Returns roles as if read from files. @throws SteersmanError for a name given twice. */
export function roleFilesInCode(roles: readonly RoleInCode[]): Map<string, RoleFile> {
  const files = new Map<string, RoleFile>();
  for (const { name, prompt, ...frontMatter } of roles) {
    if (files.has(name)) {
      throw new SteersmanError(`The role ${name} is defined twice in code.`, 'Define each role once.');
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
