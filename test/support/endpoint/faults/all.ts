/** How each fault is done. */
import { FAULTS as COMMON } from '../../../../packages/test-kit/faults.js';
import type { Fault } from './fault.js';
import { FORM_FAULTS } from './form.js';
import { HTTP_FAULTS } from './http.js';
import type { FaultName } from './names.js';
import { REFUSAL_FAULTS } from './refusal.js';
import { REPLY_FAULTS } from './reply.js';
import { STREAM_FAULTS } from './stream.js';

export const FAULTS: Readonly<Record<FaultName, Fault>> = {
  ...COMMON,
  ...HTTP_FAULTS,
  ...REFUSAL_FAULTS,
  ...STREAM_FAULTS,
  ...REPLY_FAULTS,
  ...FORM_FAULTS,
};
