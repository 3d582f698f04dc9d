/** Returns one whole reply, for programs and checks, by reading the stream to its end. */
import type { AssistantMessage, StopReason } from '../run/messages/message.js';
import {
  type CompletionRequest,
  type ModelProvider,
  PLAIN_REQUEST,
  type ReportedUsage,
} from './provider/provider.js';
import { ReplyDraft } from './reply/reply-draft.js';
import { DEFAULT_STREAM_LIMITS, type StreamLimits } from './sdk/run-stream.js';
import { withWrittenCalls } from './tool-syntax/as-text.js';
import { runWithTools } from './tool-syntax/run-with-tools.js';

export interface CompletionOptions {
  signal?: AbortSignal;
  limits?: Partial<StreamLimits>;
}

export interface Completion {
  content: AssistantMessage['content'];
  /** The reply's text blocks, one per line. */
  text: string;
  stopReason: Exclude<StopReason, 'interrupted'>;
  /** As the endpoint reports it; null if it reports no usage. */
  usage: ReportedUsage | null;
  servedModel: string | null;
}

/** Throws `ModelCallError`, or the signal's reason if the signal ended the call. A failed call is not repeated. */
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
