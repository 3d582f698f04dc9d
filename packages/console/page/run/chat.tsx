/** The conversation of a run: its last entries, earlier ones on demand, and the replies in progress. */
import { type Signal, useSignal } from '@preact/signals';
import { type CallInFlight, type Item, lastWords, recordedAnswer } from '@steersman/view';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { endOf } from 'steersman/run';
import { ReplyContent } from '../parts/content.js';
import { Earlier } from '../parts/earlier.js';
import { Fold } from '../parts/fold.js';
import { type Place, stillFollows } from '../parts/following.js';
import type { RunModel } from '../run-model.js';
import { hash } from '../state.js';
import { t } from '../words/words.js';
import { Entry } from './entry.js';
import { eventId, eventPlace, itemOf } from './event-place.js';
import { UnsettledMessages } from './messages.js';

const DRAWN = 200;
const OWN_ONLY = 'steersman-own-only';

export function Chat({ run }: { run: RunModel }) {
  void run.version.value;
  const drawn = useSignal(DRAWN);
  const ownOnly = useSignal(sessionStorage.getItem(OWN_ONLY) !== 'no');
  const all = itemsOf(run);
  // An open gate is drawn below, with its form.
  const shown = all.filter(item => item.kind !== 'gate' || item.closed !== null);
  const items = ownOnly.value ? shown.filter(({ path }) => path === '') : shown;
  const hasAgents = all.some(({ path }) => path !== '');
  const first = Math.max(0, items.length - drawn.value);
  const recorded = recordedAnswer(run.fold, run.snapshot);
  useEvent(run, { ownOnly, drawn });
  return (
    <section class="chat" aria-label={t('conversation')}>
      {hasAgents && (
        <label class="own-only muted">
          <input
            type="checkbox"
            checked={!ownOnly.value}
            onChange={event => {
              ownOnly.value = !event.currentTarget.checked;
              sessionStorage.setItem(OWN_ONLY, ownOnly.value ? 'yes' : 'no');
            }}
          />{' '}
          {t('showAgents')}
        </label>
      )}
      {run.from === null ? (
        // Waits until all events arrived, so that earlier entries are not drawn one after another.
        <p class="muted">{t('loading')}</p>
      ) : (
        <>
          <Earlier
            run={run}
            isHidden={first > 0}
            isNear={first < DRAWN}
            onMore={() => (drawn.value += DRAWN)}
          />
          {items.slice(first).map(item => (
            <Entry key={item.key} item={item} runId={run.id} />
          ))}
          {recorded !== null && <Entry item={recorded} runId={run.id} />}
        </>
      )}
      <Live run={run} />
      <UnsettledMessages run={run} />
    </section>
  );
}

/** A message that became a goal is drawn as that goal. */
function itemsOf({ fold }: RunModel): Item[] {
  return fold.items.filter(item => item.kind !== 'message' || !item.becameGoal);
}

/** Leads to the event that the address names: reads it if necessary, draws it and scrolls to it. */
function useEvent(
  run: RunModel,
  { ownOnly, drawn }: { ownOnly: Signal<boolean>; drawn: Signal<number> },
): void {
  const place = eventPlace(hash.value);
  const isRead = run.from !== null;
  useEffect(() => {
    if (place === null || !isRead) return undefined;
    let open = true;
    void (async () => {
      while (open && place.path === '' && run.from !== null && place.seq < run.from)
        await run.readEarlier().catch(() => (open = false));
      const items = itemsOf(run);
      const item = items[itemOf(items, place)];
      if (!open || item === undefined) return;
      if (place.path !== '') ownOnly.value = false;
      drawn.value = Math.max(drawn.value, items.length - items.indexOf(item) + AROUND);
      requestAnimationFrame(() => {
        const element = document.getElementById(eventId(item));
        for (const other of document.querySelectorAll('.event.named')) other.classList.remove('named');
        element?.classList.add('named');
        element?.scrollIntoView({ block: 'center' });
        element?.focus({ preventScroll: true });
      });
    })();
    return () => {
      open = false;
    };
  }, [hash.value, isRead]);
}

/** Entries that are drawn before the named one. */
const AROUND = 20;

/** Draws the partial texts of calls in flight. */
function Live({ run }: { run: RunModel }) {
  void run.version.value;
  const { calls, children, tools } = run.progress;
  return (
    <>
      {[...calls].map(([callId, call]) => (
        <article key={callId} class="entry live" aria-busy="true">
          <header>
            <strong>{call.role}</strong> <span class="muted">{call.model}</span>
          </header>
          <LiveReply form={call.form} heard={call.heard} />
        </article>
      ))}
      {[...tools].map(([callId, { tool, progress }]) =>
        progress === null ? null : (
          <p key={callId} class="muted">
            {tool}: {progress}
          </p>
        ),
      )}
      {[...children].flatMap(([path, child]) =>
        [...child.calls].map(([callId, call]) => (
          <p key={`${path} ${callId}`} class="muted agent-live">
            {path}: {call.role} {lastWords(call, 160)}
          </p>
        )),
      )}
    </>
  );
}

/** Takes single values: the call is the same object after a change, and would not be drawn again. */
function LiveReply({ form, heard }: Pick<CallInFlight, 'form' | 'heard'>) {
  const { text, reasoning } = heard;
  const hole = text.from > 0;
  return (
    <>
      {reasoning.text !== '' && (
        <Fold class="reasoning" summary={t('thinking', { count: endOf(reasoning) })}>
          {() => <p>…{reasoning.text.slice(-THOUGHT_CHARS)}</p>}
        </Fold>
      )}
      {text.text === '' ? (
        reasoning.text === '' && <p class="muted dots">{t('waitsForModel')}</p>
      ) : hole && form === 'json' ? (
        // JSON whose beginning was missed can't be separated into text and data.
        <p class="muted">{t('writes')}</p>
      ) : (
        <ReplyContent live text={hole ? `…${text.text}` : text.text} form={form} />
      )}
    </>
  );
}

const THOUGHT_CHARS = 500;

function placeNow(): Place {
  const { scrollTop: top, scrollHeight: height, clientHeight: view } = document.documentElement;
  return { top, height, view };
}

/** Scrolls to the end as the page grows, while the reader is at the end. After scrolling up the page stays in place. */
export function FollowEnd({ children }: { children: ComponentChildren }) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let follows = true;
    let last = placeNow();
    const look = () => {
      const now = placeNow();
      follows = stillFollows(follows, last, now);
      last = now;
    };
    const observer = new ResizeObserver(() => {
      look();
      if (!follows) return;
      document.documentElement.scrollTop = document.documentElement.scrollHeight;
      last = placeNow();
    });
    if (ref.current) observer.observe(ref.current);
    addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      removeEventListener('scroll', look);
    };
  }, []);
  return <div ref={ref}>{children}</div>;
}
