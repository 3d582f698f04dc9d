/**
 * Reads replies of planners, executors and verifiers as a run reads them, for programs that store or show them (G16).
 */

import { stringOr } from '../../base/json/json.js';
import type { ExecutionOutput, PlanOutput, VerdictOutput } from '../../run/outputs/contracts.js';
import { parseRoleOutput, type RoleReply } from './parse-output.js';

export type { ExecutionOutput, PlanOutput, VerdictOutput } from '../../run/outputs/contracts.js';
export type { RoleReply } from './parse-output.js';

export interface PlanReading {
  /** Ids of tasks of earlier plans, which its tasks may depend on or change. Default: none. */
  knownTaskIds?: readonly string[];
}

/** Reads a planner's reply, in either form. Never throws: `errors` name each fault. */
export function parsePlannerResponse(
  text: string,
  { knownTaskIds }: PlanReading = {},
): RoleReply<PlanOutput> {
  return parseRoleOutput('plan', stringOr(text, ''), { names: knownTaskIds });
}

/** Reads an executor's report, in either form. Never throws: `errors` name each fault. */
export function parseExecutorResponse(text: string): RoleReply<ExecutionOutput> {
  return parseRoleOutput('execution', stringOr(text, ''));
}

/** Reads a verifier's verdict, in either form. Never throws: `errors` name each fault. */
export function parseVerifierResponse(text: string): RoleReply<VerdictOutput> {
  return parseRoleOutput('verdict', stringOr(text, ''));
}
