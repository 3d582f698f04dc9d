/** The form of a new run: its goal, its mode, and its folder. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { about, readAbout } from '../about.js';
import { post } from '../ask.js';
import { draft, forget } from '../parts/draft.js';
import { Fold } from '../parts/fold.js';
import { runHref } from '../parts/link.js';
import { Fault, TextArea, useSending } from '../parts/sending.js';
import { go } from '../state.js';
import { t } from '../words/words.js';

interface StartProps {
  /** Id of the conversation that the new run continues. */
  session?: string;
  /** Id of an ended run whose goals and answers the new run knows. */
  after?: string;
  /** Default: the console's folder. */
  workspace?: string | null;
}

export function StartForm(props: StartProps) {
  const { session, after } = props;
  const goesOn = session ?? after;
  return (
    <Fold class="start" summary={goesOn === undefined ? t('newRun') : t('goOn')} open={after !== undefined}>
      {() => <Fields {...props} />}
    </Fold>
  );
}

function Fields({ session, after, workspace: first = null }: StartProps) {
  const name = `start ${session ?? after ?? ''}`;
  const goal = draft(name);
  const mode = useSignal('');
  const workspace = useSignal(first);
  const keepOpen = useSignal(true);
  const sending = useSending();
  useEffect(readAbout, []);
  const start = () =>
    sending.send(async () => {
      const body = {
        requestId: requestFor(name, goal.value),
        goal: goal.value.trim(),
        ...(mode.value !== '' && { mode: mode.value }),
        ...(workspace.value !== null && { workspace: workspace.value }),
        ...(session !== undefined && { session }),
        ...(after !== undefined && { after }),
        ...(keepOpen.value && { keepOpenSeconds: KEEP_OPEN_SECONDS }),
      };
      const { id } = await post<{ id: string }>('runs', body);
      forget(name, requestOf(name));
      go(runHref(id));
    });
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        void start();
      }}
    >
      <TextArea
        label={t('goal')}
        placeholder={t('goalHint')}
        rows={3}
        text={goal}
        onSend={() => void start()}
      />
      <div class="actions">
        <HowItRuns mode={mode} workspace={workspace} keepOpen={keepOpen} />
        <button type="submit" class="main" disabled={sending.busy || goal.value.trim() === ''}>
          {sending.busy ? t('sending') : t('start')}
        </button>
      </div>
      <Fault of={sending.fault} />
    </form>
  );
}

interface HowProps {
  /** Empty: the default mode. */
  mode: Signal<string>;
  /** Null: the console's folder. */
  workspace: Signal<string | null>;
  keepOpen: Signal<boolean>;
}

function HowItRuns({ mode, workspace, keepOpen }: HowProps) {
  return (
    <>
      <label>
        {t('mode')}{' '}
        <select value={mode.value} onChange={event => (mode.value = event.currentTarget.value)}>
          <option value="">{t('defaultMode')}</option>
          {about.value?.modes.map(each => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
      <label class="grow">
        {t('workspace')}{' '}
        <input
          value={workspace.value ?? about.value?.workspace ?? ''}
          onInput={event => (workspace.value = event.currentTarget.value)}
        />
      </label>
      <label>
        <input
          type="checkbox"
          checked={keepOpen.value}
          onChange={event => (keepOpen.value = event.currentTarget.checked)}
        />{' '}
        {t('keepOpen')}
      </label>
    </>
  );
}

const requestOf = (name: string) => `${name} request`;

/** Returns the request id of this goal. It survives a reload, so that a repeated request starts no second run. */
function requestFor(name: string, goal: string): string {
  const kept = draft(requestOf(name));
  const [id = '', ...of] = kept.value.split(' ');
  if (id === '' || of.join(' ') !== goal) kept.value = `${crypto.randomUUID()} ${goal}`;
  return kept.value.split(' ', 1)[0] ?? '';
}

/** An answered run waits this long for the next goal. */
const KEEP_OPEN_SECONDS = 1_800;
