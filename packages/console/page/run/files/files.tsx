/** Shows the files that a run's tools wrote, each as a difference from before the run, and the commands that it ran. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { escapeUnseen, parseRecord, visibleText } from 'steersman/base';
import type { RunSnapshot, ThreadTranscript, ToolInput } from 'steersman/client';
import { get, runPath } from '../../ask.js';
import { Fold } from '../../parts/fold.js';
import { Fault, faultWords } from '../../parts/sending.js';
import { Compare } from '../../parts/text/compare.js';
import { Diff } from '../../parts/text/diff.js';
import { Ago } from '../../parts/time.js';
import type { RunModel } from '../../run-model.js';
import { named, t } from '../../words/words.js';
import { type ChangedFile, type Changes, changesIn, comparison, type FileCall } from './changed-files.js';

export function Files({ run }: { run: RunModel }) {
  void run.version.value;
  const threads = useSignal<ThreadTranscript[] | null>(null);
  const fault = useSignal<string | null>(null);
  const ended = run.events.filter(({ type }) => type === 'tool_call_ended').length;
  useEffect(() => {
    get<ThreadTranscript[]>(runPath(run.id, 'transcript')).then(
      found => {
        threads.value = found;
        fault.value = null;
      },
      error => (fault.value = faultWords(error)),
    );
  }, [ended]);
  if (threads.value === null)
    return fault.value === null ? <p class="muted">{t('loading')}</p> : <Fault of={fault.value} />;
  const changes = changesIn(threads.value, editedAtGates(run));
  if (changes.files.length + changes.commands.length === 0) return <p class="empty">{t('noFiles')}</p>;
  return (
    <section class="panel" aria-label={t('files')}>
      {changes.files.map(file => (
        <FileView key={file.path} run={run} file={file} isOnly={changes.files.length === 1} />
      ))}
      <Commands changes={changes} snapshot={run.snapshot} />
      {(run.snapshot?.children.length ?? 0) > 0 && <p class="muted">{t('filesOfAgents')}</p>}
    </section>
  );
}

/** The messages have what the model wrote, the events what a person made of it. */
function editedAtGates({ events }: RunModel): Map<string, ToolInput> {
  return new Map(
    events.flatMap(event => {
      if (event.type !== 'tool_call_started' || event.edited !== true || event.toolUseId === undefined)
        return [];
      const input = parseRecord(event.arguments);
      return input === null ? [] : [[event.toolUseId, input] as const];
    }),
  );
}

function FileView({ run, file, isOnly }: { run: RunModel; file: ChangedFile; isOnly: boolean }) {
  const last = file.calls.at(-1);
  return (
    <Fold
      class="artifact"
      open={isOnly}
      summary={
        <>
          <strong>{visibleText(file.path)}</strong>{' '}
          <span class="muted">
            {t('changesOfFile', { count: file.calls.length })} {last && <Ago at={last.at} />}
          </span>
          {last?.act.kind === 'delete' && <span class="chip bad">{t('fileGone')}</span>}
        </>
      }
    >
      {() => <FileChange run={run} file={file} />}
    </Fold>
  );
}

function FileChange({ run, file }: { run: RunModel; file: ChangedFile }) {
  const seen = isFirstGoal(run)
    ? run.snapshot?.filesBefore.find(each => each.path === file.path || each.named === file.path)
    : undefined;
  const before = useSignal<string | null | undefined>(seen?.isNew ? null : undefined);
  const isRead = useSignal(seen === undefined || seen.isNew || seen.ref === null);
  useEffect(() => {
    if (seen === undefined || seen.isNew || seen.ref === null) return;
    get<{ text: string }>(runPath(run.id, `stored?ref=${encodeURIComponent(seen.ref)}`)).then(
      ({ text }) => {
        before.value = text;
        isRead.value = true;
      },
      () => {
        isRead.value = true;
      },
    );
  }, [seen?.ref]);
  if (!isRead.value) return <p class="muted">{t('loading')}</p>;
  const compared = comparison(file.calls, before.value);
  if (compared !== null)
    return (
      <>
        <p class="muted">{t(seen?.isNew ? 'fileIsNew' : 'fileSinceRun')}</p>
        <Compare before={compared.before} after={compared.after ?? ''} />
      </>
    );
  return (
    <>
      <p class="muted">{t('fileByCalls')}</p>
      {file.calls.map(call => (
        <CallChange key={call.callId} call={call} />
      ))}
    </>
  );
}

/** The texts before belong to the goal at work: for a later goal they are not those from before the run. */
function isFirstGoal({ fold, snapshot }: RunModel): boolean {
  const last = fold.items.findLast(({ kind, path }) => kind === 'goal' && path === '');
  if (last?.kind === 'goal') return last.number <= 1;
  return (snapshot?.goals.length ?? 0) <= 1;
}

function CallChange({ call: { tool, at, act } }: { call: FileCall }) {
  return (
    <div class="file-call">
      <h3>
        {tool} <Ago at={at} />
      </h3>
      {act.kind === 'edit' && <Diff text={act.diff} />}
      {act.kind === 'write' && <Diff text={act.content.replace(/\n$/, '').replace(/^/gm, '+')} />}
      {act.kind === 'delete' && <p>{t('fileGone')}</p>}
      {act.kind === 'move' && <p>{t('fileMoved', { path: visibleText(act.from) })}</p>}
    </div>
  );
}

/** Commands, and the files that the last look at the workspace found changed. */
function Commands({ changes: { commands }, snapshot }: { changes: Changes; snapshot: RunSnapshot | null }) {
  const changed = [...new Set(snapshot?.checks.flatMap(check => check.changed ?? []) ?? [])];
  if (commands.length === 0) return null;
  return (
    <>
      <h2 class="list-head">{t('commands')}</h2>
      <p class="muted">{t('commandsHint')}</p>
      {changed.length > 0 && <p>{t('changedForChecks', { paths: changed.map(visibleText).join(', ') })}</p>}
      <ul class="commands">
        {commands.map(({ callId, command, ending, isError, at }) => (
          <li key={callId}>
            <code>{escapeUnseen(command)}</code>{' '}
            <span class={isError ? 'bad-text' : 'muted'}>
              {ending === 'executed' ? (isError ? t('wentWrong') : '') : named('ending', ending)}
            </span>{' '}
            <Ago at={at} />
          </li>
        ))}
      </ul>
    </>
  );
}
