/** The frame around every page: where one can go, what waits, and whether the page is up to date. */
import { useEffect } from 'preact/hooks';
import { RunPage } from './run-page.js';
import { RunsPage } from './runs-page.js';
import { go, path, streamState, trouble, waiting } from './state.js';
import { WaitingPage } from './waiting-page.js';

export function App() {
  const count = waiting.value?.length ?? 0;
  useEffect(() => {
    document.title = count > 0 ? `(${count}) Steersman` : 'Steersman';
  }, [count]);
  if (streamState.value === 'refused') return <NewLink />;
  return (
    <>
      <nav>
        <Tab to="/" name={`Waiting${count > 0 ? ` (${count})` : ''}`} />
        <Tab to="/runs" name="Runs" />
      </nav>
      <Banner />
      <main>{pageOf(path.value)}</main>
    </>
  );
}

function pageOf(at: string) {
  const [, name = '', id = ''] = at.split('/');
  if (name === 'runs' && id !== '') return <RunPage key={id} id={decodeURIComponent(id)} />;
  return name === 'runs' ? <RunsPage /> : <WaitingPage />;
}

function Tab({ to, name }: { to: string; name: string }) {
  const isHere = to === '/' ? path.value === '/' : path.value.startsWith(to);
  return (
    <a
      href={to}
      aria-current={isHere ? 'page' : undefined}
      onClick={event => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        go(to);
      }}
    >
      {name}
    </a>
  );
}

/** Says what this page can't know now: nothing that it shows is passed off as the present. */
function Banner() {
  const text =
    streamState.value === 'away'
      ? 'The console does not answer: this page is as it was, and comes back by itself.'
      : trouble.value;
  return text === null ? null : <p role="alert">{text}</p>;
}

function NewLink() {
  return (
    <main>
      <h1>This page needs a link</h1>
      <p>A link opens the console once. Make one in your terminal:</p>
      <pre>steersman console --open</pre>
    </main>
  );
}
