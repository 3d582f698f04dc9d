import type { Ends } from '../../ends.js';

const FACTS = { begin: '09:42', end: '11:12', approvedBy: 'Priya' };
const facts = (given: object) => ({ files: { 'facts.json': JSON.stringify({ ...FACTS, ...given }) } });

export const ends: Ends = {
  right: [facts({})],
  wrong: {
    'facts.json has another begin': facts({ begin: '09:55' }),
    'facts.json has another end': facts({ end: '11:07' }),
    'facts.json names somebody else': facts({ approvedBy: 'Tom' }),
    'corrections.md was not to be changed': {
      files: { ...facts({}).files, 'corrections.md': 'tidied' },
    },
  },
};
