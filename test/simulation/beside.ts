/** What features beside the loop have in the simulated world: the list beside that of `src/compose.ts`. */
import type { MomentInput } from '../../src/activities/types.js';
import { READ_ANSWER } from '../../src/features/answers/rules.js';
import type { PinnedRun } from '../../src/run/agents/run-config.js';
import type { RunState } from '../../src/run/state/run-state.js';
import { ArtifactStore, artifactCall } from './artifact-store.js';
import { ChargeBook, CREDITS } from './charge-book.js';
import { Random } from './random.js';
import { TypedAnswers } from './typed-answers.js';

export interface WorldFeature {
  /** Carries out an activity of the feature. `seen`: what the course of the run had. */
  runs(random: Random, input: unknown, args: Record<string, unknown>): { value: unknown; seen: string };
  /** The content behind a reference of its own; null for any other. */
  read(ref: unknown): string | null;
  /** What must hold of its part of the state. */
  check(state: RunState): void;
}

/** Of a world: by the types of their activities. */
export function besideRun(): ReadonlyMap<string, WorldFeature> {
  return new Map<string, WorldFeature>([
    ['steersmanEditArtifact', new ArtifactStore()],
    [READ_ANSWER, new TypedAnswers()],
  ]);
}

interface Hearer {
  /** What must hold of a moment that the worker is told of; the name of what the course of the run had. */
  hears(input: MomentInput, state: RunState): string | null;
}

export function hearersBeside(): readonly Hearer[] {
  return [new ChargeBook()];
}

/** What a run pins of features. */
export function pinsBeside(seed: number): Partial<PinnedRun> {
  return new Random(seed, 'credits').chance(0.3) ? { credits: CREDITS } : {};
}

/** Calls that models make where a tool of the name is pinned. */
export const CALLS_BESIDE = [{ tool: 'list_artifacts', call: artifactCall }];
