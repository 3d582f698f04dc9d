/** What the doctor says of one thing it looked at. */
import { errorText } from '../../core/text/error-text.js';
import { SteersmanError } from '../../shared/errors.js';

/** `warning`: runs work, but not as well as they could. `skipped`: something before it has to be right first. */
export type FindingStatus = 'ok' | 'warning' | 'failed' | 'skipped';

export interface Finding {
  /** What was looked at, such as `namespace`; `model` and `tools` come once for each. */
  check: string;
  status: FindingStatus;
  found: string;
  /** What to do about it; null where nothing is, or where `found` says it. */
  todo: string | null;
}

export function ok(check: string, found: string): Finding {
  return { check, status: 'ok', found, todo: null };
}

export function warning(check: string, found: string, todo: string | null): Finding {
  return { check, status: 'warning', found, todo };
}

export function failed(check: string, found: string, todo: string | null): Finding {
  return { check, status: 'failed', found, todo };
}

export function skipped(check: string, why: string): Finding {
  return { check, status: 'skipped', found: `not looked at: ${why}`, todo: null };
}

/** A failure out of an error: a SteersmanError says itself what to do. */
export function failedBy(check: string, error: unknown): Finding {
  if (error instanceof SteersmanError) return failed(check, error.message, error.remedy || null);
  return failed(check, errorText(error), null);
}
