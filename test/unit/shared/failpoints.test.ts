import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readPlan } from '../../../src/shared/process/failpoints.js';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'failpoints-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dir, { recursive: true, force: true });
});

/** The module reads its plan once a process: a fresh one for each test. */
async function passages(plan: string, count: number): Promise<string[]> {
  vi.resetModules();
  vi.stubEnv('STEERSMAN_FAILPOINTS', plan);
  vi.stubEnv('STEERSMAN_FAILPOINTS_DIR', dir);
  const { failpoint } = await import('../../../src/shared/process/failpoints.js');
  return Array.from({ length: count }, () => {
    try {
      return failpoint('state.read', () => new Error('away')) === undefined ? 'passed' : 'hangs';
    } catch (error) {
      return error instanceof Error ? error.message : 'thrown';
    }
  });
}

describe('failpoints', () => {
  it.each([
    ['state.read=fail', ['away', 'passed', 'passed', 'passed']],
    ['state.read=fail@3', ['passed', 'passed', 'away', 'passed']],
    ['state.read=fail@2-3', ['passed', 'away', 'away', 'passed']],
    ['tool.completion=hang, state.read=fail', ['away', 'passed', 'passed', 'passed']],
    ['tool.completion=hang', ['passed', 'passed', 'passed', 'passed']],
  ])('%s → fires at the passages named', async (plan, expected) => {
    expect(await passages(plan, 4)).toEqual(expected);
  });

  it('counts over processes that share the folder → a restarted worker does not fire again', async () => {
    expect(await passages('state.read=fail@2', 1)).toEqual(['passed']);
    expect(await passages('state.read=fail@2', 3)).toEqual(['away', 'passed', 'passed']);
  });

  it.each(['tool.nowhere=kill', 'tool.completion=fail', 'state.read', 'state.read=fail@x', ''])(
    'a plan that is none (%j) → an error that lists what there is',
    plan => {
      expect(() => readPlan(plan, dir)).toThrow(/is not a failpoint/);
    },
  );

  it('a plan without a folder for its marks → refused, as it is for tests only', () => {
    expect(() => readPlan('state.read=fail', undefined)).toThrow(/for tests only/);
    expect(readPlan(undefined, undefined).faults.size).toBe(0);
  });
});
