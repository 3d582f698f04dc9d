/** Chunks of the UI message stream of the AI SDK (version 1), as clients from `ai` 6 on read them. Types only. */

interface OfTool {
  toolCallId: string;
  /** Set for calls that the run makes itself: the client is not asked to run them. */
  providerExecuted?: true;
}

interface OwnMetadata {
  steersman: Record<string, unknown>;
}

export type UiChunk =
  | { type: 'start'; messageId?: string }
  | { type: 'message-metadata'; messageMetadata: OwnMetadata }
  | { type: 'start-step' | 'finish-step' }
  | { type: 'text-start' | 'reasoning-start'; id: string; providerMetadata?: OwnMetadata }
  | { type: 'text-delta' | 'reasoning-delta'; id: string; delta: string }
  | { type: 'text-end' | 'reasoning-end'; id: string }
  | ({ type: 'tool-input-start'; toolName: string; dynamic: true } & OfTool)
  | { type: 'tool-input-delta'; toolCallId: string; inputTextDelta: string }
  | ({ type: 'tool-input-available'; toolName: string; input: unknown; dynamic: true } & OfTool)
  | ({ type: 'tool-output-available'; output: unknown } & OfTool)
  | { type: 'tool-approval-request'; approvalId: string; toolCallId: string }
  /** A part with an `id` replaces the earlier one of its message. `transient`: clients do not add it to the message. */
  | { type: `data-${string}`; id?: string; data: unknown; transient?: true }
  | { type: 'finish'; finishReason: 'stop' | 'tool-calls' | 'other'; messageMetadata?: OwnMetadata }
  | { type: 'error'; errorText: string };
