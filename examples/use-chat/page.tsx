/** @jsxImportSource react */
/** A chat of the AI SDK whose other side is a run. It is kept in this browser, and goes on when the page is loaded again. */
import { useChat } from '@ai-sdk/react';
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from 'ai';
import { type FormEvent, StrictMode, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';

/** `since`: the run's own event after which the message begins. */
type Message = UIMessage<{ steersman?: { run?: string; since?: number } }>;
type Part = Message['parts'][number];

const id = location.hash.slice(1) || crypto.randomUUID();
location.hash = id;
const kept = JSON.parse(localStorage.getItem(id) ?? '[]') as Message[];

const transport = new DefaultChatTransport<Message>({
  api: '/chat',
  prepareReconnectToStreamRequest: ({ api }) => {
    const last = kept.at(-1);
    const { run = '', since = 0 } = last?.metadata?.steersman ?? {};
    const place = new URLSearchParams({ message: last?.id ?? '', run, since: String(since) });
    return { api: `${api}/${id}/stream?${last?.role === 'assistant' && run !== '' ? place : ''}` };
  },
});

function Chat() {
  const [text, setText] = useState('');
  const { messages, sendMessage, addToolApprovalResponse, status, error } = useChat<Message>({
    ...{ id, transport, messages: kept, resume: kept.length > 0 },
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  useEffect(() => localStorage.setItem(id, JSON.stringify(messages)), [messages]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setText('');
    void sendMessage({ text });
  };
  const approve = (approvalId: string, approved: boolean) =>
    addToolApprovalResponse({ id: approvalId, approved });
  return (
    <main>
      {messages.map(({ id: key, role, parts }) => (
        <section key={key} className={role}>
          <strong>{role}</strong>
          {parts.map((part, at) => (
            // Parts have no ids, and only grow.
            <Shown key={at} part={part} approve={approve} />
          ))}
        </section>
      ))}
      {error && <p role="alert">{error.message}</p>}
      <form onSubmit={submit}>
        <input aria-label="Message" value={text} onChange={event => setText(event.target.value)} />
        <button type="submit">Send</button>
      </form>
      <footer>{status}</footer>
    </main>
  );
}

function Shown({ part, approve }: { part: Part; approve: (id: string, approved: boolean) => void }) {
  if (part.type === 'text') return <p>{part.text}</p>;
  if (part.type !== 'dynamic-tool') return null;
  return (
    <p>
      {part.toolName}: {part.state}
      {part.state === 'approval-requested' && (
        <>
          <button type="button" onClick={() => approve(part.approval.id, true)}>
            Approve
          </button>
          <button type="button" onClick={() => approve(part.approval.id, false)}>
            Deny
          </button>
        </>
      )}
    </p>
  );
}

const root = document.querySelector('#app');
if (root)
  createRoot(root).render(
    <StrictMode>
      <Chat />
    </StrictMode>,
  );
