/** The forms of role outputs in brief, for re-asks: what `reaskText` ends with. */

import type { FormedContract } from './contracts.js';
import { jsonForm, OUTPUT_CONTRACTS } from './contracts.js';
import type { Dialect } from './envelope.js';
import { expected, isAbsent } from './output-fields.js';

/**
 * Says that JSON has the form of another contract than the one that is read, or null: an executor that writes
 * a plan has not reported. `params` are the fields, where they are not the JSON itself.
 */
export function otherFormError(
  contract: FormedContract,
  json: Record<string, unknown>,
  params: Record<string, unknown> = json,
): string | null {
  const own = jsonForm(contract);
  const others = OUTPUT_CONTRACTS.flatMap(other =>
    other === 'text' || other === contract ? [] : [{ contract: other, ...jsonForm(other) }],
  );
  if (others.some(({ component }) => json.component === component))
    return expected('component', own.component, json.component);
  const isOthers = others.some(({ action }) => action !== null && json.action === action);
  if (isOthers && params !== json) return expected('action', own.action ?? 'your own', json.action);
  if (!isAbsent(params[own.mark]) || json.component === own.component) return null;
  const marked = others.find(({ mark }) => !isAbsent(params[mark]));
  return marked ? `The reply has the form of a ${marked.contract}, which is not asked for here.` : null;
}

/** The form of a contract's JSON in a dialect, on one line. */
export function formOf(contract: FormedContract, dialect: Dialect): string {
  const { component, action, actionWords = `"${action}"`, fields } = jsonForm(contract);
  if (dialect === 'component') {
    const chosen = action === null ? `"action": ${actionWords}, ` : '';
    return `{ "type": "component", "component": "${component}", ${chosen}${fields} }`;
  }
  return (
    `{ "thought": string, "action": ${actionWords}, "params": { ${fields} }, "expectedOutcome": string, ` +
    '"risk": { "level": "low" | "medium" | "high", "description": string, "mitigation": string }, ' +
    '"confidence": number from 0 to 100, "requiresUserConfirmation": boolean, "userMessage": string }'
  );
}
