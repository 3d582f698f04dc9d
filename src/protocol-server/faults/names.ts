/** The faults by name, and in words what the endpoint does. How is in the files beside this one. */
export const FAULT_WORDS = {
  'stream.cut-after-end': 'cuts the connection once the reply is complete',
  'stream.open-after-end': 'says the end with the last part, sends no usage, and keeps the connection open',
} as const;

export type FaultName = keyof typeof FAULT_WORDS;
