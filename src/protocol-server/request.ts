/** A request in the form of chat completions: what scripts read, whatever the protocol. */

interface WireToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/** A message as clients of chat completions send it. */
export interface WireMessage {
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  content?: string | null | { type: string; text?: string }[];
  tool_calls?: WireToolCall[];
  tool_call_id?: string;
}

/** A request in the form of chat completions, which scripts read whatever the protocol; other fields as they came. */
export interface WireBody {
  model: string;
  messages: WireMessage[];
  tools?: { type: 'function'; function: { name: string; description?: string; parameters?: object } }[];
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
  response_format?: { type: string; json_schema?: { name: string; strict?: boolean; schema: object } };
  temperature?: number;
  max_tokens?: number;
  max_completion_tokens?: number;
  [other: string]: unknown;
}

/** The text of a wire message; empty when it has none. */
export function wireText(message: WireMessage): string {
  if (typeof message.content === 'string') return message.content;
  return (message.content ?? []).map(part => part.text ?? '').join('');
}
