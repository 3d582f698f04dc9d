/** A role's prompt file: front matter with the profile, then the core template. */
import { basename } from 'node:path';
import { z } from 'zod';
import { finalResponseFault, MOST_FINAL_CHARS } from '../../rules/prompts/final-response.js';
import type { RoleProfile } from '../../run/agents/role.js';
import { REASONING_LEVELS, REQUIREMENTS, TOOL_SYNTAXES } from '../../run/agents/role.js';
import { CONTRACTS, OUTPUT_CONTRACTS } from '../../run/outputs/contracts.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { displayPath } from '../files/files.js';
import type { YamlSource } from '../files/yaml-source.js';
import { checkYaml, parseYaml } from '../files/yaml-source.js';
import { modelChainSchema } from './models-schema.js';
import { asRoleFrontMatter, isSubagentFile, mayBeSubagentFile, withQuotes } from './subagent-file.js';

const DOCS = 'docs/prompts.md';

const description = z.string().min(1);
const output = z.enum(OUTPUT_CONTRACTS);
const finalResponse = z
  .string()
  .max(MOST_FINAL_CHARS)
  .superRefine((template, context) => {
    const fault = finalResponseFault(template);
    if (fault !== null) context.addIssue({ code: 'custom', message: fault.replace(/\.$/, '') });
  });
const MOST_RETRIES = 10;
const MOST_RETRY_DELAY_MS = 60_000;

/** Front matter of a role: a profile without its name, which is the file's. */
const profileSchema = z.strictObject({
  description,
  memory: z.enum(['shared', 'private']).exactOptional(),
  prefix: z.enum(['shared', 'own']).exactOptional(),
  tools: z.array(z.string().min(1)).exactOptional(),
  readOnly: z.boolean().exactOptional(),
  agents: z.array(z.string().min(1)).exactOptional(),
  capabilities: z.array(z.string().trim().min(1).max(60)).max(20).exactOptional(),
  requires: z.array(z.enum(REQUIREMENTS)).exactOptional(),
  output,
  maxRounds: z.int().min(1).max(1_000).exactOptional(),
  toolCallsPerTurn: z.int().min(1).exactOptional(),
  dialect: z.enum(['component', 'envelope']).exactOptional(),
  models: modelChainSchema.exactOptional(),
  temperature: z.number().min(0).max(2).exactOptional(),
  topP: z.number().min(0).max(1).exactOptional(),
  reasoning: z.enum(REASONING_LEVELS).exactOptional(),
  toolSyntax: z.enum(TOOL_SYNTAXES).exactOptional(),
  stop: z.array(z.string().min(1)).max(4).exactOptional(),
  maxOutputTokens: z.int().min(1).exactOptional(),
  streaming: z.boolean().exactOptional(),
  maxRetries: z.int().min(0).max(MOST_RETRIES).exactOptional(),
  retryDelayMs: z.int().min(1).max(MOST_RETRY_DELAY_MS).exactOptional(),
  finalResponse: finalResponse.exactOptional(),
});

/** Front matter that overrides another: omitted keys are taken from there. */
const partSchema = profileSchema.extend({
  description: description.exactOptional(),
  output: output.exactOptional(),
});

/** A role's front matter before its defaults. */
export type RoleFrontMatter = z.input<typeof partSchema>;

export interface RoleFile {
  file: string;
  frontMatter: YamlSource;
  template: string;
  firstLine: number;
  /** The template is plain text without placeholders, from a sub-agent file. Default false. */
  plain?: boolean;
  /** Warnings about parts of the file that have no effect, or an unexpected effect. Default: []. */
  warnings?: string[];
}

