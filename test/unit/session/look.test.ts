import { describe, expect, test } from 'vitest';
import { widthOf } from '../../../packages/print/layout.js';
import { COMMANDS } from '../../../packages/session/input/commands.js';
import { NEW_SESSION } from '../../../packages/session/input/session-state.js';
import { lookLines } from '../../../packages/session/look.js';
import { DEFAULT_LIMITS, NO_COUNTERS } from '../../../src/run/limits/limits.js';
import { noColors } from '../../../src/shared/process/output.js';
import type { RunView } from '../../../src/workflows/run/definitions.js';

const PAGE = { width: 79, colors: noColors };
const VIEW = {
  tasks: [],
  limits: DEFAULT_LIMITS,
  counters: { ...NO_COUNTERS, turns: 7 },
  budget: { tokens: 1_234, wallTimeMs: 61_000, costUsd: null },
  models: { planner: ['openai/a'], executor: ['openai/b', 'openai/c'] },
  switches: [{ role: 'planner', fromModel: 'openai/z', toModel: 'openai/a', why: 'it failed' }],
} as unknown as RunView;
const look = (at: Parameters<typeof lookLines>[0], view: RunView | null = VIEW) =>
  lookLines(at, view, NEW_SESSION, PAGE).map(line => line.trim());

describe('what the commands of a session show', () => {
  test('/help at 80 columns → no line is too wide, and every command has one', () => {
    const lines = lookLines('help', null, NEW_SESSION, PAGE);
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(79);
    expect(lines.filter(line => line.startsWith('/'))).toHaveLength(COMMANDS.length + 1);
  });

  test('/model → each role with its models, its last change, and how to change it', () => {
    expect(look('model')).toEqual([
      'planner   openai/a',
      'executor  openai/b · if it fails openai/c',
      'planner went on with openai/a instead of openai/z: it failed',
      expect.stringContaining('/model ROLE ENDPOINT/MODEL'),
    ]);
  });

  test('/budget → each limit, with what is used where that is counted', () => {
    expect(look('budget')).toContain(
      'tokens                 1,000,000 · used 1,234, cached input at its price',
    );
    expect(look('budget')).toContain('costUsd                 no limit · used cost unknown');
    expect(look('budget')).toContain('tasks                         20');
  });

  test.each([
    ['plan', VIEW, 'no tasks yet'],
    ['plan', null, 'No worker has told yet'],
    ['gates', null, 'Nothing waits'],
  ] as const)('/%s where there is nothing → says so', (at, view, words) => {
    expect(look(at, view).join()).toContain(words);
  });
});
