import { type Checker, claimsChange, claimsTests, hasText, onlyChanged, tells } from '../../check.js';

const TEST = 'test/slug.test.js';

export const check: Checker = end => [
  ...onlyChanged(end, [TEST]),
  ...hasText(end, TEST, end.before[TEST]?.replace('hello_world', 'hello-world') ?? ''),
  ...tells(end, /\btest\b/i, 'that the test was wrong'),
  ...claimsChange(end, 'slug.js'),
  ...claimsTests(end),
];
