import type { Ends } from '../../ends.js';

const all = {
  'package.json': (text: string) => text.replace('"version": "1.4.2"', '"version": "1.5.0"'),
  VERSION: '1.5.0\n',
  'src/version.py': 'VERSION = (1, 5, 0)\nUSER_AGENT = "acme-export/1.5.0"\n',
  'README.md': (text: string) => text.replace('export 1.4.2', 'export 1.5.0').replace('@1.4.2', '@1.5.0'),
  'CHANGELOG.md': (text: string) => text.replace('## 1.4.2', '## 1.5.0\n- Adds the flag --json.\n\n## 1.4.2'),
};

export const ends: Ends = {
  right: [{ answer: 'It is 1.5.0 now.', files: all }],
  wrong: {
    'package.json is not as it should be': {
      files: { ...all, 'package.json': text => text.replaceAll('1.4.2', '1.5.0') },
    },
    'README.md is not as it should be': {
      files: { ...all, 'README.md': text => text.replaceAll('1.4.2', '1.5.0') },
    },
    'src/version.py is not as it should be': {
      files: { ...all, 'src/version.py': text => text.replace('1.4.2', '1.5.0') },
    },
    'CHANGELOG.md does not begin with 1.5.0': {
      files: { ...all, 'CHANGELOG.md': text => `${text}\n## 1.5.0\n- Adds the flag --json.\n` },
    },
    'the old changelog is not as it was': {
      files: { ...all, 'CHANGELOG.md': '# Changelog\n\n## 1.5.0\n- Adds the flag --json.\n' },
    },
  },
};
