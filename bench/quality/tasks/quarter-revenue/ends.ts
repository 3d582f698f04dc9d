import type { Ends } from '../../ends.js';

const answer = 'The revenue was 6,104.50 euros.';

export const ends: Ends = {
  right: [
    { answer, files: { 'revenue.txt': '6104.50\n' } },
    { answer: 'It was €6.104,50.', files: { 'revenue.txt': '6,104.50' } },
    { answer: '6104.5 EUR', files: { 'revenue.txt': '6104.50 EUR\n' } },
  ],
  wrong: {
    'revenue.txt has another figure': { answer, files: { 'revenue.txt': '8555.00\n' } },
    'revenue.txt has more than the figure': {
      answer,
      files: { 'revenue.txt': 'The first quarter was 999, the second 6104.50\n' },
    },
    'the answer does not tell the revenue': {
      answer: 'The revenue was 16,104.50 euros.',
      files: { 'revenue.txt': '6104.50\n' },
    },
    'sales.csv was not to be changed': { answer, files: { 'revenue.txt': '6104.50', 'sales.csv': null } },
  },
};
