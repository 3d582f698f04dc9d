/** Scripts by role: a test says what the planner and the executor reply, in any order of requests. */
import { BUILT_IN_WORDS, filled } from 'steersman/base';
import type { ScriptedReply } from './faults.js';
import { type ChatRequest, wireText } from './model-server.js';
import { verdict } from './role-outputs.js';

/** All phrases with which a run names the role that it addresses. */
const NAMINGS = Object.values(BUILT_IN_WORDS).flatMap(({ takeRole, asRole }) =>
  [takeRole, asRole].map(text => new RegExp(filled(text), 'g')),
);

/**
 * Returns the role of a request, such as `planner`: the one that the run addressed last, else the one that the system
 * prompt's title names, else `unknown`.
 */
export function roleOf({ body, system }: Pick<ChatRequest, 'body' | 'system'>): string {
  const texts = body.messages.filter(({ role }) => role === 'user').map(wireText);
  const named = texts.map(namedIn).findLast(role => role !== undefined);
  return named ?? /^# (\w+)/m.exec(system)?.[1]?.toLowerCase() ?? 'unknown';
}

function namedIn(text: string): string | undefined {
  const found = NAMINGS.flatMap(naming => [...text.matchAll(naming)]);
  return found.sort((a, b) => a.index - b.index).at(-1)?.groups?.role;
}

/** A list of replies in order, or a function; `nth` counts the role's requests from 0. */
export type RoleScript = readonly ScriptedReply[] | ((request: ChatRequest, nth: number) => ScriptedReply);

const CONTENT: ScriptedReply = { text: verdict({ summary: 'It was done as it was asked for.' }) };

/**
 * Returns a script that has a list of replies for each role. A verifier without one approves. A list used up answers
 * with 400.
 */
export function byRole(
  scripts: Readonly<Record<string, RoleScript>>,
): (request: ChatRequest, index: number) => ScriptedReply {
  const asked: Record<string, number> = {};
  return (request, index) => {
    // Index 0 means that the script starts, or is played again.
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
