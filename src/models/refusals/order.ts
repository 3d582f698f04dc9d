/** Rearranges a conversation for endpoints that refused its order. */
import type { Message, TextBlock, UserMessage } from '../../run/messages/message.js';
import { textOf, toolCallsOf } from '../../run/messages/message.js';
import type { ModelRequest, Picture } from '../provider/provider.js';
import { NO_PICTURES, picturesOf, shownResultText } from '../request/message-text.js';

const GO_ON = '(The conversation goes on.)';

/** From level 1 on the user's messages come first and last; from level 2 on calls and results are retold as user messages. */
export function inOrder(request: ModelRequest, level: number): ModelRequest {
  if (level === 0) return request;
  const reworded = level === 1 ? request.messages : inWords(request);
  const { messages, pictures } = joined(withUserAround(reworded), request.pictures ?? NO_PICTURES);
  return { ...request, messages, pictures };
}

function userMessage(text: string, like: Pick<Message, 'id' | 'at'>): UserMessage {
  return {
    id: like.id,
    at: like.at,
    kind: 'user',
    purpose: 'instruction',
    content: [{ type: 'text', text }],
  };
}

function inWords({ messages, pictures = NO_PICTURES }: ModelRequest): Message[] {
  const inputs = new Map(
    messages
      .flatMap(message => (message.kind === 'assistant' ? toolCallsOf(message) : []))
      .map(call => [call.id, call.input]),
  );
  return messages.flatMap((message): Message[] => {
    if (message.kind === 'tool_result') {
      const [{ toolName, toolUseId }] = message.content;
      const args = JSON.stringify(inputs.get(toolUseId) ?? {});
      return [
        userMessage(
          `You called ${toolName} with ${args}. Its result:\n${shownResultText(message, pictures)}`,
          message,
        ),
      ];
    }
    if (message.kind !== 'assistant') return [message];
    const text = textOf(message);
    const content: TextBlock[] = [{ type: 'text', text }];
    return text.trim() === '' ? [] : [{ ...message, content }];
  });
}

function withUserAround(messages: readonly Message[]): Message[] {
  const [first] = messages;
  const last = messages.at(-1);
  const before =
    first && first.kind !== 'user' ? [userMessage(GO_ON, { ...first, id: `${first.id}-before` })] : [];
  const after = last?.kind === 'assistant' ? [userMessage(GO_ON, { ...last, id: `${last.id}-after` })] : [];
  return [...before, ...messages, ...after];
}

/** Merges consecutive user messages, with their pictures. */
function joined(messages: readonly Message[], pictures: ModelRequest['pictures'] & object) {
  const joinedMessages: Message[] = [];
  const shown = new Map<string, readonly Picture[]>(pictures);
  for (const message of messages) {
    const last = joinedMessages.at(-1);
    if (last?.kind !== 'user' || message.kind !== 'user') {
      joinedMessages.push(message);
      continue;
    }
    joinedMessages[joinedMessages.length - 1] = {
      ...last,
      content: [{ type: 'text', text: `${textOf(last)}\n\n${textOf(message)}` }],
    };
    const both = [...(shown.get(last.id) ?? []), ...picturesOf(message, pictures)];
    if (both.length > 0) shown.set(last.id, both);
  }
  return { messages: joinedMessages, pictures: shown };
}
