import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nearestConfigDir } from '../../../src/config/config-dir.js';

function folders(): { outer: string; inner: string } {
  const outer = mkdtempSync(join(tmpdir(), 'steersman-found-'));
  const inner = join(outer, 'a', 'b');
  mkdirSync(inner, { recursive: true });
  return { outer, inner };
}

test.each(['steersman.yaml', '.mcp.json'])('configuration: a %s above the folder → that folder', name => {
  const { outer, inner } = folders();
  writeFileSync(join(outer, name), '');
  expect(nearestConfigDir(inner)).toBe(outer);
});

test('configuration: one above and one nearer → the nearer; a folder of that name is none', () => {
  const { outer, inner } = folders();
  writeFileSync(join(outer, 'steersman.yaml'), '');
  mkdirSync(join(inner, 'steersman.yaml'));
  expect(nearestConfigDir(inner)).toBe(outer);
  writeFileSync(join(outer, 'a', '.mcp.json'), '{}');
  expect(nearestConfigDir(inner)).toBe(join(outer, 'a'));
});
