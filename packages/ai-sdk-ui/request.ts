/** A request of `useChat` as a request of AG-UI, which the console answers: texts, approvals, answers, results of tools. */
import { isRecord } from 'steersman/base';
import { z } from 'zod';

const TEXT = z.string().min(1);
const RECORD = z.record(z.string(), z.unknown());
const PART = z.union([
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: TEXT.refine(type => type !== 'text', 'a part with a text has it as a string') }),
]);
const MESSAGE = z.looseObject({
  id: TEXT,
  role: z.enum(['system', 'user', 'assistant']),
  parts: z.array(PART),
  metadata: z.unknown().optional(),
});
const ANSWER = z.union([
  z.looseObject({ id: TEXT, cancelled: z.literal(true) }),
  z.looseObject({ id: TEXT, payload: z.unknown() }),
]);

/** The body of `POST /chat`. Fields from `tools` on come from the options of `sendMessage` or of the transport. */
export const CHAT_REQUEST = z.looseObject({
  id: z.string().regex(/^\S{1,200}$/, 'must have 1 to 200 characters without spaces, for it names the run'),
  messages: z.array(MESSAGE),
  trigger: z.enum(['submit-message', 'regenerate-message']).optional(),
  tools: z
    .array(z.looseObject({ name: TEXT, description: z.string().optional(), parameters: RECORD.optional() }))
    .optional(),
  /** Answers of gates by the ids of their `data-gate` parts. */
  answers: z.array(ANSWER).optional(),
  /** Options of a start or a message: `mode`, `role`, `model`, `workspace`, `keepOpenSeconds`, `when`. */
  steersman: RECORD.optional(),
});

export type ChatRequest = z.infer<typeof CHAT_REQUEST>;
type UiMessage = z.infer<typeof MESSAGE>;
type UiPart = UiMessage['parts'][number];

/** The request for a thread of AG-UI. `knownCalls`: calls of the message that the answer continues. */
export function agUiRequest({ id: threadId, messages, tools, answers = [], steersman }: ChatRequest) {
  const own = new Set(tools?.map(({ name }) => name));
  const last = messages.at(-1);
  const continued = last?.role === 'assistant' ? last.parts : [];
  const resume = [...continued.flatMap(approvalIn), ...answers.map(answerIn)];
  return {
    input: {
      threadId,
      runId: crypto.randomUUID(),
      protocolVersion: '1.0',
      messages: messages.flatMap(message => wireMessages(message, own)),
      ...(tools && { tools }),
      ...(resume.length > 0 && { resume }),
      ...(steersman && { forwardedProps: { steersman } }),
    },
    clientTools: own,
    knownCalls: continued.flatMap(part => (typeof part.toolCallId === 'string' ? [part.toolCallId] : [])),
    isContinued: last?.role === 'assistant',
    answered: resume.map(({ interruptId }) => interruptId),
  };
}

function wireMessages({ id, role, parts }: UiMessage, own: ReadonlySet<string>): WireMessage[] {
  const texts = parts.flatMap(part => (part.type === 'text' ? [String(part.text)] : []));
  const pictures = parts.flatMap(pictureIn);
  const text = texts.join('\n\n');
  const content = pictures.length === 0 ? text : [{ type: 'text', text }, ...pictures];
  const calls = role === 'assistant' ? parts.filter(part => isOwnResult(part, own)) : [];
  if (calls.length === 0) return [{ id, role, content }];
  const toolCalls = calls.map(part => ({
    id: String(part.toolCallId),
    type: 'function' as const,
    function: { name: toolOf(part), arguments: JSON.stringify(part.input ?? {}) },
  }));
  return [
    { id, role, content, toolCalls },
    ...calls.map(part => ({
      id: `${String(part.toolCallId)}/result`,
      role: 'tool',
      toolCallId: String(part.toolCallId),
      content: typeof part.output === 'string' ? part.output : JSON.stringify(part.output ?? ''),
      ...(part.state === 'output-error' && { error: String(part.errorText) }),
    })),
  ];
}

/** A picture that comes as data, in the form of AG-UI; its addresses are not read. */
function pictureIn({ type, mediaType: mimeType, url, filename }: UiPart) {
  if (type !== 'file' || typeof url !== 'string' || !url.startsWith('data:image/')) return [];
  return [{ type: 'binary', mimeType, url, ...(typeof filename === 'string' && { filename }) }];
}

interface WireMessage {
  id: string;
  role: string;
  content: unknown;
  [more: string]: unknown;
}

/** True for the result of a tool that the client runs. */
function isOwnResult(part: UiPart, own: ReadonlySet<string>): boolean {
  const isDone = part.state === 'output-available' || part.state === 'output-error';
  return isDone && typeof part.toolCallId === 'string' && own.has(toolOf(part));
}

function toolOf({ type, toolName }: UiPart): string {
  return typeof toolName === 'string' ? toolName : type.replace(/^tool-/, '');
}

function approvalIn({ state, approval }: UiPart) {
  if (state !== 'approval-responded' || !isRecord(approval) || typeof approval.id !== 'string') return [];
  const { id: interruptId, approved, reason } = approval;
  const payload = { approved, ...(typeof reason === 'string' && { reason }) };
  return [{ interruptId, status: 'resolved' as const, payload }];
}

function answerIn(answer: z.infer<typeof ANSWER>) {
  const { id: interruptId } = answer;
  return 'cancelled' in answer && answer.cancelled === true
    ? { interruptId, status: 'cancelled' as const }
    : { interruptId, status: 'resolved' as const, payload: answer.payload };
}
