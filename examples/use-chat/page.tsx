/** @jsxImportSource react */
/** A chat of the AI SDK with a run. The browser stores it, and it continues after a reload. */
import { Chat, useChat } from '@ai-sdk/react';
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from 'ai';
import { type ComponentProps, type FormEvent, useEffect } from 'react';
import { createRoot } from 'react-dom/client';

/** `since`: the run's own event after which the message begins. */
type Message = UIMessage<
  { steersman?: { run?: string; since?: number } },
  { reset: { messageIds: string[] }; gate: { message?: string; reason?: string; closed: boolean } }
>;

const id = location.hash.slice(1) || crypto.randomUUID();
location.hash = id;
const kept = JSON.parse(localStorage.getItem(id) ?? '[]') as Message[];
// Makes the chat itself: with a chat that useChat makes, a stream that was cut off would be shown twice.
const chat: Chat<Message> = new Chat<Message>({
  ...{ id, messages: kept },
  transport: new DefaultChatTransport({
    api: '/chat',
    prepareReconnectToStreamRequest: ({ api }) => {
      const { id: message = '', role, metadata } = chat.lastMessage ?? {};
      const { run = '', since = 0 } = metadata?.steersman ?? {};
      const place = new URLSearchParams({ message, run, since: String(since) });
      return { api: `${api}/${id}/stream?${role === 'assistant' && run !== '' ? place : ''}` };
    },
  }),
  sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
});
const Button = (given: ComponentProps<'button'>) => <button type="button" {...given} />;

function Page() {
  const { messages, status, error, sendMessage, resumeStream } = useChat({ chat, resume: kept.length > 0 });
  useEffect(() => localStorage.setItem(id, JSON.stringify(messages)), [messages]);
  const asked = messages.at(-1)?.parts.findLast(part => part.type === 'data-gate' && !part.data.closed);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget).get('text'));
    event.currentTarget.reset();
    const isAnswer = asked?.type === 'data-gate' && asked.data.reason === 'input_required';
    const answers = [{ id: asked?.type === 'data-gate' && asked.id, payload: { text } }];
    void (isAnswer ? sendMessage(undefined, { body: { answers } }) : sendMessage({ text }));
  };
  return (
    <main>
      {messages.map(message => (
        <section key={message.id} className={message.role}>
          <strong>{message.role}</strong> <Parts of={message} />
        </section>
      ))}
      {error && (
        <p role="alert">
          {error.message} <Button onClick={() => resumeStream()}>Go on</Button>
        </p>
      )}
      <form onSubmit={submit}>
        <input name="text" aria-label="Message" required />
        <button type="submit">Send</button>
      </form>
      <footer>{status}</footer>
    </main>
  );
}

/** Leaves out texts of a model call that was made again later. */
function Parts({ of: { parts } }: { of: Message }) {
  const dropped = parts.flatMap(part => (part.type === 'data-reset' ? part.data.messageIds : []));
  return parts.map((part, at) => {
    if (part.type === 'text')
      return !dropped.includes(String(part.providerMetadata?.steersman?.id)) && <p key={at}>{part.text}</p>;
    if (part.type === 'data-gate') return !part.data.closed && <pre key={at}>{part.data.message}</pre>;
    if (part.type !== 'dynamic-tool') return null;
    const answer = (approved: boolean) =>
      part.approval && chat.addToolApprovalResponse({ id: part.approval.id, approved });
    return (
      <p key={at}>
        {part.toolName}: {part.state}
        {part.state === 'approval-requested' && (
          <>
            <Button onClick={() => answer(true)}>Approve</Button>
            <Button onClick={() => answer(false)}>Deny</Button>
          </>
        )}
      </p>
    );
  });
}

const root = document.querySelector('#app');
if (root) createRoot(root).render(<Page />);
