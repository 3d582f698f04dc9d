import * as fs from 'node:fs';
import { mkdtempSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import type * as Home from '../../../../src/shared/local/home.js';
import { makeHome } from '../../../../src/shared/local/home.js';
import { SteersmanError } from '../../../../src/shared/process/errors.js';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.doUnmock('../../../../src/shared/process/package.js');
  vi.resetModules();
});

/** As an installed package has it: a checkout keeps its state in itself. */
async function installed(variables: Record<string, string | undefined>): Promise<typeof Home> {
  for (const [name, value] of Object.entries({ STEERSMAN_HOME: undefined, ...variables }))
    vi.stubEnv(name, value);
  vi.doMock('../../../../src/shared/process/package.js', () => ({
    isCheckout: false,
    projectRoot: '/opt/steersman',
  }));
  vi.resetModules();
  return import('../../../../src/shared/local/home.js');
}

const STATE = join(homedir(), '.local/state/steersman');

test.each([
  ['nothing is set', {}, STATE],
  ['XDG_STATE_HOME is set', { XDG_STATE_HOME: '/var/my-state' }, '/var/my-state/steersman'],
  ['XDG_STATE_HOME is empty', { XDG_STATE_HOME: '' }, STATE],
  ['XDG_STATE_HOME is relative, which counts as not set', { XDG_STATE_HOME: 'state' }, STATE],
  [
    'STEERSMAN_HOME is set too',
    { XDG_STATE_HOME: '/var/my-state', STEERSMAN_HOME: '/srv/runs' },
    '/srv/runs',
  ],
])('home: of an installed package, %s → %3$s', async (_, variables, expected) => {
  const { resolveHome } = await installed({ XDG_STATE_HOME: undefined, ...variables });
  expect(resolveHome()).toBe(expected);
  expect(resolveHome('/named')).toBe('/named');
});

test('home: a Temporal that is fetched → in the user’s cache; where that can’t be written, in the home', async () => {
  const cache = mkdtempSync(join(tmpdir(), 'steersman-cache-'));
  const { binaryCacheDir } = await installed({ XDG_CACHE_HOME: cache });
  expect(binaryCacheDir('/srv/runs')).toBe(join(cache, 'steersman', 'bin'));
  vi.stubEnv('XDG_CACHE_HOME', '/proc/cache');
  expect(binaryCacheDir('/srv/runs')).toBe('/srv/runs/bin');
});

test('home: what is trusted → with the user’s state, whatever STEERSMAN_HOME says', async () => {
  const { trustFile } = await installed({ XDG_STATE_HOME: '/var/my-state', STEERSMAN_HOME: '/srv/runs' });
  expect(trustFile()).toBe('/var/my-state/steersman/trusted.json');
});

test('home: several folders that are missing → made, for this user only', () => {
  const home = join(mkdtempSync(join(tmpdir(), 'steersman-home-')), 'a', 'b');
  makeHome(home);
  for (const dir of [home, dirname(home)]) expect(statSync(dir).mode & 0o077).toBe(0);
});

test.each(['/proc/steersman/home', '/dev/null/home'])(
  'home: %s, where no folder can be made → an error that names it and what to do, at once (TE8)',
  home => {
    const attempt = () => makeHome(home);
    expect(attempt).toThrow(SteersmanError);
    expect(attempt).toThrow(`can't be written: ${home}`);
  },
);

test('home: its disk is full → said, with what to do, and nothing of the try stays behind', async () => {
  const home = mkdtempSync(join(tmpdir(), 'steersman-full-'));
  vi.resetModules();
  vi.doMock('node:fs', () => ({
    ...fs,
    writeFileSync: (path: string) => {
      fs.writeFileSync(path, '');
      throw new Error('ENOSPC: no space left on device, write');
    },
  }));
  const onFullDisk = await import('../../../../src/shared/local/home.js');
  vi.doUnmock('node:fs');
  expect(() => onFullDisk.makeHome(home)).toThrow(/can't be written: .*ENOSPC/);
  expect(fs.readdirSync(home)).toEqual([]);
});
