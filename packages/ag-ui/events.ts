/** The part of AG-UI that we use: events and messages that its versions 0.x and 1.0 share. */

/** A call in the form of chat completions. */
export interface AgUiToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/** `subagentRunId`: the sub-agent that wrote the message. */
export type AgUiMessage = { id: string; subagentRunId?: string } & (
  | { role: 'user'; content: string }
  | { role: 'assistant'; name?: string; content?: string; toolCalls?: AgUiToolCall[] }
  | { role: 'reasoning'; content: string }
  | { role: 'tool'; toolCallId: string; content: string; error?: string }
);

/** A gate at which a run waits. */
export interface AgUiInterrupt {
  id: string;
  reason: string;
  message: string;
  toolCallId?: string;
  responseSchema?: Record<string, unknown>;
  /** ISO 8601. */
  expiresAt?: string;
  subagentRunId?: string;
  metadata: Record<string, unknown>;
}

export type AgUiPatch =
  | { op: 'add' | 'replace'; path: string; value: unknown }
  | { op: 'remove'; path: string };

/** Only clients of 1.0 receive `cancelled` and `pendingToolCallIds`: those of 0.x refuse them. */
export type AgUiOutcome =
  | { type: 'success'; pendingToolCallIds?: string[] }
  | { type: 'interrupt'; interrupts: AgUiInterrupt[] }
  | { type: 'cancelled' };

/** Events of one model or tool call, or one agent. */
export type AgUiSpoken = { subagentRunId?: string } & (
  | { type: 'TEXT_MESSAGE_START'; messageId: string; role: 'assistant'; name: string }
  | { type: 'TEXT_MESSAGE_CONTENT'; messageId: string; delta: string }
  | { type: 'TEXT_MESSAGE_END'; messageId: string }
  | { type: 'REASONING_START' | 'REASONING_END'; messageId: string }
  | { type: 'REASONING_MESSAGE_START'; messageId: string; role: 'reasoning' }
  | { type: 'REASONING_MESSAGE_CONTENT'; messageId: string; delta: string }
  | { type: 'REASONING_MESSAGE_END'; messageId: string }
  | { type: 'TOOL_CALL_START'; toolCallId: string; toolCallName: string; parentMessageId: string }
  | { type: 'TOOL_CALL_ARGS'; toolCallId: string; delta: string }
  | { type: 'TOOL_CALL_END'; toolCallId: string }
  | { type: 'TOOL_CALL_RESULT'; messageId: string; toolCallId: string; content: string; role: 'tool' }
  /** The name begins with `steersman.`. */
  | { type: 'CUSTOM'; name: string; value: unknown }
);

/** Start and end of a sub-agent; one that continues in the next AG-UI run is suspended. */
export type AgUiAgent = { subagentRunId: string } & (
  | { type: 'SUBAGENT_STARTED'; name: string; parentSubagentRunId?: string; parentToolCallId?: string }
  | { type: 'SUBAGENT_FINISHED'; outcome: { type: 'success' } | { type: 'suspended' } }
  | { type: 'SUBAGENT_ERROR'; message: string; code?: string }
);

export type AgUiEvent =
  | { type: 'RUN_STARTED'; threadId: string; runId: string; protocolVersion?: string }
  | { type: 'RUN_FINISHED'; threadId: string; runId: string; result?: unknown; outcome?: AgUiOutcome }
  | { type: 'RUN_ERROR'; message: string; code: string }
  | { type: 'MESSAGES_SNAPSHOT'; messages: unknown[] }
  | { type: 'STATE_SNAPSHOT'; snapshot: unknown }
  | { type: 'STATE_DELTA'; delta: AgUiPatch[] }
  | {
      type: 'ACTIVITY_SNAPSHOT';
      messageId: string;
      activityType: string;
      content: Record<string, unknown>;
    }
  | { type: 'ACTIVITY_DELTA'; messageId: string; activityType: string; patch: AgUiPatch[] }
  | AgUiSpoken
  | AgUiAgent;
