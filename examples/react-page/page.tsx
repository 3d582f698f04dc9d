/** @jsxImportSource react */
/** A run in a page: it is given a goal, and shows what it plans, says and asks. */
import { type FormEvent, StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { createKit } from 'steersman/components';
import { Content, startRun, useRun } from 'steersman/react';

const kit = createKit();

function App() {
  const [id, setId] = useState(location.hash.slice(1) || null);
  const { messages, live, plan, gates, ended, connection, send, answer, stop } = useRun(id);
  const say = async (text: string) => {
    if (id !== null && !ended) return void (await send(text));
    const next = await startRun(text, id === null ? {} : { after: id });
    location.hash = next;
    setId(next);
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    say(String(new FormData(form).get('text'))).then(() => form.reset(), alert);
  };
  return (
    <main>
      <p>{plan.map(({ status, description }) => `${status}: ${description}`).join(' · ')}</p>
      {messages.map(({ key, by, role, text }) => (
        <section key={key}>
          <strong>{by === 'person' ? 'You' : role}</strong> <Content kit={kit} text={text} />
        </section>
      ))}
      {live.map(({ callId, role, text }) => (
        <section key={callId} aria-busy="true">
          <strong>{role}</strong> <Content kit={kit} text={text} live />
        </section>
      ))}
      {gates.map(({ id: gate, title }) => (
        <section key={gate} role="alert">
          <p>{title}</p>
          <button type="button" onClick={() => answer(gate, { decision: 'approve' })}>
            Approve
          </button>
          <button type="button" onClick={() => answer(gate, { decision: 'deny', reason: 'Not so.' })}>
            Deny
          </button>
        </section>
      ))}
      <form onSubmit={submit}>
        <input name="text" aria-label="Message" required />
        <button type="submit">Send</button>
        <button type="button" disabled={id === null || ended} onClick={stop}>
          Stop
        </button>
      </form>
      <footer>{connection}</footer>
    </main>
  );
}

const root = document.querySelector('#app');
if (root)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
