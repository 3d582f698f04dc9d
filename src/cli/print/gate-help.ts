/** How a gate is answered from a command line. Pure. */

import type { Gate, GateKind, ToolInput } from '../../client/index.js';
import { verbCall } from '../../shared/called-as.js';

/** Commands that answer the gate of run `id`, one a line. */
export function gateHelp(id: string, gateId: string, kind: GateKind): string[] {
  const verb = (name: string, rest = '') => verbCall(`${name} ${id} ${gateId}${rest}`);
  switch (kind) {
    case 'approval':
      return [verb('approve', '   (--always [workspace], --arguments JSON)'), verb('deny', ' --reason "…"')];
    case 'plan':
      return [verb('approve', '   (--tasks JSON)'), verb('deny', ' --reason "…"')];
    case 'route':
      return [verb('approve'), verb('deny')];
    case 'question':
      return [verb('answer', ' "…"')];
    case 'clientTool':
      return [verb('tool-result', " '…'")];
    case 'budget':
      return [verb('answer', ' NEW-LIMIT'), verb('answer', ' wrap_up')];
    case 'failure':
      return [verb('answer', ' retry'), verb('answer', ' "m MODEL"'), verb('answer', ' stop')];
    case 'form':
      return [verb('answer', ` '{"field": …}'`), verb('answer', ' decline'), verb('answer', ' cancel')];
    case 'step':
      return [verb('answer', ' skip'), verb('answer', ' replan'), verb('answer', ' abort')];
  }
}

/** What happens when nobody answers. */
export function atDeadline(gate: Gate): string {
  switch (gate.kind) {
    case 'approval':
      return 'denied';
    case 'plan':
      return 'rejected, and nothing is carried out';
    case 'question':
      return 'the run goes on as well as it can';
    case 'route':
      return gate.subject.act === 'confirm'
        ? 'the run goes on, and its answer counts as not verified'
        : 'the run goes on as it was';
    case 'clientTool':
      return 'an error is the result';
    case 'budget':
      return 'the run wraps up';
    case 'failure':
      return 'the run stops';
    case 'form':
      return 'declined';
    case 'step':
      return 'the plan goes on without it';
  }
}

/** The gate's own text with all arguments in place of those that it has only in part. */
export function wholeBody({ body }: Pick<Gate, 'body'>, input: ToolInput | null): string {
  const hidden = hiddenInput({ body }, input);
  if (hidden.length === 0) return body;
  const json = JSON.stringify(input, null, 2);
  let found = false;
  // Behind what is cut a line says so.
  const whole = body.replace(/(`{3,})json\n([\s\S]*?)\n\1(?:\n\n.*)?/, (block, fence, shown: string) => {
    found = json.startsWith(shown.slice(0, shown.lastIndexOf('\n')));
    return found ? `${fence}json\n${json}\n${fence}` : block;
  });
  return found ? whole : [body, '', ...hidden].join('\n');
}

/** All arguments as lines of JSON, where the gate's own text lacks some of them; else none. */
export function hiddenInput({ body }: Pick<Gate, 'body'>, input: ToolInput | null): string[] {
  if (input === null) return [];
  const json = JSON.stringify(input, null, 2);
  return body.includes(json) ? [] : ['All of its arguments:', ...json.split('\n')];
}
