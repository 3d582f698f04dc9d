/**
 * Reads replies of planners, executors and verifiers as a run reads them, for programs that store or show them (G16).
 */

import type { ExecutionOutput, PlanOutput, VerdictOutput } from '../../run/outputs/contracts.js';
import { parseRoleOutput, type RoleReply } from './parse-output.js';

export type { ExecutionOutput, PlanOutput, VerdictOutput } from '../../run/outputs/contracts.js';
export type { RoleReply } from './parse-output.js';

/** Reads a planner's reply, in either form. Never throws: `errors` name each fault. */
export function parsePlannerResponse(text: string): RoleReply<PlanOutput> {
  return parseRoleOutput('plan', text);
}

/** Reads an executor's report, in either form. Never throws: `errors` name each fault. */
export function parseExecutorResponse(text: string): RoleReply<ExecutionOutput> {
  return parseRoleOutput('execution', text);
}

/** Reads a verifier's verdict, in either form. Never throws: `errors` name each fault. */
export function parseVerifierResponse(text: string): RoleReply<VerdictOutput> {
  return parseRoleOutput('verdict', text);
}
