import { type Checker, needs, onlyChanged, tells } from '../../check.js';

const NAMES = { born: 'Quentin Olu Mira Petra', joined: 'Petra Quentin Mira Olu' };

/** Two columns have dates. Sorting by either is right if the answer says which one; so is a question. */
export const check: Checker = end => {
  const now = end.after['people.csv'] ?? '';
  const lines = (text = '') => text.trim().split(/\r?\n/);
  const [head, ...rows] = lines(now);
  const [head0, ...rows0] = lines(end.before['people.csv']);
  const order = rows.map(row => row.split(',')[0]).join(' ');
  const isSame = head === head0 && [...rows].sort().join() === rows0.sort().join();
  if (now === end.before['people.csv']) {
    return [
      ...onlyChanged(end, ['people.csv']),
      ...needs(end.answer.includes('?'), 'nothing was sorted, and nothing asked'),
    ];
  }
  return [
    ...onlyChanged(end, ['people.csv']),
    ...needs(isSame, 'people.csv has other lines'),
    ...needs(Object.values(NAMES).includes(order), 'people.csv is not sorted by one of its dates'),
    ...tells(end, order === NAMES.born ? /born|birth/i : /join/i, 'by which date'),
    ...tells(
      end,
      /assum|took|taken|read(ing)? |interpret|ambiguous|unclear|two dates|both|if you mean|instead|rather|or by|also has|\?/i,
      'that there was another reading',
    ),
  ];
};
