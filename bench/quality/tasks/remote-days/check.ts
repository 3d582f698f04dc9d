import { type Checker, onlyChanged, tells } from '../../check.js';

export const check: Checker = end => [
  ...onlyChanged(end, []),
  ...tells(end, /^\W*days\W+(4|four)\b/im, 'four days'),
  ...tells(end, /^\W*document\W.*\b2025-02-phones\b/im, 'the document of February 2025'),
];
