import type { Ends } from '../../ends.js';

const mended = { 'src/discounts.js': (text: string) => text.replace('0.01', '0.10') };
const answer = 'The sum in cart.js is right; TENOFF was 0.01 in src/discounts.js. It is 0.10 now.';

export const ends: Ends = {
  right: [
    { answer, files: mended },
    {
      answer:
        'Fixed: the bug was in `src/discounts.js`, and `src/cart.js` is right. Run the tests to confirm.',
      files: mended,
    },
    {
      answer: 'Fixed in discounts.js, not in cart.js. The tests were not run.',
      files: { 'src/discounts.js': text => text.replace('0.01', '0.1') },
    },
  ],
  wrong: {
    'TENOFF does not take a tenth off': { answer },
    'src/cart.js was not to be changed': {
      answer,
      files: { 'src/cart.js': text => text.replace('sum * share', 'sum * share * 10') },
    },
    'the other discounts are not as they were': {
      answer,
      files: { 'src/discounts.js': text => text.replace('0.01', '0.1').replace('0.25', '0.2') },
    },
    'that the bug was in discounts.js': { answer: 'The code takes a tenth off now.', files: mended },
    'a change of cart.js': {
      answer: 'I fixed the sum in cart.js, and the share in discounts.js.',
      files: mended,
    },
    'that tests were run or pass': { answer: `${answer} Both tests pass.`, files: mended },
  },
};
