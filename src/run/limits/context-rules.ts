/** What a run pins of `context` in `steersman.yaml`: the changes to a conversation before a call, and when they are due. */

/** `thin` leaves out old results; `compact` has a model summarise; `trim` cuts to the model's limit and is always last. */
export const BUILT_IN_TRANSFORMS = ['thin', 'compact', 'trim'] as const;
type BuiltIn = (typeof BUILT_IN_TRANSFORMS)[number];

/** The lists that a run pins; an absent list means the built-in transforms. */
export interface TransformLists {
  transforms?: readonly string[];
  /** Lists of roles that have their own. */
  roleTransforms?: Readonly<Record<string, readonly string[]>>;
}

export function isBuiltInTransform(name: string): name is BuiltIn {
  return BUILT_IN_TRANSFORMS.some(each => each === name);
}

/**
 * If a conversation is longer than `softTokens`, its old results are considered first (X2), then all of it. A number up
 * to 1 is a share of the model's window.
 */
export interface ContextRules extends TransformLists {
  softTokens: number;
  /** Limits of roles that have their own. */
  roles?: Record<string, number>;
  /** Earlier runs of the conversation that failed are left out. */
  rollsBack?: true;
  /** If dropping results is not enough, summarise with `model` (default: the role's). Absent: never. */
  compacts?: { model?: string };
}
