/** `steersman/vocabularies`: converts the events of a run to the vocabularies of other systems and their front ends. */
export * from '@steersman/ag-ui';
export * from './client/vocabularies/index.js';
