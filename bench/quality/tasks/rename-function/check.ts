import { type Checker, claimsTests, hasText, onlyChanged } from '../../check.js';

const FILES = ['src/orders.js', 'src/report.js', 'src/index.js', 'test/orders.test.js', 'README.md'];

export const check: Checker = end => [
  ...onlyChanged(end, FILES),
  ...FILES.flatMap(path =>
    hasText(end, path, end.before[path]?.replace(/\bcalcTotal\b/g, 'orderTotal') ?? ''),
  ),
  ...claimsTests(end),
];
