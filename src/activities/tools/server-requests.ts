/** The questions that a tool server may ask a person during its call: forms. */

import type { ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { isRecord, type JsonSchema, ownValue } from '../../base/json/json.js';
import type { McpCall } from '../../mcp/connection/connection.js';
import { firstValues } from '../../rules/gates/gate-reply.js';
import { type FormQuestion, fitQuestion, valueText } from '../../run/gates/form.js';
import type { FormAnswer } from '../../run/gates/gate.js';
import type { CallToolInput } from '../types.js';

export interface PersonQuestion {
  callId: string;
  question: FormQuestion;
  /** Milliseconds after which the question counts as unanswered. */
  waitMs: number;
}

/** Resolves with a person's answer, or its substitute. Aborting withdraws the question. */
export type AskPerson = (asked: PersonQuestion, signal: AbortSignal) => Promise<FormAnswer>;

export interface ServerRequestDeps {
  /** Removes secrets from texts before they are cut and stored. Default: no secrets are known. */
  redact?: (text: string) => string;
  /** Asks the person behind the run, for the current activity. Default: no person can be asked. */
  askPerson?: () => AskPerson;
}

/** Forms of one attempt of a call: each is in the run's history, even if unanswered. */
const MOST_FORMS = 20;

/** Created in the activity's context, as servers ask outside of it. Undefined if no person can be asked. */
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
    const content = { ...defaultsIn(question.schema), ...answer.content };
    return { action: 'accept', content: content as NonNullable<ElicitResult['content']> };
  };
}

/** Returns the defaults that a person was shown: they are sent with the answer of any user interface. */
function defaultsIn(schema: JsonSchema): Record<string, unknown> {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const shown = Object.entries(firstValues(schema)).map(([name, texts]): [string, unknown] => {
    const field = ownValue(properties, name);
    const value = isRecord(field) ? field.default : undefined;
    return [name, Array.isArray(value) ? value.filter(each => texts.includes(valueText(each))) : value];
  });
  return Object.fromEntries(shown);
}
