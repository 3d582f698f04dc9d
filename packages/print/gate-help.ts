/** Describes how to answer a gate on the command line. Pure. */

import type { Gate, GateKind } from 'steersman/client';
import { verbCall } from 'steersman/shared';

/** The verbs that answer a gate, and the words after its id. */
const ANSWERS: Record<GateKind, [verb: string, rest: string][]> = {
  approval: [
    ['approve', '   (--always [workspace], --arguments JSON)'],
    ['deny', ' --reason "…"'],
  ],
  plan: [
    ['approve', '   (--tasks JSON)'],
    ['deny', ' --reason "…"'],
  ],
  route: ['approve', 'deny'].map(verb => [verb, '']),
  question: [['answer', ' "…"']],
  clientTool: [['tool-result', " '…'"]],
  budget: answers('NEW-LIMIT', 'wrap_up'),
  failure: answers('retry', '"m MODEL"', 'stop'),
  form: answers(`'{"field": …}'`, 'decline', 'cancel'),
  step: answers('skip', 'replan', 'abort'),
};

function answers(...words: string[]): [string, string][] {
  return words.map(word => ['answer', ` ${word}`]);
}

/** The words after the id where one approval decides several changes: some may be left out, but not edited. */
const SEVERAL = `   (--always [workspace], --except '{"2": "why"}')`;

/** Returns the commands that answer the gate of run `id`, one for each line. `several`: it asks about several changes. */
export function gateHelp(
  id: string,
  { gateId, kind, several }: { gateId: string; kind: GateKind; several: boolean },
): string[] {
  return ANSWERS[kind].map(([verb, rest]) => {
    const options = several && verb === 'approve' ? SEVERAL : rest;
    return verbCall(`${verb} ${id} ${gateId}${options}`);
  });
}

const AT_DEADLINE: Record<GateKind, string> = {
  approval: 'denied',
  plan: 'rejected, and nothing is carried out',
  question: 'the run goes on as well as it can',
  route: 'the run goes on as it was',
  clientTool: 'an error is the result',
  budget: 'the run wraps up',
  failure: 'the run stops',
  form: 'declined',
  step: 'the plan goes on without it',
};

/** Returns what happens if the gate gets no answer. */
export function atDeadline(gate: Gate): string {
  if (gate.kind === 'route' && gate.subject.act === 'confirm')
    return 'the run goes on, and its answer counts as not verified';
  return AT_DEADLINE[gate.kind];
}
