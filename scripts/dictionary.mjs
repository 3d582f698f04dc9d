// Adds a dictionary of the present prompts to src/base/sizes/dictionaries.ts, under the next number: `npm run build`,
// then `node scripts/dictionary.mjs en` (or zh). Released numbers are never changed.
import { readFileSync, writeFileSync } from 'node:fs';
import { DICTIONARIES } from '../dist/base/sizes/dictionaries.js';
import { promptRoots } from '../dist/config/files/prompt-files.js';
import { loadPrefix, loadRoles } from '../dist/config/prompts/prompts.js';
import { renderPrefix, renderRole } from '../dist/config/prompts/render-prompts.js';
import { DEFAULT_LIMITS } from '../dist/run/limits/limits.js';

/** The roles that most runs pin. Deflate looks back only 32 KB, so a longer text would be of no use. */
const ROLES = ['executor', 'planner', 'router', 'summary', 'understanding', 'verifier'];
const VALUES = { limits: DEFAULT_LIMITS, tools: [], today: '2026-01-01', workspace: '/workspace' };

const language = process.argv[2] ?? 'en';
const roots = promptRoots(null);
const roles = (await loadRoles(roots, language)).filter(({ profile }) => ROLES.includes(profile.name));
// The texts have the order in which a run pins them.
const words = JSON.stringify({
  roles: Object.fromEntries(roles.map(role => [role.profile.name, renderRole(role, VALUES)])),
  prefix: renderPrefix(await loadPrefix(roots, language), VALUES),
});

const file = new URL('../src/base/sizes/dictionaries.ts', import.meta.url);
const number = Math.max(0, ...Object.keys(DICTIONARIES).map(Number)) + 1;
const line = `  ${number}: '${words.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}',\n`;
writeFileSync(
  file,
  readFileSync(file, 'utf8').replace(/};\n$/, () => `${line}};\n`),
);
