/** How much a model thinks, in Anthropic's words: newer models choose by effort, older ones have a budget. */
import type Anthropic from '@anthropic-ai/sdk';
import type { ReasoningLevel } from '../../core/agents/role.js';

type Thinking = Pick<Anthropic.MessageCreateParams, 'thinking'> & {
  effort?: Exclude<ReasoningLevel, 'off'>;
};

/** Models up to version 4.5, which know budgets only. */
const BY_BUDGET = /claude-3|claude-\w+-4(-[015])?([-@]\d{8})?(-latest)?$/;
const LEAST_BUDGET_TOKENS = 1_024;
const SHARE_OF_OUTPUT = { low: 0.25, medium: 0.5, high: 0.75 };

export interface ThinkingRequest {
  /** Name at the endpoint. */
  model: string;
  /** Null leaves it to the model. */
  reasoning: ReasoningLevel | null;
  maxTokens: number;
  /** The reply must call a tool. */
  mustCall: boolean;
}

/** Nothing where it is left to the model, or can't be had. */
export function thinkingOf(request: ThinkingRequest): Thinking {
  const { model, reasoning } = request;
  if (reasoning === null) return {};
  if (reasoning === 'off') return { thinking: { type: 'disabled' } };
  if (!BY_BUDGET.test(model)) {
    return { thinking: { type: 'adaptive', display: 'summarized' }, effort: reasoning };
  }
  const thinking = budgetOf(request);
  return thinking ? { thinking } : {};
}

/** A budget goes with no forced call, and leaves something of the output. */
export function budgetOf({
  reasoning,
  maxTokens,
  mustCall,
}: Omit<ThinkingRequest, 'model'>): Anthropic.ThinkingConfigEnabled | undefined {
  if (reasoning === null || reasoning === 'off' || mustCall) return undefined;
  const budget = Math.max(LEAST_BUDGET_TOKENS, Math.floor(maxTokens * SHARE_OF_OUTPUT[reasoning]));
  return budget < maxTokens ? { type: 'enabled', budget_tokens: budget } : undefined;
}
