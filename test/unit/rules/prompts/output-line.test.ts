import { describe, expect, test } from 'vitest';
import { diffWithin } from '../../../../src/rules/prompts/output-line.js';

const lines = (sign: string, count: number) => Array.from({ length: count }, (_, at) => `${sign}line ${at}`);

describe('SE10 diffWithin', () => {
  test('a difference that fits → as it is', () => {
    expect(diffWithin('@@ -1 +1 @@\n-a\n+b', 100)).toBe('@@ -1 +1 @@\n-a\n+b');
  });

  test('many lines removed before those that are added → both are seen, and how many are left out', () => {
    const diff = ['@@ -1,400 +1,3 @@', ...lines('-', 400), ...lines('+', 3)].join('\n');
    const shown = diffWithin(diff, 600).split('\n');
    expect(shown.slice(0, 2)).toEqual(['@@ -1,400 +1,3 @@', '-line 0']);
    expect(shown).toContain('-… (370)');
    expect(shown.slice(-3)).toEqual(lines('+', 3));
  });

  test('far too many changes → the beginning, within the room', () => {
    const diff = Array.from({ length: 500 }, (_, at) => `-old ${at}\n+new ${at}`).join('\n');
    const shown = diffWithin(diff, 300);
    expect(shown.length).toBeLessThanOrEqual(300);
    expect(diff.startsWith(shown)).toBe(true);
  });
});
