/** A script for each role, so that a test says what the planner says and what the executor does, in any order. */
import type { ChatRequest } from '../protocol-server/server.js';
import { verdict } from './role-outputs.js';
import type { ScriptedReply } from './scripted-model.js';

/** The role that a request is of, by the title of its prompt: `planner`, `router`. */
export function roleOf(request: ChatRequest): string {
  return /^# (\w+)/m.exec(request.system)?.[1]?.toLowerCase() ?? 'unknown';
}

/** Replies in order, or a function; `nth` counts the role's requests from 0. */
export type RoleScript = readonly ScriptedReply[] | ((request: ChatRequest, nth: number) => ScriptedReply);

const CONTENT: ScriptedReply = { text: verdict({ summary: 'It was done as it was asked for.' }) };

/** A script by role: each has its own replies. Verifiers without any are content. A list used up answers with a 400. */
export function byRole(
  scripts: Readonly<Record<string, RoleScript>>,
): (request: ChatRequest, index: number) => ScriptedReply {
  const asked: Record<string, number> = {};
  return (request, index) => {
    // A script begins with index 0, also where one is played again.
    if (index === 0) for (const role of Object.keys(asked)) delete asked[role];
    const role = roleOf(request);
    const nth = asked[role] ?? 0;
    asked[role] = nth + 1;
    const script = scripts[role] ?? (role === 'verifier' ? () => CONTENT : []);
    if (typeof script === 'function') return script(request, nth);
    const message = `The script has ${script.length} replies of the ${role}, and this is number ${nth + 1}.`;
    return script[nth] ?? { error: { status: 400, message } };
  };
}
