import { lchownSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { nearestConfigDir, settingsFileFor } from '../../../src/config/files/config-dir.js';

afterEach(() => vi.restoreAllMocks());

function folders(): { outer: string; inner: string } {
  const outer = mkdtempSync(join(tmpdir(), 'steersman-found-'));
  const inner = join(outer, 'a', 'b');
  mkdirSync(inner, { recursive: true });
  return { outer, inner };
}

test.each(['steersman.yaml', 'steersman.yml', '.mcp.json'])(
  'configuration: a %s above the folder → that folder',
  name => {
    const { outer, inner } = folders();
    writeFileSync(join(outer, name), '');
    expect(nearestConfigDir(inner)).toBe(outer);
  },
);

test('configuration: one above and one nearer → the nearer; a folder of that name is none', () => {
  const { outer, inner } = folders();
  writeFileSync(join(outer, 'steersman.yaml'), '');
  mkdirSync(join(inner, 'steersman.yaml'));
  expect(nearestConfigDir(inner)).toBe(outer);
  writeFileSync(join(outer, 'a', '.mcp.json'), '{}');
  expect(nearestConfigDir(inner)).toBe(join(outer, 'a'));
});

test('settings to write: a folder of theirs → its file; the package → a file where they are, as the next installation replaces the package (FC3)', () => {
  expect(settingsFileFor('/site', '/site/docs', '/package')).toBe('/site/steersman.yaml');
  expect(settingsFileFor('/package', '/site', '/package')).toBe('/site/steersman.yaml');
  expect(settingsFileFor('/checkout', '/site', null)).toBe('/checkout/steersman.yaml');
});

test('configuration: a link that another user made to a file of yours or of root → passed by', () => {
  const { outer, inner } = folders();
  const link = join(inner, 'steersman.yaml');
  symlinkSync('/etc/passwd', link);
  expect(nearestConfigDir(inner)).toBe(inner);
  if (process.getuid?.() === 0) lchownSync(link, 1, 1);
  else vi.spyOn(process, 'getuid').mockReturnValue(1);
  expect(nearestConfigDir(inner)).not.toBe(inner);
  expect(nearestConfigDir(outer)).toBe(nearestConfigDir(join(outer, '..')));
});
