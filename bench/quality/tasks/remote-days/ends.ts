import type { Ends } from '../../ends.js';

export const ends: Ends = {
  right: [
    { answer: 'Four days.\n\nDays: 4\nDocument: announcements/2025-02-phones.md' },
    { answer: '**Days:** 4\n**Document:** `announcements/2025-02-phones.md`' },
  ],
  wrong: {
    'four days': { answer: 'Days: 2\nDocument: announcements/2025-02-phones.md' },
    'the document of February 2025': { answer: 'Days: 4\nDocument: handbook/faq.md' },
    'answer.md was not to be changed': {
      answer: 'Days: 4\nDocument: announcements/2025-02-phones.md',
      files: { 'answer.md': 'Days: 4' },
    },
  },
};
