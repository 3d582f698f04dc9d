/** The forms of role outputs in brief, for re-asks: what `reaskText` ends with. */

import type { FormedContract, OutputContract } from '../role.js';
import type { Dialect } from './envelope.js';
import { expected, isAbsent } from './output-fields.js';

/** Fields of each contract: flat in the component dialect, in `params` of an envelope. */
const FIELDS: Record<FormedContract, string> = {
  plan:
    '"summary": string, "needsMorePlanning": boolean, ' +
    '"todos": [{ "id": string, "description": string, "priority": number, "status": "pending", ' +
    '"dependencies": [id], "completionCriteria": string }]',
  execution:
    '"summary": string, "taskCompleted": boolean, "shouldContinue": boolean, ' +
    '"nextAction": "continue" | "complete" | "skip" | "retry"',
  verdict:
    '"allCompleted": boolean, "userNeedsSatisfied": boolean, "overallFeedback": string, ' +
    '"summary": string when both are true, "improvements": [string] when not, ' +
    '"tasks": [{ "id": string, "completed": boolean, "feedback": string }]',
  intent:
    '"normalizedIntent": { "goal": string, "action": "create" | "modify" | "query" | "cancel" | "pause" | "continue" | "clarify", ' +
    '"scope": "full_task" | "partial_task" | "meta_control", "urgency": "high" | "medium" | "low" }, ' +
    '"taskRelation": { "type": "same_task_no_change" | "same_task_minor_change" | "same_task_major_change" | ' +
    '"different_task" | "control_instruction", "confidence": number from 0 to 100, "reasoning": string }, ' +
    '"contextDependency": { "needsCurrentTaskContext": boolean, "needsExecutionHistory": boolean, "referencedEntities": [string] }',
  route:
    '"route": "continue_execution" | "minor_replan" | "full_replan" | "new_task" | "control_action" | "wait_user_decision", ' +
    '"payload": { "reason": string, "requiresConfirmation": boolean, ' +
    '"control": "pause" | "continue" | "cancel" | "status", only for control_action }',
  review: '"approved": boolean, "score": number from 0 to 100, "feedback": string, "requiredFixes": [string]',
  orchestration:
    'for PHASE_TRANSITION "to": "planning" | "execution" | "verification" | "wrap_up"; for RESOURCE_ALLOCATE ' +
    '"resource": "rounds" | "turns" | "tokens" | "model", "target": task id or role, "amount": number, "model": string; ' +
    'for EXCEPTION_HANDLE "handling": "retry" | "skip" | "replan" | "ask_user" | "stop", "taskId": string; ' +
    'always "reason": string',
};

export const COMPONENTS: Record<FormedContract, string> = {
  plan: 'planner-response',
  execution: 'executor-response',
  verdict: 'verifier-response',
  intent: 'understanding-response',
  route: 'router-response',
  review: 'reviewer-response',
  orchestration: 'orchestrator-response',
};

/** What `action` always says in an envelope of these contracts. */
const FIXED_ACTIONS: Partial<Record<FormedContract, string>> = {
  plan: 'TASK_PLAN',
  execution: 'COMPLETE',
  verdict: 'VERIFICATION_RESULT',
  intent: 'INTENT_ANALYSIS',
  route: 'ROUTE_DECISION',
  review: 'REVIEW_RESULT',
};

/** What `action` says in an envelope of each contract. */
const ACTIONS: Record<FormedContract, string> = {
  plan: '"TASK_PLAN"',
  execution: '"COMPLETE", or the name of a tool with its arguments as params',
  verdict: '"VERIFICATION_RESULT"',
  intent: '"INTENT_ANALYSIS"',
  route: '"ROUTE_DECISION"',
  review: '"REVIEW_RESULT"',
  orchestration: '"PHASE_TRANSITION" | "RESOURCE_ALLOCATE" | "EXCEPTION_HANDLE"',
};

/** The field by which each contract is told from the others where nothing names it. */
const MARKS: Record<FormedContract, string> = {
  plan: 'needsMorePlanning',
  execution: 'taskCompleted',
  verdict: 'allCompleted',
  intent: 'normalizedIntent',
  route: 'route',
  review: 'approved',
  orchestration: 'handling',
};

/**
 * Says that JSON has the form of another contract than the one that is read, or null: an executor that writes
 * a plan has not reported. `params` are the fields, where they are not the JSON itself.
 */
export function otherFormError(
  contract: FormedContract,
  json: Record<string, unknown>,
  params: Record<string, unknown> = json,
): string | null {
  const others = (Object.keys(MARKS) as FormedContract[]).filter(other => other !== contract);
  const component = others.find(other => json.component === COMPONENTS[other]);
  if (component) return expected('component', COMPONENTS[contract], json.component);
  const action = others.find(other => json.action === FIXED_ACTIONS[other]);
  if (action && params !== json)
    return expected('action', FIXED_ACTIONS[contract] ?? 'your own', json.action);
  if (!isAbsent(params[MARKS[contract]])) return null;
  const mark = others.find(other => !isAbsent(params[MARKS[other]]));
  const own = json.component === COMPONENTS[contract];
  return mark && !own ? `The reply has the form of a ${mark}, which is not asked for here.` : null;
}

/** The dialect that a contract has where its role names none: the team is flat, the roles that steer are not. */
export function defaultDialect(contract: OutputContract): Dialect {
  switch (contract) {
    case 'plan':
    case 'execution':
    case 'verdict':
    case 'text':
      return 'component';
    case 'intent':
    case 'route':
    case 'review':
    case 'orchestration':
      return 'envelope';
  }
}

/** The form of a contract's JSON in a dialect, on one line. */
export function formOf(contract: FormedContract, dialect: Dialect): string {
  const fields = FIELDS[contract];
  if (dialect === 'component') {
    const action = contract === 'orchestration' ? `"action": ${ACTIONS[contract]}, ` : '';
    return `{ "type": "component", "component": "${COMPONENTS[contract]}", ${action}${fields} }`;
  }
  return (
    `{ "thought": string, "action": ${ACTIONS[contract]}, "params": { ${fields} }, "expectedOutcome": string, ` +
    '"risk": { "level": "low" | "medium" | "high", "description": string, "mitigation": string }, ' +
    '"confidence": number from 0 to 100, "requiresUserConfirmation": boolean, "userMessage": string }'
  );
}
