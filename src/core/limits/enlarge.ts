/**
 * What may enlarge a limit of a run. The list is all there is, and behind each entry stands a person. `--yes`,
 * rules, deadlines and roles never do: what the orchestrator wants beyond a limit is asked of a person first
 * (TR2, LI1).
 */

/**
 * `setBudget`: the update. `gate`: a person's answer at a gate that `onlyAPerson` (gate.ts) answers. `caller`: one of
 * these at the run that called this one as a sub-agent.
 */
const MAY_ENLARGE = ['setBudget', 'gate', 'caller'] as const;
export type Enlarger = (typeof MAY_ENLARGE)[number];
