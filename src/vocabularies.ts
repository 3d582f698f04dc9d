/** `steersman/vocabularies`: the events of a run in the words that other systems and their front ends know. */
export * from '@steersman/ag-ui';
export * from './client/vocabularies/index.js';
