/** Checks a run's mode against the configuration, and that its roles exist. */

import { preview } from '../../base/text/preview.js';
import type { RunSettings } from '../../run/agents/run-config.js';
import {
  choicesOf,
  type DeclaredModes,
  MODES,
  type ModeChoice,
  requiredRoles,
} from '../../run/position/modes.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { displayPath } from '../files/files.js';
import { SETTINGS_FILE, type Settings } from '../settings/settings.js';
import type { RoleTemplate } from './prompts.js';

/**
 * Returns the roles that goals of this kind need. `named`: the role that a start names for them.
 * @throws SteersmanError for a missing role, or one with another output.
 */
export function requireRoles(
  way: ModeChoice,
  { modes }: Pick<Settings, 'modes'>,
  { templates, named }: { templates: readonly RoleTemplate[]; named?: string | undefined },
): string[] {
  const required = requiredRoles(way, modes);
  for (const [name, output] of required) {
    const found = templates.find(({ profile }) => profile.name === name);
    if (!found) throw name === named ? noSuchRole(name, templates) : noRoleFile(name, way);
    if (found.profile.output === output) continue;
    throw new SteersmanError(
      `${displayPath(found.file)}: output is "${found.profile.output}", and the mode ${way.mode} needs "${output}".`,
      name === named
        ? `Name another: ${answering(templates)}; or write "output: ${output}" in the front matter of one of your own.`
        : `Write "output: ${output}" in its front matter${way.mode in modes ? `, or name another role in modes.${way.mode}.steps` : ''}.`,
    );
  }
  return [...required.keys()];
}

function noRoleFile(name: string, { mode }: ModeChoice): SteersmanError {
  const message = `The mode ${mode} needs the role ${name}, and there is no prompts/core/${name}.md.`;
  return new SteersmanError(message, 'Restore that file.');
}

function noSuchRole(name: string, templates: readonly RoleTemplate[]): SteersmanError {
  return new SteersmanError(
    `There is no role "${preview(name, 80)}": no prompts/core has a file of that name.`,
    `Roles that can work on a goal alone: ${answering(templates)}. docs/prompts.md tells how to write one.`,
  );
}

function answering(templates: readonly RoleTemplate[]): string {
  const texts = templates.filter(({ profile }) => profile.output === 'text');
  return texts.map(({ profile }) => profile.name).join(', ');
}

/** Returns the configuration's modes that the run may be in. */
export function modesFor(
  { mode }: Pick<RunSettings, 'mode'>,
  { modes }: Pick<Settings, 'modes'>,
): DeclaredModes {
  const own = mode === 'auto' ? choicesOf(modes) : [mode];
  return Object.fromEntries(Object.entries(modes).filter(([name]) => own.includes(name)));
}

/**
 * Returns how a start's goals are pursued.
 * @throws SteersmanError for an unknown mode.
 */
export function modeOfStart(
  { mode, role }: Pick<RunSettings, 'mode' | 'role'>,
  { modes }: Pick<Settings, 'modes'>,
): ModeChoice {
  const known = [...MODES, ...Object.keys(modes)];
  if (!known.includes(mode)) throw noMode(mode, known);
  return { mode, roles: modes[mode]?.steps ?? (role === undefined ? null : [role]) };
}

function noMode(mode: string, known: readonly string[]): SteersmanError {
  return new SteersmanError(
    `There is no mode "${mode}". Modes here: ${known.join(', ')}.`,
    `Name one of them, or declare it under modes in ${SETTINGS_FILE}.`,
  );
}
