import type { Ends, Made } from '../../ends.js';

const NOTE =
  '# Standup\nDate: 2025-03-14\n\nRelease on Friday. Kim looks after the failing build of 2025-04-01.\n';
const all: Made = {
  'notes/standup.md': null,
  'notes/hiring.md': null,
  'notes/budget.md': null,
  'notes/2025-03/standup.md': NOTE,
  'notes/2025-03/hiring.md':
    '# Hiring\nDate: 31 March 2025\n\nTwo offers are out; answers by the middle of April.\n',
  'notes/2025-04/budget.md':
    '# Budget\nDate: 02.04.2025 (day first)\n\nThe travel budget is cut by a tenth.\n',
};
const answer = 'Three notes are sorted. offsite.md is a draft; ideas.md has no date. Both stay.';

export const ends: Ends = {
  right: [{ answer, files: all }],
  wrong: {
    'notes/offsite.md was not to be changed': {
      answer,
      files: { ...all, 'notes/offsite.md': null, 'notes/2025-04/offsite.md': 'Lisbon' },
    },
    'notes/2025-03/standup.md is not the note': {
      answer,
      files: { ...all, 'notes/2025-03/standup.md': NOTE.replace('Kim', 'Ann') },
    },
    'notes/budget.md is still there': { answer, files: { ...all, 'notes/budget.md': text => text } },
    'that ideas.md has no date': { answer: 'All notes are sorted.', files: all },
    'notes/2025-02/budget.md was not to be changed': {
      answer,
      files: { ...all, 'notes/2025-04/budget.md': null, 'notes/2025-02/budget.md': 'Budget' },
    },
  },
};
