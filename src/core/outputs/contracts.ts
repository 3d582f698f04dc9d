/**
 * What the replies of roles can be, one record a contract: all that is known of it but its reader (`parse-output.ts`)
 * and its schema (`models/request/output-schemas.ts`), which has a library that workflows do without.
 */
import { OPINION_BYTES, WHOLE_REPLY_BYTES } from '../state/bounds.js';
import type { Dialect } from './envelope.js';
import { CHOICES } from './mode-choice.js';

const LONG_OUTPUT_TOKENS = 16_384;
const SHORT_OUTPUT_TOKENS = 8_192;

/** The JSON of a contract. */
interface Form {
  /** What `component` says in the flat form. */
  component: string;
  /** What `action` always says in an envelope; null where a role chooses among several. */
  action: string | null;
  /** What a re-ask says of `action`, where that is more. */
  actionWords?: string;
  /** The field by which the contract is told from the others where nothing names it. */
  mark: string;
  /** In brief, for re-asks: flat, or in `params` of an envelope. */
  fields: string;
}

interface Contract {
  /** What a role does with such a reply. */
  does: string;
  /**
   * Tokens of one reply where a profile says nothing: far more than a role needs, reasoning included, and an
   * end to a model that rambles. Work and texts may be long, decisions are short.
   */
  outputTokens: number;
  /** What is read from a reply: reports, answers and plans have bounds of their own where they are kept. */
  maxBytes: number;
  /** Where its role names none: the team is flat, the roles that steer are not. */
  dialect: Dialect;
  /** Null for free text. */
  form: Form | null;
}

export const CONTRACTS = {
  plan: {
    does: 'planning',
    outputTokens: LONG_OUTPUT_TOKENS,
    maxBytes: 200_000,
    dialect: 'component',
    form: {
      component: 'planner-response',
      action: 'TASK_PLAN',
      mark: 'needsMorePlanning',
      fields:
        '"summary": string, "needsMorePlanning": boolean, ' +
        '"todos": [{ "id": string, "description": string, "priority": number, "status": "pending" | "skipped", ' +
        '"dependencies": [id], "completionCriteria": string }]',
    },
  },
  execution: {
    does: 'executing',
    outputTokens: LONG_OUTPUT_TOKENS,
    maxBytes: WHOLE_REPLY_BYTES,
    dialect: 'component',
    form: {
      component: 'executor-response',
      action: 'COMPLETE',
      actionWords: '"COMPLETE", or the name of a tool with its arguments as params',
      mark: 'taskCompleted',
      fields:
        '"summary": string, "taskCompleted": boolean, "shouldContinue": boolean, ' +
        '"nextAction": "continue" | "complete" | "skip" | "retry"',
    },
  },
  verdict: {
    does: 'verifying',
    outputTokens: LONG_OUTPUT_TOKENS,
    maxBytes: WHOLE_REPLY_BYTES,
    dialect: 'component',
    form: {
      component: 'verifier-response',
      action: 'VERIFICATION_RESULT',
      mark: 'allCompleted',
      fields:
        '"allCompleted": boolean, "userNeedsSatisfied": boolean, "overallFeedback": string, ' +
        '"summary": string when both are true, "improvements": [string] when not, ' +
        '"tasks": [{ "id": string, "completed": boolean, "feedback": string }]',
    },
  },
  intent: {
    does: 'understanding',
    outputTokens: SHORT_OUTPUT_TOKENS,
    maxBytes: OPINION_BYTES,
    dialect: 'envelope',
    form: {
      component: 'understanding-response',
      action: 'INTENT_ANALYSIS',
      mark: 'normalizedIntent',
      fields:
        '"normalizedIntent": { "goal": string, "action": "create" | "modify" | "query" | "cancel" | "pause" | "continue" | "clarify", ' +
        '"scope": "full_task" | "partial_task" | "meta_control", "urgency": "high" | "medium" | "low" }, ' +
        '"taskRelation": { "type": "same_task_no_change" | "same_task_minor_change" | "same_task_major_change" | ' +
        '"different_task" | "control_instruction", "confidence": number from 0 to 100, "reasoning": string }, ' +
        '"contextDependency": { "needsCurrentTaskContext": boolean, "needsExecutionHistory": boolean, "referencedEntities": [string] }',
    },
  },
  route: {
    does: 'routing',
    outputTokens: SHORT_OUTPUT_TOKENS,
    maxBytes: OPINION_BYTES,
    dialect: 'envelope',
    form: {
      component: 'router-response',
      action: 'ROUTE_DECISION',
      mark: 'route',
      fields:
        '"route": "continue_execution" | "minor_replan" | "full_replan" | "new_task" | "control_action" | "wait_user_decision", ' +
        '"payload": { "reason": string, "requiresConfirmation": boolean, ' +
        '"control": "pause" | "continue" | "cancel" | "status", only for control_action }',
    },
  },
  review: {
    does: 'reviewing',
    outputTokens: SHORT_OUTPUT_TOKENS,
    maxBytes: OPINION_BYTES,
    dialect: 'envelope',
    form: {
      component: 'reviewer-response',
      action: 'REVIEW_RESULT',
      mark: 'approved',
      fields:
        '"approved": boolean, "score": number from 0 to 100, "feedback": string, "requiredFixes": [string]',
    },
  },
  orchestration: {
    does: 'orchestrating',
    outputTokens: SHORT_OUTPUT_TOKENS,
    maxBytes: OPINION_BYTES,
    dialect: 'envelope',
    form: {
      component: 'orchestrator-response',
      action: null,
      actionWords: '"PHASE_TRANSITION" | "RESOURCE_ALLOCATE" | "EXCEPTION_HANDLE"',
      mark: 'handling',
      fields:
        'for PHASE_TRANSITION "to": "planning" | "execution" | "verification" | "wrap_up"; for RESOURCE_ALLOCATE ' +
        '"resource": "rounds" | "turns" | "tokens" | "model", "target": task id or role, "amount": number, "model": string; ' +
        'for EXCEPTION_HANDLE "handling": "retry" | "skip" | "replan" | "ask_user" | "stop", "taskId": string; ' +
        'always "reason": string',
    },
  },
  choice: {
    does: 'choosing',
    outputTokens: SHORT_OUTPUT_TOKENS,
    maxBytes: OPINION_BYTES,
    dialect: 'component',
    form: {
      component: 'selector-response',
      action: 'MODE_CHOICE',
      mark: 'mode',
      fields: `"mode": ${CHOICES.map(choice => `"${choice}"`).join(' | ')}, "reason": string`,
    },
  },
  text: {
    does: 'answering',
    outputTokens: LONG_OUTPUT_TOKENS,
    maxBytes: WHOLE_REPLY_BYTES,
    dialect: 'component',
    form: null,
  },
} as const satisfies Record<string, Contract>;

/**
 * What a role's final reply must be: a named output contract, or free text. `intent`, `route`, `review` and
 * `orchestration` are those of the understanding, router, reviewer and orchestrator roles.
 */
export type OutputContract = keyof typeof CONTRACTS;
/** Those whose replies are JSON. */
export type FormedContract = Exclude<OutputContract, 'text'>;

export const OUTPUT_CONTRACTS = Object.keys(CONTRACTS) as OutputContract[];

/** The JSON of a contract. */
export function jsonForm(contract: FormedContract): Form {
  return CONTRACTS[contract].form;
}
