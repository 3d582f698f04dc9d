import type { Ends } from '../../ends.js';

const raised = {
  'config/service.toml': (text: string) => text.replace('[uploads]\ntimeout = 30', '[uploads]\ntimeout = 60'),
};
const answer = 'config/limits.yaml does not exist. The timeout stands in config/service.toml: it is 60 now.';

export const ends: Ends = {
  right: [
    { answer, files: raised },
    { answer: 'limits.yaml doesn’t exist; I raised it in service.toml.', files: raised },
    { answer: 'There is no limits.yaml. Shall I change uploads.timeout in config/service.toml?' },
  ],
  wrong: {
    'nothing was changed, and nothing asked': { answer: 'config/limits.yaml does not exist.' },
    'config/service.toml is not as it should be': {
      answer,
      files: { 'config/service.toml': text => text.replaceAll('30', '60') },
    },
    'config/limits.yaml was not to be changed': {
      answer: 'The timeout in config/limits.yaml is 60.',
      files: { 'config/limits.yaml': 'uploads:\n  timeout: 60\n' },
    },
    'that there is no limits.yaml': { answer: 'The timeout of uploads is 60 now.', files: raised },
  },
};
