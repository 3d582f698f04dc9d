import type { Ends } from '../../ends.js';

export const ends: Ends = {
  right: [
    { files: { 'errors.txt': 'api 4\nauth 2\nmail 2\nweb 0\n' } },
    { files: { 'errors.txt': 'api: 4\nauth: 2\nmail: 2\nweb: 0' } },
  ],
  wrong: {
    'errors.txt has other counts': { files: { 'errors.txt': 'api 4\nauth 3\nmail 2\nweb 0\n' } },
    'service.log was not to be changed': {
      files: { 'errors.txt': 'api 4\nauth 2\nmail 2\nweb 0\n', 'service.log': '' },
    },
  },
};
