import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SteersmanError } from '../../../src/shared/errors.js';
import { makeHome } from '../../../src/stack/home.js';

test('home: several folders that are missing → made, for this user only', () => {
  const home = join(mkdtempSync(join(tmpdir(), 'steersman-home-')), 'a', 'b');
  const { leases, workers } = makeHome(home);
  for (const dir of [home, leases, workers]) expect(statSync(dir).mode & 0o077).toBe(0);
});

test.each(['/proc/steersman/home', '/dev/null/home'])(
  'home: %s, where no folder can be made → an error that names it and what to do, at once (TE8)',
  home => {
    const attempt = () => makeHome(home);
    expect(attempt).toThrow(SteersmanError);
    expect(attempt).toThrow(`can't be written: ${home}`);
  },
);
