/** Shows the app of a tool's result: a frame of another origin, and the host that communicates with it. */
import { effect, useSignal } from '@preact/signals';
import type { ToolItem } from '@steersman/view';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { isRecord } from 'steersman/base';
import { about } from '../about.js';
import { get, post, runAt, runPath } from '../ask.js';
import { proposeText } from '../components/proposals.js';
import { Confirm } from '../parts/dialog.js';
import { Fault, faultWords } from '../parts/sending.js';
import { EarlyClick, useStill } from '../parts/still.js';
import type { RunModel } from '../run-model.js';
import { followed } from '../state.js';
import { language, t } from '../words/words.js';
import { AppHost, type HostCall, type HostWorld, type Json } from './host.js';

const FIRST_HEIGHT = 240;
const TEARDOWN_MS = 1_000;

interface AppViewProps {
  item: ToolItem & { app: NonNullable<ToolItem['app']> };
  runId: string;
  onClose: () => void;
}

type Owner = Pick<AppViewProps, 'item' | 'runId'>;
type Frame = { readonly current: HTMLIFrameElement | null };

interface Shown extends HostCall {
  csp: unknown;
}

export default function AppView({ item, runId, onClose }: AppViewProps) {
  const { server } = item.app;
  const frame = useRef<HTMLIFrameElement>(null);
  const shown = useSignal<Shown | null>(null);
  const fault = useSignal<string | null>(null);
  const link = useLink();
  useEffect(() => {
    readShown(item, runAt(runId, item.path)).then(
      read => (shown.value = read),
      error => (fault.value = faultWords(error)),
    );
  }, []);
  const { value: call } = shown;
  const host = useHost({ item, runId }, frame, call, link.ask);
  return (
    <section class="app" aria-label={t('appOf', { server })}>
      <header>
        <span class="chip">{t('appOf', { server })}</span>
        {!host.isReady && <span class="muted">{t('appWaits')}</span>}
        <button type="button" class="quiet small" onClick={() => void host.teardown().then(onClose)}>
          {t('appClose')}
        </button>
      </header>
      <Fault of={fault.value} />
      {call !== null && (
        <iframe
          ref={frame}
          title={t('appOf', { server })}
          sandbox="allow-scripts"
          referrerpolicy="no-referrer"
          height={host.height}
          src={frameUrl(call)}
        />
      )}
      {link.url !== null && <LinkQuestion server={server} url={link.url} answer={link.answer} />}
    </section>
  );
}

/** Connects the host with the app in the frame once `call` is loaded. */
function useHost(owner: Owner, frame: Frame, call: Shown | null, openLink: HostWorld['openLink']) {
  const height = useSignal(FIRST_HEIGHT);
  const isReady = useSignal(false);
  const host = useRef<AppHost | null>(null);
  // A layout effect runs before the frame can send its first message.
  useLayoutEffect(() => {
    if (call === null) return;
    const speaking = new AppHost(
      {
        post: message => frame.current?.contentWindow?.postMessage(message, '*'),
        now: () => performance.now(),
        context: contextNow,
        resize: to => (height.value = to),
        ready: () => (isReady.value = true),
        callTool: (tool, args) => callTool(owner, tool, args),
        openLink,
        propose: text => propose(owner, text),
      },
      call,
    );
    host.current = speaking;
    return hear(frame, speaking);
  }, [call]);
  const teardown = async () => {
    const waited = new Promise(resolve => setTimeout(resolve, TEARDOWN_MS));
    await Promise.race([host.current?.teardown(), waited]);
  };
  return { height: height.value, isReady: isReady.value, teardown };
}

/** The state of the link that a person is asked to confirm. */
function useLink() {
  const asked = useSignal<{ url: string; answer: (opens: boolean) => void } | null>(null);
  return {
    url: asked.value?.url ?? null,
    ask: async (url: string): Promise<boolean | null> => {
      // Only one link is shown at a time, so that it can't change just before a click.
      if (asked.value !== null) return null;
      return new Promise(answer => (asked.value = { url, answer }));
    },
    answer: (opens: boolean) => {
      const { url, answer } = asked.value ?? {};
      asked.value = null;
      if (opens && url !== undefined) window.open(url, '_blank', 'noopener,noreferrer');
      answer?.(opens);
    },
  };
}

