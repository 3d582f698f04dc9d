/** The frame around every page: navigation, the number of open gates, and whether the page is up to date. */
import { lazily } from '@steersman/components';
import { useEffect } from 'preact/hooks';
import { decoded } from 'steersman/base';
import { keysOpen } from '../keys.js';
import { Link } from '../parts/link.js';
import { path, streamState, trouble, waiting } from '../state.js';
import { keepToken } from '../token.js';
import { asked } from '../waiting/notify.js';
import { language, said, speak, t } from '../words/words.js';

const KeysHelp = lazily(() => import('../parts/keys-help.js').then(({ KeysHelp }) => KeysHelp));
const HomePage = lazily(() => import('../home/home-page.js').then(({ HomePage }) => HomePage));
const RunPage = lazily(() => import('../run/run-page.js').then(({ RunPage }) => RunPage));
const RunsPage = lazily(() => import('../runs/runs-page.js').then(({ RunsPage }) => RunsPage));
const SessionPage = lazily(() =>
  import('../sessions/session-page.js').then(({ SessionPage }) => SessionPage),
);

export function App() {
  const count = waiting.value?.length ?? 0;
  useEffect(() => {
    document.title = count > 0 ? `(${count}) Steersman` : 'Steersman';
  }, [count]);
  if (streamState.value === 'refused') return <NewLink />;
  return (
    <>
      <nav class="top" aria-label={t('pages')}>
        <span class="brand">Steersman</span>
        <Tab to="/" name={t('home')} count={count} />
        <Tab to="/runs" name={t('runs')} />
        <span class="spacer" />
        <Liveness />
        <button
          type="button"
          class="quiet small"
          aria-label={t('otherLanguage')}
          onClick={() => void speak(language.value === 'en' ? 'zh' : 'en')}
        >
          {language.value === 'en' ? '中' : 'EN'}
        </button>
        <button
          type="button"
          class="quiet small"
          aria-label={t('keys')}
          onClick={() => (keysOpen.value = true)}
        >
          ?
        </button>
      </nav>
      <Banner />
      <p class="sr" role="status" aria-live="assertive">
        {asked.value}
      </p>
      <main>{pageOf(path.value)}</main>
      {keysOpen.value && <KeysHelp />}
    </>
  );
}

function pageOf(at: string) {
  const [, name = '', part = ''] = at.split('/');
  const id = decoded(part);
  if (name === 'runs') return id === '' ? <RunsPage /> : <RunPage key={id} id={id} />;
  // Conversations and runs are one list.
  if (name === 'sessions') return id === '' ? <RunsPage /> : <SessionPage key={id} id={id} />;
  return <HomePage />;
}

function Tab({ to, name, count = 0 }: { to: string; name: string; count?: number }) {
  const isHere = (path.value === '/') === (to === '/');
  return (
    <Link to={to} aria-current={isHere ? 'page' : undefined}>
      {name}
      {count > 0 && <span class="count">{count}</span>}
    </Link>
  );
}

function Liveness() {
  const state = trouble.value === null ? streamState.value : 'away';
  const words = { live: t('live'), connecting: t('connecting'), away: t('notLive'), refused: t('notLive') };
  return (
    <span class={`liveness ${state}`} role="status">
      {words[state]}
    </span>
  );
}

/** Says that the shown data may be outdated, so that no person takes it for current. */
function Banner() {
  const text = streamState.value === 'away' ? t('consoleAway') : trouble.value && said(trouble.value);
  return text === null ? null : (
    <p class="banner" role="alert">
      {text}
    </p>
  );
}

function NewLink() {
  return (
    <main class="new-link">
      <h1>{t('needsLink')}</h1>
      <p>{t('needsLinkText')}</p>
      <pre>{`steersman console --open\n\n# ${t('inClone')}\nnpm run client -- console --open`}</pre>
      <p>{t('orToken')}</p>
      <form
        class="actions"
        onSubmit={event => {
          event.preventDefault();
          const given = new FormData(event.currentTarget).get('token');
          keepToken(String(given).trim());
          location.reload();
        }}
      >
        <input
          class="reason"
          type="password"
          name="token"
          autocomplete="off"
          required
          aria-label={t('token')}
        />
        <button type="submit" class="main">
          {t('open')}
        </button>
      </form>
    </main>
  );
}
