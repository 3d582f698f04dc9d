/** What all runs of a client share. */
import type { Report } from '../shared/output.js';
import type { Temporal } from './connect.js';

export interface ClientScope {
  temporal: Temporal;
  /** Folder of the local stack: its blobs are there, too. */
  home: string;
  report: Report;
  /** Aborted when the client is closed, with that as its reason. */
  closing: AbortSignal;
}
