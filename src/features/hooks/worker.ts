/** Hooks on workers: their names, and how they are called. */
import type { WorkerFeature, WorkerParts } from '../../activities/feature.js';
import { HOOKS, type HookName } from '../../run/agents/run-config.js';
import { functionHooks, hearsHooks } from './activity.js';
import { httpHooks } from './http.js';

export const hooks: WorkerFeature = {
  name: 'hooks',
  secretVariables: ({ hooks: addresses }) => Object.values(addresses).map(each => each.secretVariable),
  hears: parts => {
    const { settings, lookup, readMessages, redact } = parts;
    const calls = [functionHooks(parts.hooks), httpHooks(settings.hooks, lookup)];
    return hearsHooks({ hooks: calls, readMessages, redact });
  },
  pins: async parts => {
    const names = namesOf(parts);
    return names.length > 0 ? { hooks: names } : {};
  },
  /** A run that cannot begin pins nothing, so its failure names the hooks. */
  refusal: parts => {
    const names = namesOf(parts);
    return names.length > 0 ? { hooks: names } : {};
  },
};

function namesOf({ hooks: functions, settings }: WorkerParts): HookName[] {
  return HOOKS.filter(name => functions[name] !== undefined || settings.hooks[name] !== undefined);
}