/** The question appears whenever the app asks, so it ignores clicks until a person can have read it. */
function LinkQuestion(props: { server: string; url: string; answer: (opens: boolean) => void }) {
  const { ref, guard, isEarly } = useStill();
  return (
    <div ref={ref} onClickCapture={guard}>
      <Confirm
        title={t('appLink', { server: props.server })}
        text={props.url}
        yes={t('open')}
        onYes={() => props.answer(true)}
        onClose={() => props.answer(false)}
      >
        <EarlyClick of={isEarly} />
      </Confirm>
    </div>
  );
}

/** Only its window identifies the sender of a message. */
function hear(frame: Frame, host: AppHost): () => void {
  const take = (event: MessageEvent<unknown>) => {
    // Messages of other windows are not even deserialized.
    if (event.source !== null && event.source === frame.current?.contentWindow) host.take(event.data);
  };
  addEventListener('message', take);
  const dark = matchMedia(DARK);
  const changed = () => host.contextChanged();
  dark.addEventListener('change', changed);
  const stop = language.subscribe(changed);
  return () => {
    removeEventListener('message', take);
    dark.removeEventListener('change', changed);
    stop();
  };
}

const DARK = '(prefers-color-scheme: dark)';

function contextNow(): Json {
  return {
    theme: matchMedia(DARK).matches ? 'dark' : 'light',
    locale: language.peek() === 'zh' ? 'zh-CN' : 'en',
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    displayMode: 'inline',
    availableDisplayModes: ['inline'],
    platform: 'web',
  };
}

function frameUrl({ csp }: Shown): string {
  return `${about.value?.sandbox ?? ''}?csp=${encodeURIComponent(JSON.stringify(csp))}`;
}

async function readShown({ app }: AppViewProps['item'], owner: string): Promise<Shown> {
  const [page, { arguments: args, result }] = await Promise.all([
    stored(owner, app.page ?? ''),
    stored(owner, app.answer),
  ]);
  if (typeof page.html !== 'string') throw new Error(t('appGone'));
  return {
    uri: app.uri ?? '',
    html: page.html,
    csp: page.csp,
    arguments: recordOf(args),
    answer: recordOf(result),
  };
}

function recordOf(value: unknown): Json {
  return isRecord(value) ? value : {};
}

async function stored(owner: string, ref: string): Promise<Json> {
  const { text } = await get<{ text: string }>(runPath(owner, `stored?ref=${encodeURIComponent(ref)}`));
  return JSON.parse(text) as Json;
}

/** Calls a tool through the run, which asks a person if necessary. Returns the result that the run has recorded. */
async function callTool({ item, runId }: Owner, tool: string, args: Json): Promise<Json> {
  const owner = runAt(runId, item.path);
  const run = followed(runId);
  if (run === undefined) throw new Error(t('appGone'));
  const asked = { of: item.callId, tool, arguments: args };
  const { callId } = await post<{ callId: string }>(runPath(owner, 'call-tool'), asked);
  const { app, result: text } = await endOf(run, item.path, callId);
  if (app) return recordOf((await stored(owner, app.answer)).result);
  return { content: [{ type: 'text', text }], isError: true };
}

/** Returns false if the run has ended, so that the text can't be sent. */
function propose({ item, runId }: Owner, text: string): boolean {
  const run = followed(runId);
  if (run === undefined || run.ended) return false;
  proposeText(runId, item.app.server, text);
  return true;
}

function endOf(run: RunModel, path: string, callId: string): Promise<ToolItem> {
  return new Promise((resolve, reject) => {
    const stop = effect(() => {
      void run.version.value;
      const call = run.fold.items.findLast(
        item => item.kind === 'tool' && item.callId === callId && item.path === path,
      );
      if (call?.kind === 'tool' && call.ending !== null) resolve(call);
      else if (run.ended) reject(new Error(t('appEnded')));
      else return;
      queueMicrotask(() => stop());
    });
  });
}
