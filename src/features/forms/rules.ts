/** The signals of tool calls whose servers ask a person, and the text of the gate that a question opens. Pure. */
import { isRecord, type JsonSchema, MAX_JSON_DEPTH, nestsDeeper } from '../../base/json/json.js';
import { fenced } from '../../base/text/plain-markdown.js';
import { fill, type Words } from '../../base/words/words.js';
import type { GateText } from '../../rules/gates/gate-text.js';
import { type FormMessage, fieldLine, fitQuestion, formFields } from '../../run/gates/form.js';

const LONGEST_ID = 100;

/** Returns the message of a signal, or null if it is malformed: any client can send a signal. */
export function readFormMessage(raw: unknown): FormMessage | null {
  if (!isRecord(raw) || nestsDeeper(raw, MAX_JSON_DEPTH)) return null;
  const { callId, attempt, id, question } = raw;
  if (typeof callId !== 'string' || typeof attempt !== 'number' || typeof id !== 'string') return null;
  if (id.length > LONGEST_ID) return null;
  const by = raw.by === 'timeout' ? 'timeout' : 'superseded';
  if (!isRecord(question)) return { callId, attempt, id, question: null, by };
  const { message, schema } = question;
  if (typeof message !== 'string' || !isRecord(schema)) return null;
  const fits = fitQuestion({ message, schema });
  return fits && { callId, attempt, id, question: fits };
}

/** Returns a tool server's question: its own words and fields, fenced so that they can't pass for ours. */
export function formText(
  words: Words,
  { server, tool, message, schema }: { server: string; tool: string; message: string; schema: JsonSchema },
): GateText {
  const lines = [message, ...formFields(schema).map(fieldLine)].join('\n');
  return {
    title: fill(words.gateForm, { server }),
    body: [fill(words.gateFormSays, { tool }), fenced('', lines), words.gateFormSecrets].join('\n\n'),
  };
}