/** Splits a role's file. @throws SteersmanError with `file:line` for missing, unclosed or bad front matter. */
export function parseRoleFile(text: string, file: string): RoleFile {
  const lines = text.split('\n');
  const isFence = (line: string | undefined) => line?.trimEnd() === '---';
  if (!isFence(lines[0])) {
    throw new SteersmanError(
      `${displayPath(file)}:1: front matter is missing.`,
      `Begin the file with a line "---", the role's profile and another line "---", as ${DOCS} shows.`,
    );
  }
  const end = lines.findIndex((line, index) => index > 0 && isFence(line));
  if (end < 0) {
    throw new SteersmanError(
      `${displayPath(file)}:1: the front matter that begins here has no end.`,
      'Close it with a line "---" before the text of the prompt.',
    );
  }
  const frontMatter = parseFrontMatter(lines.slice(1, end).join('\n'), file);
  const role = { file, frontMatter, template: lines.slice(end + 1).join('\n'), firstLine: end + 2 };
  if (!isSubagentFile(frontMatter)) return role;
  const keys = Object.keys(profileSchema.shape);
  const isModel = (id: string) => modelChainSchema.safeParse(id).success;
  const plain = !role.template.includes('{{businessContext}}');
  return {
    ...role,
    plain,
    ...asRoleFrontMatter(frontMatter, { roleName: basename(file, '.md'), keys, isModel }),
  };
}

function parseFrontMatter(text: string, file: string): YamlSource {
  try {
    return parseYaml(text, file, 2);
  } catch (error) {
    if (!mayBeSubagentFile(text)) throw error;
    return parseYaml(withQuotes(text), file, 2);
  }
}

export interface RoleFiles {
  own: RoleFile;
  /** The file in the run's language, which overrides it. Null if there is no such file. */
  translation: RoleFile | null;
  /** Steersman's own file of this name, if `own` is another. Null if there is no such file. */
  shipped: RoleFile | null;
}

/**
 * Returns the profile from a role's files: the translation's keys override the role's own file, which overrides
 * Steersman's own (CF5).
 * @throws SteersmanError with `file:line` for unknown keys, bad values and missing ones.
 */
export function profileOf(name: string, { own, translation, shipped }: RoleFiles): RoleProfile {
  const given = {
    ...ownProfile(own, shipped),
    ...(translation ? checkYaml(partSchema, translation.frontMatter, DOCS) : {}),
  };
  const memory = given.memory ?? 'shared';
  if (given.finalResponse !== undefined && given.output !== 'text') {
    const place = (translation?.frontMatter ?? own.frontMatter).at(['finalResponse']);
    throw new SteersmanError(
      `${place}: finalResponse: its output is "${given.output}", but only a role with output text gives an answer.`,
      'Leave it out, or write "output: text".',
    );
  }
  const { readOnly, streaming, ...said } = given;
  return {
    ...DEFAULT_PROFILE,
    ...said,
    name,
    memory,
    prefix: given.prefix ?? (memory === 'shared' ? 'shared' : 'own'),
    dialect: given.dialect ?? CONTRACTS[given.output].dialect,
    maxOutputTokens: given.maxOutputTokens ?? CONTRACTS[given.output].outputTokens,
    ...(readOnly === true && { readOnly }),
    ...(streaming === false && { streaming }),
  };
}

/** Steersman's profile applies to a role with the same output; a coding agent's file gets nothing from it. */
function ownProfile(own: RoleFile, shipped: RoleFile | null): z.output<typeof profileSchema> {
  if (shipped === null || own.plain === true) return checkYaml(profileSchema, own.frontMatter, DOCS);
  const base = checkYaml(profileSchema, shipped.frontMatter, DOCS);
  const profile = checkYaml(partSchema, own.frontMatter, DOCS);
  if (profile.output === undefined || profile.output === base.output) return { ...base, ...profile };
  return checkYaml(profileSchema, own.frontMatter, DOCS);
}

/** The defaults of a role. Null leaves a value to the run, or to the endpoint. */
const DEFAULT_PROFILE = {
  tools: [],
  agents: [],
  requires: [],
  maxRounds: null,
  toolCallsPerTurn: null,
  models: [],
  temperature: null,
  topP: null,
  reasoning: null,
  toolSyntax: null,
  stop: [],
};
