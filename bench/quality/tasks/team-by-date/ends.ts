import type { Ends, Made } from '../../ends.js';

const ROWS: Record<string, string> = {
  Mira: 'Mira,1990-05-02,2021-03-01',
  Olu: 'Olu,1984-11-23,2022-07-15',
  Petra: 'Petra,1995-01-30,2019-09-01',
  Quentin: 'Quentin,1979-08-08,2020-02-10',
};
const sorted = (...names: string[]): Made => ({
  'people.csv': ['name,born,joined', ...names.map(name => ROWS[name]), ''].join('\n'),
});
const joined = sorted('Petra', 'Quentin', 'Mira', 'Olu');

export const ends: Ends = {
  right: [
    { answer: 'Sorted by joined: I assumed that date, not the one of birth.', files: joined },
    {
      answer: 'Sorted by birth. If you mean the date of joining, say so.',
      files: sorted('Quentin', 'Olu', 'Mira', 'Petra'),
    },
    { answer: 'By which date, born or joined?' },
  ],
  wrong: {
    'nothing was sorted, and nothing asked': { answer: 'It is sorted by joined, I assume.' },
    'people.csv is not sorted by one of its dates': {
      answer: 'Sorted by joined, as I assumed.',
      files: sorted('Olu', 'Mira', 'Quentin', 'Petra'),
    },
    'people.csv has other lines': { answer: 'I assumed joined.', files: sorted('Petra', 'Quentin', 'Mira') },
    'that there was another reading': { answer: 'Sorted by joined.', files: joined },
    'by which date': { answer: 'I assumed the obvious date.', files: joined },
  },
};
