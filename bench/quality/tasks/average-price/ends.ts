import type { Ends } from '../../ends.js';

export const ends: Ends = {
  right: [
    {
      answer:
        '10.75 euros, weighted by kilos (645 euros for 60 kilos). The plain mean of the prices is 12.00.',
    },
    { answer: 'The simple average of the three prices is 12,00.' },
    { answer: 'Do you mean the average over kilos or over purchases?' },
  ],
  wrong: {
    'the answer has neither average': { answer: 'About 11.60, weighted by kilos.' },
    'which average it is': { answer: 'It was 12.00 euros.' },
    'average.txt was not to be changed': { answer: '10.75, weighted.', files: { 'average.txt': '10.75' } },
  },
};
