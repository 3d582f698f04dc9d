/**
 * What may enlarge a limit of a run. The list is all there is, and behind each entry stands a person. `--yes`,
 * rules, deadlines and roles never do: what the orchestrator wants beyond a limit is asked of a person first
 * (TR2, LI1).
 */
import type { Gate } from './gate.js';

/** `setBudget`: the update. `gate`: a person's answer at a gate that `onlyAPerson` answers. */
export const MAY_ENLARGE = ['setBudget', 'gate'] as const;
export type Enlarger = (typeof MAY_ENLARGE)[number];

/** True for gates whose answer may enlarge a limit: no rule approves them, also not for `--yes`. */
export function onlyAPerson(gate: Gate): boolean {
  return gate.kind === 'budget' || (gate.kind === 'route' && gate.subject.enlarges === true);
}
