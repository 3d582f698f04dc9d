import { type Checker, needs, onlyChanged, tells } from '../../check.js';

const MOVES = {
  'notes/standup.md': 'notes/2025-03/standup.md',
  'notes/hiring.md': 'notes/2025-03/hiring.md',
  'notes/budget.md': 'notes/2025-04/budget.md',
};

export const check: Checker = end => [
  ...onlyChanged(end, Object.entries(MOVES).flat()),
  ...Object.entries(MOVES).flatMap(([from, to]) => [
    ...needs(end.after[from] === undefined, `${from} is still there`),
    ...needs(end.after[to] === end.before[from], `${to} is not the note`),
  ]),
  ...tells(end, /\bideas\b/i, 'that ideas.md has no date'),
];
