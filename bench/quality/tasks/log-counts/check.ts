import { type Checker, needs, onlyChanged } from '../../check.js';

const COUNTS = 'api 4 auth 2 mail 2 web 0';

export const check: Checker = end => [
  ...onlyChanged(end, ['errors.txt']),
  ...needs(
    end.after['errors.txt']?.replace(/[:=,]/g, ' ').trim().split(/\s+/).join(' ') === COUNTS,
    'errors.txt has other counts',
  ),
];
