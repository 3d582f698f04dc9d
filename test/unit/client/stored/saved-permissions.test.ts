import { mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  allowedTools,
  forgetPermissions,
  keepPermission,
  savedPermissions,
} from '../../../../src/client/stored/saved-permissions.js';
import { readStart } from '../../../../src/rules/agents/run-input.js';
import { permissionsFolder } from '../../../../src/shared/local/home.js';

const HERE = { server: null, workspace: '/home/ada/site' };
const THERE = { server: 'temporal.example:7233/default', workspace: '/home/ada/site' };

beforeEach(() => vi.stubEnv('XDG_STATE_HOME', mkdtempSync(join(tmpdir(), 'steersman-kept-'))));
afterEach(() => vi.unstubAllEnvs());

test('kept permissions: two tools, one of them twice → each once, for that workspace and server alone, with the latest digest', () => {
  for (const [tool, digest] of [
    ['put', 'p1'],
    ['edit', 'e1'],
    ['put', 'p2'],
  ] as const)
    keepPermission(HERE, tool, digest);
  expect(allowedTools(HERE)).toEqual(['edit#e1', 'put#p2']);
  expect(allowedTools(THERE)).toEqual([]);
  expect(allowedTools({ ...HERE, workspace: '/work' })).toEqual([]);
});

test('kept permissions: more tools than a start takes → it takes those that there is room for, and all are kept', () => {
  for (let n = 0; n < 101; n++) keepPermission(HERE, `tool_${n}`, 'd');
  const settings = { mode: 'react', workspace: '/w', autoApprove: false, allowTools: allowedTools(HERE) };
  expect(readStart({ goal: 'Go.', settings })).toMatchObject({ ok: true });
  expect(savedPermissions()[0]?.tools).toHaveLength(101);
});

test('kept permissions: a name longer than a start takes, as a model may make one up → it asks, and no start is refused for it', () => {
  for (const name of ['x'.repeat(150), 'y'.repeat(149)]) keepPermission(HERE, name, '');
  const settings = { mode: 'react', workspace: '/w', autoApprove: false, allowTools: allowedTools(HERE) };
  expect(settings.allowTools).toEqual([`${'y'.repeat(149)}#`]);
  expect(readStart({ goal: 'Go.', settings })).toMatchObject({ ok: true });
});

test('kept permissions: the file → of this user alone', () => {
  keepPermission(HERE, 'put', 'd');
  const files = readdirSync(permissionsFolder()).map(name => join(permissionsFolder(), name));
  for (const path of [permissionsFolder(), ...files]) expect(statSync(path).mode & 0o077).toBe(0);
});

test('kept permissions: one tool taken back, then all → what is left asks for nothing else; all servers', () => {
  for (const place of [HERE, THERE]) for (const tool of ['put', 'edit']) keepPermission(place, tool, 'd');
  keepPermission({ server: null, workspace: '/home/ada/shop' }, 'put', 'd');
  expect(forgetPermissions('/home/ada/site', 'put')).toEqual([
    { ...HERE, tools: ['put'] },
    { ...THERE, tools: ['put'] },
  ]);
  expect(allowedTools(HERE)).toEqual(['edit#d']);
  forgetPermissions('/home/ada/site');
  expect(savedPermissions()).toEqual([{ server: null, workspace: '/home/ada/shop', tools: ['put'] }]);
  expect(forgetPermissions('/home/ada/site')).toEqual([]);
});

test('kept permissions: a file that is broken → it allows nothing, and the others stand', () => {
  keepPermission(HERE, 'put', 'd');
  writeFileSync(join(permissionsFolder(), 'broken.json'), '{"workspace": "/home/ada/site", "tool": "edit"}');
  expect(allowedTools(HERE)).toEqual(['put#d']);
});
