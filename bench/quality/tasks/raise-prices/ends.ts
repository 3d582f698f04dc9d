import type { Ends } from '../../ends.js';

const raised = (text: string) =>
  text.replace('1.2 ', '1.32 ').replace('39.95', '43.95').replace('15.5', '17.05').replace('7.45', '8.20');

export const ends: Ends = {
  right: [{ answer: 'Raised, but for the books.', files: { 'prices.json': raised } }],
  wrong: {
    'prices.json is not as it should be': {
      files: { 'prices.json': text => raised(text).replace('24.0', '26.4') },
    },
    'old.json was not to be changed': { files: { 'prices.json': raised, 'old.json': '{}' } },
  },
};
