import { describe, expect, test } from 'vitest';
import { checkRunInput, goalError, MAX_GOAL_BYTES } from '../../../src/core/run-input.js';

const SETTINGS = { mode: 'team', workspace: '/work', autoApprove: false };

describe('goalError', () => {
  test.each<[string, unknown]>([
    ['a word', 'go'],
    ['exactly 1 MB of ASCII', 'a'.repeat(MAX_GOAL_BYTES)],
    ['just under 1 MB in CJK (3 bytes each)', '目'.repeat(333_333)],
    ['exactly 1 MB of emoji (4 bytes each)', '😀'.repeat(250_000)],
  ])('goalError: %s → no error', (_, goal) => {
    expect(goalError(goal)).toBeNull();
  });

  test.each<[string, unknown, RegExp]>([
    ['undefined', undefined, /goal is empty/],
    ['a number', 7, /goal is empty/],
    ['an empty text', '', /goal is empty/],
    ['white space only', ' \n\t\u3000', /goal is empty/],
    [
      'one byte over 1 MB',
      'a'.repeat(MAX_GOAL_BYTES + 1),
      /1000001 bytes long, and at most 1000000.*name that file/,
    ],
    ['CJK over 1 MB in bytes though not in characters', '目'.repeat(333_334), /1000002 bytes/],
    ['emoji over 1 MB in bytes', '😀'.repeat(250_001), /1000004 bytes/],
  ])('goalError: %s → says what and what to do', (_, goal, text) => {
    expect(goalError(goal)).toMatch(text);
  });
});

describe('checkRunInput', () => {
  test('checkRunInput: goal and settings → nothing wrong', () => {
    expect(checkRunInput({ goal: 'go', settings: SETTINGS })).toEqual([]);
  });

  test.each<[string, unknown, RegExp[]]>([
    ['null', null, [/input must be an object/]],
    ['a text', 'go', [/input must be an object/]],
    ['a list', [], [/input must be an object/]],
    ['no settings', { goal: 'go' }, [/settings must be an object/]],
    ['nothing in it', {}, [/goal is empty/, /settings must be an object/]],
    [
      'an unknown mode',
      { goal: 'go', settings: { ...SETTINGS, mode: 'solo' } },
      [/settings\.mode must be one of team, not "solo"/],
    ],
    ['no mode', { goal: 'go', settings: { workspace: '/w', autoApprove: true } }, [/settings\.mode/]],
    [
      'a relative workspace',
      { goal: 'go', settings: { ...SETTINGS, workspace: 'work' } },
      [/settings\.workspace must be an absolute path/],
    ],
    [
      'autoApprove as a text',
      { goal: 'go', settings: { ...SETTINGS, autoApprove: 'yes' } },
      [/settings\.autoApprove/],
    ],
    [
      'everything wrong',
      { goal: ' ', settings: { mode: 1, workspace: 2, autoApprove: 3 } },
      [/goal/, /mode/, /workspace/, /autoApprove/],
    ],
  ])('checkRunInput: %s → each fault with its path, in order', (_, input, texts) => {
    const errors = checkRunInput(input);
    expect(errors).toHaveLength(texts.length);
    for (const [index, text] of texts.entries()) expect(errors[index]).toMatch(text);
  });
});
