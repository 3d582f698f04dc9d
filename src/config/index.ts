/** `steersman/config`: `steersman.yaml`, prompts, and the trust in a folder. */

export { isBelow } from '../shared/process/below.js';
export { chooseModels } from './choose-models.js';
export { configurationDigest } from './digest.js';
export {
  CONFIG_OPTION,
  defaultConfigDir,
  localToolsDir,
  settingsFileFor,
  TOOL_FILES,
  toolFilesOf,
} from './files/config-dir.js';
export { dotEnvHint } from './files/dot-env-hint.js';
export { checkConfigDir, displayPath, errorCode } from './files/files.js';
export { promptRoots } from './files/prompt-files.js';
export {
  checkWorkspace,
  DANGLING,
  OUTSIDE,
  type Place,
  placeIn,
  workspaceRoots,
} from './files/workspace.js';
export { parseYaml } from './files/yaml-source.js';
export { missingAgents, missingTools } from './prompts/callable-roles.js';
export { writeNewPrompts } from './prompts/new-prompts.js';
export { loadPrefix, loadRoles, type RoleTemplate } from './prompts/prompts.js';
export { renderPrefix, renderRole } from './prompts/render-prompts.js';
export { requireRoles } from './prompts/required-roles.js';
export { loadWords } from './prompts/words.js';
export { callableModels } from './settings/models-schema.js';
export {
  applyToolOverrides,
  loadSettings,
  mergeLimits,
  SETTINGS_FILE,
  type Settings,
  settingsOfAny,
} from './settings/settings.js';
export { findSkills, type Skill } from './skills/find-skills.js';
export { SKILL_FOLDERS, skillsIn } from './skills/skill-folders.js';
export {
  isTrusted,
  loadVariables,
  markOf,
  moduleIn,
  notTrusted,
  trustedScripts,
  trustedSections,
  trustForNow,
  trustFrom,
  variablesOf,
} from './trust/trust.js';
export { faultText, type Searched, search } from './workspace-files.js';
