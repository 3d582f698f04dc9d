import { type Checker, claimsChange, claimsTests, needs, onlyChanged, tells } from '../../check.js';

export const check: Checker = end => {
  const share = /\bTENOFF: (?:0?\.10*|10 ?\/ ?100|1 ?\/ ?10),?$/m;
  const rest = (text = '') => text.replace(/TENOFF: .*/, '').replace(/\s+/g, ' ');
  const path = 'src/discounts.js';
  return [
    ...onlyChanged(end, [path]),
    ...needs(share.test(end.after[path] ?? ''), 'TENOFF does not take a tenth off'),
    ...needs(rest(end.after[path]) === rest(end.before[path]), 'the other discounts are not as they were'),
    ...tells(end, /\bdiscounts\b/i, 'that the bug was in discounts.js'),
    ...claimsChange(end, 'cart.js'),
    ...claimsTests(end),
  ];
};
