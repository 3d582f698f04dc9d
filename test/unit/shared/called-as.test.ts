/** How the program was called decides whose configuration holds, and what its workers are. */
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { isOwnScript } from '../../../src/shared/process/called-as.js';
import { projectRoot } from '../../../src/shared/process/package.js';

const argv = [...process.argv];
afterEach(() => {
  process.argv = [...argv];
  vi.restoreAllMocks();
  vi.resetModules();
});

function checkout(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'checkout-')));
  mkdirSync(join(root, 'dist'));
  for (const name of ['start.js', 'cli.js', 'bin-worker.js']) writeFileSync(join(root, 'dist', name), '');
  return root;
}

test('a script of the checkout, also by a link → its own; its `bin`, a program elsewhere and no script → not (WB6)', () => {
  const root = checkout();
  const links = mkdtempSync(join(tmpdir(), 'links-'));
  symlinkSync(join(root, 'dist', 'start.js'), join(links, 'begin'));
  symlinkSync(join(root, 'dist', 'cli.js'), join(links, 'steersman'));
  const isOwn = (...path: string[]) => isOwnScript(join(...path), root);
  expect([isOwn(root, 'dist', 'start.js'), isOwn(links, 'begin')]).toEqual([true, true]);
  expect([isOwn(links, 'steersman'), isOwn(root, 'dist', 'cli.js')]).toEqual([false, false]);
  expect([isOwn(root, 'dist', 'bin-worker.js'), isOwn(`${root}-2`, 'start.js')]).toEqual([false, false]);
  expect(isOwnScript(undefined, root)).toBe(false);
});

test.each([
  ['as an npm script of the checkout', 'start.js', null, 'worker.js', 'npm run client -- list'],
  ['by its `bin`, as an installed package', 'cli.js', 'theirs', 'bin-worker.js', 'steersman list'],
])(
  'a checkout that is called %s in a folder of somebody → whose configuration holds, its workers and hints (WB6)',
  async (_what, script, holds, worker, hint) => {
    const theirs = realpathSync(mkdtempSync(join(tmpdir(), 'theirs-')));
    writeFileSync(join(theirs, 'steersman.yaml'), '');
    process.argv[1] = join(projectRoot, 'dist', script);
    vi.spyOn(process, 'cwd').mockReturnValue(theirs);
    vi.resetModules();
    const { verbCall, WORKER_SCRIPT } = await import('../../../src/shared/process/called-as.js');
    const { defaultConfigDir } = await import('../../../src/config/files/config-dir.js');
    expect(defaultConfigDir()).toBe(holds === null ? projectRoot : theirs);
    expect([basename(WORKER_SCRIPT), verbCall('list')]).toEqual([worker, hint]);
  },
);
