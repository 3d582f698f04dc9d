/** What a rule answers: some thought for the live view, then tool calls or a text. */
import type { AgentOutput } from '../core/outputs/envelope.js';

export interface RuleCall {
  name: string;
  arguments: Record<string, unknown>;
}

export interface RuleReply {
  /** Sent as reasoning: which rule answers, and why. */
  thought: string;
  /** Said before tool calls, or the whole reply. */
  text: string;
  calls: RuleCall[];
}

/** The one model of the provider. */
export const RULES_MODEL = 'rules';
/** Begins every thought and every answer, so that nobody takes it for a model that understands. */
export const LABEL = 'Rehearsal model: rules, not intelligence.';
export const LABEL_ZH = '演练模型：只有规则，没有智能。';

/** A reply without tool calls. */
export function plainReply(thought: string, text: string): RuleReply {
  return { thought, text, calls: [] };
}

/** A reply that is an envelope: what the steering roles answer with. */
export function envelopeReply(thought: string, fields: Omit<AgentOutput, 'thought'>): RuleReply {
  return plainReply(thought, JSON.stringify({ thought: `${LABEL} ${thought}`, ...fields }));
}

/** A reply that is one JSON object of a role's form. */
export function jsonReply(thought: string, component: string, fields: object): RuleReply {
  return plainReply(thought, JSON.stringify({ type: 'component', component, ...fields }));
}
