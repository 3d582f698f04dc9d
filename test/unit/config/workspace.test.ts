import { mkdir, mkdtemp, realpath, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkWorkspace, workspaceRoots } from '../../../src/config/files/workspace.js';

let root: string;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'steersman-workspace-')));
  await mkdir(join(root, 'served', 'project'), { recursive: true });
  await mkdir(join(root, 'served-too'));
  await writeFile(join(root, 'served', 'file.txt'), '');
  await symlink(join(root, 'served-too'), join(root, 'served', 'way-out'));
  await symlink(join(root, 'served', 'project'), join(root, 'way-in'));
});

describe('workspace', () => {
  test('workspace: a folder below a root, the root itself, and a link into it → the real path', async () => {
    const roots = [join(root, 'served')];
    expect(await checkWorkspace(join(root, 'served', 'project'), roots)).toBe(
      join(root, 'served', 'project'),
    );
    expect(await checkWorkspace(join(root, 'served'), roots)).toBe(join(root, 'served'));
    expect(await checkWorkspace(join(root, 'way-in'), roots)).toBe(join(root, 'served', 'project'));
  });

  test('workspace: any folder on the local stack without roots → served', async () => {
    expect(await checkWorkspace(root, workspaceRoots([], true))).toBe(root);
  });

  test.each([
    [
      'beside the root, with a name that begins the same',
      'served-too',
      'is not below a folder that this worker serves',
    ],
    ['behind a link that leads out', 'served/way-out', 'is not below a folder that this worker serves'],
    ['reached by ..', 'served/../served-too', 'is not below a folder that this worker serves'],
    ['missing', 'nowhere', 'does not exist'],
    ['a file', 'served/file.txt', 'is not a folder'],
    ['below a file', 'served/file.txt/x', 'does not exist'],
  ])('workspace: %s → refused by name', async (_case, path, message) => {
    const asked = checkWorkspace(`${root}/${path}`, [join(root, 'served')]);
    await expect(asked).rejects.toMatchObject({ message: expect.stringContaining(`${root}/${path}`) });
    await expect(asked).rejects.toMatchObject({ message: expect.stringContaining(message) });
  });

  test('workspace: a relative path → refused', async () => {
    await expect(checkWorkspace('served', 'any')).rejects.toThrow('is not an absolute path');
  });

  test('workspace: a worker elsewhere without roots → refuses all and says what to set', async () => {
    await expect(checkWorkspace(root, workspaceRoots([], false))).rejects.toMatchObject({
      message: expect.stringContaining('serves no folders'),
      remedy: expect.stringContaining('workspaces'),
    });
  });

  test('workspace: roots configured on the local stack → they hold there too', () => {
    expect(workspaceRoots(['/srv'], true)).toEqual(['/srv']);
  });
});
