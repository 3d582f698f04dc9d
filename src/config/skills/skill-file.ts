/** `SKILL.md`, as agentskills.io has it: front matter with a name and a description, then instructions. */
import { isText, stringOr } from '../../base/json/json.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { displayPath } from '../files/files.js';
import { parseYaml, type YamlSource } from '../files/yaml-source.js';
import { withQuotes } from '../settings/subagent-file.js';

const DOCS = 'docs/skills.md';
const MOST_NAME = 64;
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MOST_DESCRIPTION = 1_024;

export interface SkillFile {
  name: string;
  /** On one line, at most 1,024 characters. */
  description: string;
  license: string | null;
  compatibility: string | null;
  /** Unchanged from the file. They allow nothing here. */
  allowedTools: string | null;
  body: string;
  /** Harmless deviations of the file from the format. */
  notices: string[];
}

/**
 * Reads what others ship: any further keys, a byte order mark, line ends of Windows, values without the quotes that
 * YAML needs.
 * @param folder name of the folder that holds the file, which should be the skill's name.
 * @throws SteersmanError with `file:line` for a skill that could not be named, chosen or read (SK1).
 */
export function parseSkillFile(text: string, file: string, folder: string): SkillFile {
  const lines = text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .split('\n');
  const isFence = (line: string | undefined) => line?.trimEnd() === '---';
  const end = lines.findIndex((line, index) => index > 0 && isFence(line));
  if (!isFence(lines[0]) || end < 0)
    throw fault(file, isFence(lines[0]) ? 'its front matter has no end' : 'front matter is missing');
  const source = parseFrontMatter(lines.slice(1, end).join('\n'), file);
  const { name } = source.value;
  const notices: string[] = [];
  const note = (key: string, what: string) => notices.push(`${source.at([key])}: ${key}: ${what}`);
  if (!isText(name) || name.length > MOST_NAME || !NAME.test(name))
    throw new SteersmanError(
      `${source.at(['name'])}: name: ${name === undefined ? 'it is missing' : `${JSON.stringify(name)} is not a valid name of a skill`}.`,
      `Write "name: ${nameLike(folder)}": at most ${MOST_NAME} lower-case letters, digits and single hyphens.`,
    );
  if (name !== folder) note('name', `"${name}" holds, though the folder is "${folder}".`);
  const whole = stringOr(source.value.description, '').replace(/\s+/g, ' ').trim();
  if (whole === '')
    throw new SteersmanError(
      `${source.at(['description'])}: description: it is missing, so no model could choose the skill.`,
      'Say in one or two sentences what the skill does, and when to use it.',
    );
  const description = Array.from(whole).slice(0, MOST_DESCRIPTION).join('');
  if (description !== whole)
    note('description', `it has ${whole.length} characters: only the first ${MOST_DESCRIPTION} count.`);
  const allowedTools = textOf(source.value['allowed-tools']);
  if (allowedTools !== null)
    note('allowed-tools', 'it grants nothing here: permissions are for people to give.');
  const body = lines
    .slice(end + 1)
    .join('\n')
    .trim();
  if (body === '') notices.push(`${displayPath(file)}:${end + 1}: there are no instructions below.`);
  const [license, compatibility] = [source.value.license, source.value.compatibility].map(textOf);
  return {
    ...{ name, description, license: license ?? null, compatibility: compatibility ?? null },
    ...{ allowedTools, body, notices },
  };
}

function parseFrontMatter(text: string, file: string): YamlSource {
  try {
    return parseYaml(text, file, 2);
  } catch (error) {
    const quoted = withQuotes(text);
    if (quoted === text) throw error;
    return parseYaml(quoted, file, 2);
  }
}

function fault(file: string, what: string): SteersmanError {
  return new SteersmanError(
    `${displayPath(file)}:1: ${what}.`,
    `Begin the file with a line "---", name and description, and another line "---", as ${DOCS} shows.`,
  );
}

/** Returns a list with spaces between its items, as most files write it. */
function textOf(value: unknown): string | null {
  if (Array.isArray(value)) return value.map(String).join(' ');
  return isText(value) ? value.trim() || null : null;
}

function nameLike(folder: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MOST_NAME)
    .replace(/^-|-$/g, '');
  return name || 'my-skill';
}
