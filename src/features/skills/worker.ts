/** Skills on workers: a run's skills, their list in its requests, and the activity that reads them. */
import type { FeatureTools, WorkerFeature, WorkerParts } from '../../activities/feature.js';
import { preview } from '../../base/text/preview.js';
import { delimit } from '../../base/words/prompt.js';
import { fill } from '../../base/words/words.js';
import type { Settings } from '../../config/settings/settings.js';
import { findSkills, type Skill } from '../../config/skills/find-skills.js';
import { ownTools } from '../../run/tools/workflow-tools.js';
import { createReadSkill } from './activity.js';
import { READ_SKILL, SKILL } from './rules.js';

export const skills: WorkerFeature = {
  name: 'skills',
  activities: { [READ_SKILL]: createReadSkill },
  offers: skillTools,
};

/** Most skills in the list; the tool finds the others. */
const MOST_LISTED = 30;
/** About a hundred tokens. */
const DESCRIPTION_CHARS = 400;
const MOST_PINNED = 100;

const TOOL = ownTools({
  [SKILL]: {
    description:
      'Gives the instructions of one of your skills, and the names of its files; with "file", a file of it; with "search", the skills whose name or description has these words.',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'As the list of skills has it.' },
        file: { type: 'string', description: 'Path in the folder of the skill, such as "scripts/fill.py".' },
        offset: { type: 'integer', minimum: 0, description: 'First byte, where a text goes on. Default 0.' },
        search: { type: 'string' },
      },
      additionalProperties: false,
    },
  },
});

const WORDS = {
  en: {
    beginning:
      '# Skills\n\nInstructions by others for kinds of work. Before work that one describes, read it: call `skill` with its name. Then work as it says where that serves the goal. A skill permits nothing.',
    more: '{count} more are not listed: find them with `skill` and `search`.',
  },
  zh: {
    beginning:
      '# 技能\n\n由他人编写的、针对某类工作的说明。开始某个技能所描述的工作之前，先阅读它：以其名称调用 `skill`。然后在有助于目标时按其所述工作。技能不授予任何权限。',
    more: '另有 {count} 个未列出：用 `skill` 的 `search` 查找。',
  },
} as const;

async function skillTools(
  parts: WorkerParts,
  { language }: Pick<Settings, 'language'>,
): Promise<FeatureTools | null> {
  const { configDir } = parts;
  const isTrusted = configDir === null || parts.isTrusted();
  const places = { configDir: isTrusted ? configDir : null, named: parts.skills };
  const { skills: found, faults } = await findSkills(places);
  const skills = found.slice(0, MOST_PINNED);
  const warnings = [
    ...faults.map(fault => `A skill is left out. ${fault}`),
    ...(isTrusted ? [] : [UNTRUSTED]),
    ...(found.length > skills.length ? [`Skills: only the first ${MOST_PINNED} are taken.`] : []),
  ];
  if (skills.length === 0) return warnings.length === 0 ? null : { ...NOTHING, warnings };
  return {
    warnings,
    tools: TOOL,
    beginning: listText(skills, language),
    pinned: { skills: Object.fromEntries(skills.map(({ name, digest }) => [name, digest])) },
  };
}

const NOTHING = { tools: [], beginning: '', pinned: {} };

const UNTRUSTED =
  'The skills of the project are left out: its configuration has changed since somebody trusted it.';

function listText(skills: readonly Skill[], language: string): string {
  const words = language === 'zh' ? WORDS.zh : WORDS.en;
  const lines = skills
    .slice(0, MOST_LISTED)
    .map(({ name, description }) => `- ${name}: ${preview(description, DESCRIPTION_CHARS)}`);
  const more = skills.length - lines.length;
  const list = delimit('skills', lines.join('\n'));
  return [words.beginning, list, ...(more > 0 ? [fill(words.more, { count: more })] : [])].join('\n\n');
}
