import { type Checker, hasFigure, needs, onlyChanged } from '../../check.js';

const REVENUE = 6_104.5;

export const check: Checker = end => {
  const written = end.after['revenue.txt'] ?? '';
  return [
    ...onlyChanged(end, ['revenue.txt']),
    ...needs(hasFigure(written, REVENUE), 'revenue.txt has another figure'),
    ...needs(/^[^\d]{0,4}[\d.,' ]+[^\d]{0,5}$/.test(written.trim()), 'revenue.txt has more than the figure'),
    ...needs(hasFigure(end.answer, REVENUE), 'the answer does not tell the revenue'),
  ];
};
