/**
 * Recognizes replies in the form of a role. It is separate from the contracts, whose fields no page of a browser needs.
 */

import { isRecord } from '../../base/json/json.js';
import { parseRecord } from '../../base/json/json-in-text.js';
import { isAbsent } from '../../base/text/output-fields.js';

/** The values of `component` in the flat form, by contract. */
export const ROLE_COMPONENTS = {
  plan: 'planner-response',
  execution: 'executor-response',
  verdict: 'verifier-response',
  intent: 'understanding-response',
  route: 'router-response',
  review: 'reviewer-response',
  orchestration: 'orchestrator-response',
  choice: 'selector-response',
} as const;

/** The six fields that an envelope requires (G11). */
export const ENVELOPE_FIELDS = [
  'thought',
  'action',
  'params',
  'expectedOutcome',
  'risk',
  'confidence',
] as const;

/**
 * True for JSON that is meant as an envelope, even in part: `action` with `params`, or three of the six fields. JSON
 * with `type: "component"` is not an envelope.
 */
export function isEnvelope(json: Record<string, unknown>): boolean {
  if (json.type === 'component') return false;
  if (typeof json.action === 'string' && isRecord(json.params)) return true;
  return ENVELOPE_FIELDS.filter(field => !isAbsent(json[field])).length >= 3;
}

const COMPONENTS: readonly string[] = Object.values(ROLE_COMPONENTS);
const ROLE_FORM = new RegExp(
  String.raw`^\s*(?:\x60{3}\w*\s*)?\{\s*(?:"type"\s*:\s*"component"\s*,\s*)?"(?:thought"|component"\s*:\s*"(?:${COMPONENTS.join('|')})")`,
);

/**
 * True for a role's output in its form, or the beginning of a cut one: it is meant for the run and is not an answer.
 * Other JSON is the person's request.
 */
export function isRoleForm(text: string): boolean {
  if (!ROLE_FORM.test(text)) return false;
  const json = parseRecord(text.replace(/^\s*`{3}\w*|`{3}\s*$/g, '').trim());
  return json === null || isEnvelope(json) || COMPONENTS.includes(String(json.component));
}
