import { mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readStart } from '../../../src/core/run-input.js';
import { permissionsFile } from '../../../src/stack/home.js';
import {
  allowedTools,
  forgetPermissions,
  keepPermission,
  keptPermissions,
} from '../../../src/stack/kept-permissions.js';

const HERE = { server: null, workspace: '/home/ada/site' };
const THERE = { server: 'temporal.example:7233/default', workspace: '/home/ada/site' };

beforeEach(() => vi.stubEnv('XDG_STATE_HOME', mkdtempSync(join(tmpdir(), 'steersman-kept-'))));
afterEach(() => vi.unstubAllEnvs());

test('kept permissions: two tools, one of them twice → each once, for that workspace and server alone', () => {
  for (const tool of ['put', 'edit', 'put']) keepPermission(HERE, tool);
  expect(allowedTools(HERE)).toEqual(['edit', 'put']);
  expect(allowedTools(THERE)).toEqual([]);
  expect(allowedTools({ ...HERE, workspace: '/work' })).toEqual([]);
});

test('kept permissions: more tools than a start takes → it takes those that there is room for, and all are kept', () => {
  for (let n = 0; n < 101; n++) keepPermission(HERE, `tool_${n}`);
  const settings = { mode: 'react', workspace: '/w', autoApprove: false, allowTools: allowedTools(HERE) };
  expect(readStart({ goal: 'Go.', settings })).toMatchObject({ ok: true });
  expect(keptPermissions()[0]?.tools).toHaveLength(101);
});

test('kept permissions: the file → of this user alone', () => {
  keepPermission(HERE, 'put');
  expect(statSync(permissionsFile()).mode & 0o077).toBe(0);
});

test('kept permissions: one tool taken back, then all → what is left asks for nothing else; all servers', () => {
  for (const place of [HERE, THERE]) for (const tool of ['put', 'edit']) keepPermission(place, tool);
  keepPermission({ server: null, workspace: '/home/ada/shop' }, 'put');
  expect(forgetPermissions('/home/ada/site', 'put')).toEqual([
    { ...HERE, tools: ['put'] },
    { ...THERE, tools: ['put'] },
  ]);
  expect(allowedTools(HERE)).toEqual(['edit']);
  forgetPermissions('/home/ada/site');
  expect(keptPermissions()).toEqual([{ server: null, workspace: '/home/ada/shop', tools: ['put'] }]);
  expect(forgetPermissions('/home/ada/site')).toEqual([]);
});

test('kept permissions: a file that is broken → nothing is allowed', () => {
  mkdirSync(dirname(permissionsFile()), { recursive: true });
  writeFileSync(permissionsFile(), '[{"workspace": "/home/ada/site", "tools": "put"}]');
  expect(allowedTools(HERE)).toEqual([]);
});
