/** @jsxImportSource react */
/** Shows a run in a page: a person gives it a goal, and sees what it plans, says and asks. */
import { type ComponentProps, type FormEvent, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { createKit } from 'steersman/components';
import { Content, choicesOf, startRun, useRun } from 'steersman/react';

const kit = createKit();
const tell = (sent: Promise<unknown>) => void sent.catch(alert);
const Button = (given: ComponentProps<'button'>) => <button type="button" {...given} />;

function App() {
  const [id, setId] = useState(location.hash.slice(1) || null);
  const { messages, live, plan, gates, snapshot, ended, connection, send, answer, stop } = useRun(id);
  const asked = gates.find(({ kind }) => kind === 'question');
  const say = async (text: string) => {
    if (asked) return answer(asked.id, { line: text });
    if (id !== null && !ended) return void (await send(text));
    location.hash = await startRun(text, id === null ? {} : { after: id });
    setId(location.hash.slice(1));
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    tell(say(String(new FormData(event.currentTarget).get('text'))));
    event.currentTarget.reset(); // The field is emptied, so that a second click sends nothing again.
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
      {gates.map(gate => (
        <section key={gate.id} role="alert">
          {gate.title} <pre>{gate.body}</pre>
          {choicesOf(gate).map(line => (
            <Button key={line} onClick={() => tell(answer(gate.id, { line }))} children={line} />
          ))}
        </section>
      ))}
      <form onSubmit={submit}>
        <input name="text" aria-label="Message" required />
        <button type="submit">Send</button>
        <Button disabled={id === null || ended} onClick={() => tell(stop())} children="Stop" />
      </form>
      <footer>{snapshot?.failure?.message ?? connection}</footer>
    </main>
  );
}

const root = document.querySelector('#app');
if (root) createRoot(root).render(<App />);
