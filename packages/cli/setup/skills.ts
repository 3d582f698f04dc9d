/** `skills`: which skills the runs of a project have, what one says, and what is wrong with others. */

import { EXIT, userPath } from '@steersman/print';
import type { Command } from 'commander';
import { preview } from 'steersman/base';
import { SteersmanError } from 'steersman/client';
import {
  CONFIG_OPTION,
  defaultConfigDir,
  displayPath,
  findSkills,
  isTrusted,
  SKILL_FOLDERS,
  type Skill,
} from 'steersman/config';
import { createOutput, quietVerbCall, terminalText, verbCall } from 'steersman/shared';
import { type CommonOptions, describeVerb } from '../command/command.js';

interface SkillOptions extends CommonOptions {
  config?: string;
}

export function addSkills(program: Command): void {
  const skills = program
    .command('skills')
    .description(`Skills of a project: folders with a SKILL.md in its ${SKILL_FOLDERS.join(', ')}.`);
  const list = withConfig(skills.command('list').description('List the skills that runs have.'));
  describeVerb(list, [verbCall('skills list'), quietVerbCall('skills list --json | jq .name')]).action(
    listAll,
  );
  const show = withConfig(
    skills
      .command('show')
      .description('Show what a skill says, its files and its digest.')
      .argument('<name>', 'name of the skill, as the list shows it'),
  );
  describeVerb(show, [verbCall('skills show pdf')]).action(showOne);
  const check = skills
    .command('check')
    .description('Check the skills of the project, or of a folder.')
    .argument('[folder]', 'folder of one skill or several (default: the skills of the project)')
    .option('--config <dir>', CONFIG_OPTION)
    .addHelpText(
      'after',
      '\nExit codes: 0 all can be used; 1 one is left out, or the named folder has none.',
    );
  describeVerb(check, [verbCall('skills check'), verbCall('skills check ~/skills/pdf')]).action(checkAll);
}

function withConfig(verb: Command): Command {
  return verb.option('--config <dir>', CONFIG_OPTION);
}

function configOf({ config }: SkillOptions): string {
  return config === undefined ? defaultConfigDir() : userPath(config);
}

async function listAll(options: SkillOptions): Promise<void> {
  const { json, out, notes, value } = createOutput(options);
  const say = (text: string) => out.line(terminalText(text));
  const configDir = configOf(options);
  const { skills, faults } = await findSkills({ configDir });
  for (const skill of skills) {
    const { name, description, folder, digest } = skill;
    if (json) value({ type: 'skill', name, description, digest, folder, files: skill.files.size });
    else say(`${name}  ${preview(description, 160)}  (${displayPath(folder)})`);
  }
  if (skills.length === 0)
    notes.line(`There are no skills in ${SKILL_FOLDERS.join(', ')} of ${displayPath(configDir)}.`);
  if (faults.length > 0) notes.line(`${faults.length} left out: ${verbCall('skills check')} says why.`);
  if (skills.length > 0 && options.config === undefined && !isTrusted(configDir))
    notes.line(`Runs do not have them yet: ${displayPath(configDir)} is not trusted.`);
}

async function showOne(name: string, options: SkillOptions): Promise<void> {
  const { json, out, value } = createOutput(options);
  const say = (text: string) => out.line(terminalText(text));
  const found = await findSkills({ configDir: configOf(options) });
  const skill = found.skills.find(each => each.name === name);
  if (!skill) throw unknown(name, found.skills);
  const { description, license, compatibility, allowedTools, digest, folder, files, body } = skill;
  const header = { description, license, compatibility, allowedTools, digest, folder };
  if (json) return value({ type: 'skill', name, ...header, files: Object.fromEntries(files), body });
  say(name);
  for (const [key, text] of Object.entries(header)) if (text !== null) say(`  ${LABELS[key]}: ${text}`);
  for (const [path, bytes] of files) say(`  ${path} (${bytes} bytes)`);
  say('');
  say(body);
}

const LABELS: Record<string, string> = {
  description: 'description',
  license: 'license',
  compatibility: 'needs',
  allowedTools: 'allowed-tools (grants nothing here)',
  digest: 'digest',
  folder: 'folder',
};

function unknown(name: string, skills: readonly Skill[]): SteersmanError {
  const names = skills.map(skill => skill.name).join(', ') || 'none';
  return new SteersmanError(`There is no skill ${name}.`, `The skills are: ${names}.`, 'usage');
}

async function checkAll(folder: string | undefined, options: SkillOptions): Promise<void> {
  const { json, out, notes, value } = createOutput(options);
  const say = (text: string) => out.line(terminalText(text));
  const places =
    folder === undefined ? { configDir: configOf(options) } : { configDir: null, named: [userPath(folder)] };
  const { skills, faults } = await findSkills(places);
  const notices = skills.flatMap(skill => skill.notices);
  for (const text of faults) json ? value({ type: 'fault', text }) : say(`left out: ${text}`);
  for (const text of notices) json ? value({ type: 'notice', text }) : say(`note: ${text}`);
  const isEmpty = folder !== undefined && skills.length + faults.length === 0;
  notes.line(isEmpty ? noSkillIn(folder) : `${skills.length} can be used, ${faults.length} left out.`);
  if (faults.length > 0 || isEmpty) process.exitCode = EXIT.failed;
}

function noSkillIn(folder: string): string {
  const place = terminalText(displayPath(userPath(folder)));
  return `${place} has no skill. Name the folder of one skill or of several, or no folder for the project's skills.`;
}
