import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { checkToolServers } from '../../../../packages/cli/doctor/check-tool-servers.js';
import { promptRoots } from '../../../../src/config/files/prompt-files.js';
import { loadRoles } from '../../../../src/config/prompts/prompts.js';
import { loadSettings } from '../../../../src/config/settings/settings.js';
import { loadMcpConfig } from '../../../../src/mcp/connection/config.js';
import { loadToolFiles } from '../../../../src/mcp/tools/tool-files.js';

function folder(files: Record<string, string>): string {
  const dir = mkdtempSync(join(tmpdir(), 'steersman-doctor-tools-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  return dir;
}

const DICE = `
export const roll = { name: 'roll_dice', description: 'Rolls.', readOnly: true, run: () => '4' };
export const load = { name: 'load_dice', description: 'Loads.', run: () => 'done' };
`;

async function findings(dir: string) {
  const settings = await loadSettings(dir);
  const config = loadMcpConfig(dir);
  return checkToolServers(config, settings, dir, {
    roles: await loadRoles(promptRoots(dir), 'en'),
    lookup: () => undefined,
    codeTools: await loadToolFiles(dir),
  });
}

test('doctor: tools in files → listed by name, those that only read apart', async () => {
  expect(await findings(folder({ 'tools/dice.mjs': DICE }))).toEqual([
    expect.objectContaining({
      status: 'ok',
      found: 'tools/: 2 tools; read-only: roll_dice; with effects: load_dice',
    }),
  ]);
});

test('doctor: permissions about tools in files → only those that match none are told', async () => {
  const yaml = 'permissions:\n  auto: [load_dice]\n  deny: [steal_dice]\n';
  const [, told] = await findings(folder({ 'tools/dice.mjs': DICE, 'steersman.yaml': yaml }));
  expect(told).toMatchObject({ status: 'warning', found: expect.stringContaining('steal_dice') });
  expect(told?.found).not.toContain('load_dice');
});

test('doctor: a sub-agent file with tools that nobody offers → they are named, those that are there are not', async () => {
  const file =
    '---\nname: dealer\ndescription: Deals.\ntools: roll_dice, read_result, Read, Grep\n---\nDeal.\n';
  const [, told, ...more] = await findings(
    folder({ 'tools/dice.mjs': DICE, 'prompts/core/dealer.md': file }),
  );
  expect(told).toMatchObject({ check: 'tools of roles', status: 'warning' });
  expect(told?.found).toContain('the role dealer goes without read, grep: no tool has this name.');
  expect(more).toEqual([]);
});
