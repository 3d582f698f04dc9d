/** What a tool server may ask a person while a call of it runs: forms. */

import type { ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import type { McpCall } from '../../mcp/connection/connection.js';
import { type FormQuestion, fitQuestion } from '../../run/gates/form.js';
import type { FormAnswer } from '../../run/gates/gate.js';
import type { CallToolInput } from '../types.js';

export interface PersonQuestion {
  callId: string;
  question: FormQuestion;
  /** After this nobody has answered. */
  waitMs: number;
}

/** Resolves with what a person gives, or what stands for that. Aborted, it is asked no more. */
export type AskPerson = (asked: PersonQuestion, signal: AbortSignal) => Promise<FormAnswer>;

export interface ServerRequestDeps {
  /** Takes secrets out of texts before they are cut and stored. Default: none are known. */
  redact?: (text: string) => string;
  /** Asks the person behind the run, for the activity at hand. Default: nobody can be asked. */
  askPerson?: () => AskPerson;
}

/** Forms of one try of a call: each is in the history of the run, whoever answers it. */
const MOST_FORMS = 20;

/** In the context of the activity: what a server asks comes outside of it. Undefined where nobody can be asked. */
export function formHandler(
  { redact = text => text, askPerson }: ServerRequestDeps,
  { callId, asksForMs }: CallToolInput,
): McpCall['onForm'] {
  const ask = asksForMs === undefined ? undefined : askPerson?.();
  if (!ask || asksForMs === undefined) return undefined;
  let forms = 0;
  return async ({ message, schema }, signal): Promise<ElicitResult> => {
    const question = fitQuestion(JSON.parse(redact(JSON.stringify({ message, schema }))));
    if (question === null || forms >= MOST_FORMS) return { action: 'cancel' };
    forms += 1;
    const answer = await ask({ callId, question, waitMs: asksForMs }, signal);
    if (answer.decision !== 'accept') return { action: answer.decision };
    return { action: 'accept', content: answer.content as NonNullable<ElicitResult['content']> };
  };
}
