/** What a person of a chaos says at a gate. Pure. */
import { choicesOf, type Gate } from '../../../src/run/gates/gate.js';
import type { Random } from '../../simulation/random.js';

export function answerTo(gate: Gate, random: Random): Record<string, unknown> {
  switch (gate.kind) {
    case 'approval':
      return { decision: random.pick(['approve', 'deny']) };
    case 'plan':
      return random.chance(0.7) ? { decision: 'approve' } : { decision: 'reject', reason: 'Shorter.' };
    case 'question':
      return { text: 'As you like.' };
    case 'budget': {
      const { limit, used } = gate.subject;
      const raise = { decision: 'raise', to: 2 * Math.max(limit, used) };
      return random.chance(0.5) ? raise : { decision: 'wrap_up' };
    }
    case 'failure':
      return { decision: 'retry' };
    case 'clientTool':
      return { content: 'nothing', isError: true };
    default:
      return { decision: random.pick(choicesOf(gate)) };
  }
}
