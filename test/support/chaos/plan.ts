/** Which faults a chaos plays, drawn from its seed. Pure. */
import { Random } from '../../simulation/random.js';

export type FaultTarget = 'worker' | 'tool server' | 'server';

export interface Fault {
  /** After the fault before it, which may still last, and after the work has gone on. */
  afterMs: number;
  target: FaultTarget;
  /** How long it is stopped with SIGSTOP; null: it is killed with SIGKILL. */
  pauseMs: number | null;
}

export interface FaultLimits {
  faults: number;
  /** The Temporal server is struck too. */
  strikesServer: boolean;
  longestPauseMs: number;
}

const SHORTEST_PAUSE_MS = 500;
/** A server that is away for longer only makes everybody wait. */
const LONGEST_SERVER_PAUSE_MS = 8_000;

export function faultPlan(seed: number, limits: FaultLimits): Fault[] {
  const random = new Random(seed, 'faults');
  return Array.from({ length: limits.faults }, () => {
    const target = random.weighted<FaultTarget>([
      [6, 'worker'],
      [3, 'tool server'],
      [limits.strikesServer ? 1 : 0, 'server'],
    ]);
    const longest =
      target === 'server' ? Math.min(limits.longestPauseMs, LONGEST_SERVER_PAUSE_MS) : limits.longestPauseMs;
    // Short pauses are as telling as long ones, and more of them fit: the logarithm is drawn.
    const pauseMs = Math.round(SHORTEST_PAUSE_MS * (longest / SHORTEST_PAUSE_MS) ** (random.next() ** 2));
    return { afterMs: random.int(0, 1_500), target, pauseMs: random.chance(0.6) ? pauseMs : null };
  });
}
