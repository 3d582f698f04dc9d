/** What the configuration of simulated runs declares. */
import type { DeclaredModes } from '../../src/run/position/modes.js';

/** A role has two turns in one. */
export const DECLARED: DeclaredModes = {
  review: { does: 'checks a text', steps: ['auditor', 'editor', 'auditor'] },
};
