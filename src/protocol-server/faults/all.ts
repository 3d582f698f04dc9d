/** How each fault is done. */
import type { Fault } from './fault.js';
import type { FaultName } from './names.js';
import { STREAM_FAULTS } from './stream.js';

export const FAULTS: Readonly<Record<FaultName, Fault>> = { ...STREAM_FAULTS };
