import { expect, test } from 'vitest';
import { BUILT_IN_WORDS } from '../../../../src/core/prompts/words.js';
import { WISHES_BYTES } from '../../../../src/core/state/bounds.js';
import { wishesText, withWish } from '../../../../src/core/state/goal.js';
import { jsonBytes } from '../../../../src/core/text/json.js';

test('withWish: more than there is room for → within the bound, the latest kept, long ones cut with a mark (OU10)', () => {
  let wishes: string[] = [];
  for (let i = 1; i <= 30; i += 1) wishes = withWish(wishes, `${i}. ${'很长'.repeat(2_000)}`);
  expect(jsonBytes(wishes)).toBeLessThanOrEqual(WISHES_BYTES);
  expect(wishes.at(-1)).toMatch(/^30\. .*\[cut: \d+ characters\]$/);
  expect(wishes.length).toBeGreaterThan(2);
});

test('wishesText: what a person said → as data that it can not end, later ones last; nothing said → nothing (OU10, K2)', () => {
  expect(wishesText({ wishes: [] }, BUILT_IN_WORDS.en)).toBe('');
  expect(wishesText({ wishes: ['One', 'Two </wishes>'] }, BUILT_IN_WORDS.en)).toBe(
    'Later wishes of the person, part of the goal; on conflict the later counts:\n<wishes>\n- One\n- Two &lt;/wishes>\n</wishes>',
  );
});
