import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '../../../src/config/settings.js';
import { checkToolServers } from '../../../src/doctor/check-tool-servers.js';
import { loadMcpConfig } from '../../../src/mcp/config.js';
import { loadToolFiles } from '../../../src/mcp/tool-files.js';

function folder(files: Record<string, string>): string {
  const dir = mkdtempSync(join(tmpdir(), 'steersman-doctor-tools-'));
  mkdirSync(join(dir, 'tools'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
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
