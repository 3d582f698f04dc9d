/** One whole reply, for programs and checks: the stream, drained. */
import type { AssistantMessage, StopReason } from '../run/messages/message.js';
import type { ModelProvider, ModelRequest, ReportedUsage } from './provider/provider.js';
import { ReplyDraft } from './reply/reply-draft.js';
import { DEFAULT_STREAM_LIMITS, type StreamLimits } from './sdk/run-stream.js';
import { withWrittenCalls } from './tool-syntax/as-text.js';
import { runWithTools } from './tool-syntax/run-with-tools.js';

/** What a request asks for where it does not say: text, without tools, all else as the endpoint has it. */
export const PLAIN_REQUEST: Omit<ModelRequest, 'model' | 'messages' | 'pictures'> = {
  prefix: 'own',
  system: '',
  tools: [],
  output: 'text',
  dialect: 'component',
  toolChoice: 'auto',
  toolSyntax: null,
  temperature: null,
  topP: null,
  reasoning: null,
  stop: [],
  maxOutputTokens: null,
  cacheKey: null,
};

export type CompletionRequest = Pick<ModelRequest, 'model' | 'messages'> & Partial<ModelRequest>;

export interface CompletionOptions {
  signal?: AbortSignal;
  limits?: Partial<StreamLimits>;
}

export interface Completion {
  content: AssistantMessage['content'];
  /** Of its text blocks. */
  text: string;
  stopReason: Exclude<StopReason, 'interrupted'>;
  /** As the endpoint reports it; null where it does not. */
  usage: ReportedUsage | null;
  servedModel: string | null;
}

/** Throws `ModelCallError`, and the signal's reason where that ended the call. Tries nothing twice. */
export async function complete(
  provider: ModelProvider,
  asked: CompletionRequest,
  { signal = new AbortController().signal, limits }: CompletionOptions = {},
): Promise<Completion> {
  const request = { ...PLAIN_REQUEST, ...asked };
  const draft = new ReplyDraft(`${provider.name}/${request.model}`);
  const run = { provider, request, draft, signal, limits: { ...DEFAULT_STREAM_LIMITS, ...limits } };
  const { codec } = await runWithTools({ ...run, onText: () => undefined });
  if (!draft.end) throw signal.reason;
  const { stopReason, servedModel } = draft.end;
  const { tools } = request;
  const native = draft.whole('call', tools);
  const reply = { text: draft.text, callId: 'call', tools, cut: stopReason === 'max_tokens' };
  const written = codec && withWrittenCalls(native, reply, codec);
  const content = written ?? native;
  const text = content.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('\n');
  return { content, text, stopReason: written ? 'tool_use' : stopReason, usage: draft.usage, servedModel };
}
