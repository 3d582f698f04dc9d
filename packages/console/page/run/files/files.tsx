/** Shows the files that a run's tools wrote, each as a difference from before the run, and the commands that it ran. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { escapeUnseen, visibleText } from 'steersman/base';
import type { ThreadTranscript } from 'steersman/client';
import { get, runPath } from '../../ask.js';
import { Earlier } from '../../parts/earlier.js';
import { Fold } from '../../parts/fold.js';
import { Fault, faultWords } from '../../parts/sending.js';
import { Compare } from '../../parts/text/compare.js';
import { allNew, Diff } from '../../parts/text/diff.js';
import { Ago } from '../../parts/time.js';
import type { RunModel } from '../../run-model.js';
import { named, t } from '../../words/words.js';
import { type ChangedFile, type Changes, changesIn, type FileCall } from './changed-files.js';
import { comparison, type Way, type Why, wayOf } from './difference.js';

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
  const changes = changesIn(threads.value, run.events);
  if (changes.files.length + changes.commands.length === 0) return <p class="empty">{t('noFiles')}</p>;
  return (
    <section class="panel" aria-label={t('files')}>
      {changes.files.map(file => (
        <FileView key={file.path} run={run} file={file} changes={changes} />
      ))}
      <Commands changes={changes} run={run} />
      {(run.snapshot?.children.length ?? 0) > 0 && <p class="muted">{t('filesOfAgents')}</p>}
    </section>
  );
}

interface FileProps {
  run: RunModel;
  file: ChangedFile;
  changes: Changes;
}

function FileView({ run, file, changes }: FileProps) {
  const there = movedTo(file);
  const isKnown = file.commands.length > 0 || file.calls.some(({ isOwn }) => isOwn);
  const at = [...file.calls, ...file.commands].map(change => change.at);
  return (
    <Fold
      class="artifact"
      open={changes.files.length === 1}
      summary={
        <>
          <strong>{visibleText(file.path)}</strong>{' '}
          <span class="muted">
            {t(isKnown ? 'changesOfFile' : 'callsOfFile', { count: at.length })} <Ago at={Math.max(...at)} />
          </span>{' '}
          {file.isGone && there === null && <span class="chip bad">{t('fileGone')}</span>}
        </>
      }
    >
      {() =>
        there === null ? (
          <FileChange run={run} file={file} changes={changes} />
        ) : (
          <p>{t('fileMovedTo', { path: visibleText(there) })}</p>
        )
      }
    </Fold>
  );
}

/** The path to which the file was moved last; null if it is here, or was deleted. Its changes are listed there. */
function movedTo({ calls, isGone }: ChangedFile): string | null {
  const last = calls.at(-1)?.act;
  return isGone && last?.kind === 'delete' ? (last.to ?? null) : null;
}

function FileChange({ run, file, changes }: FileProps) {
  const way = wayOf(changes, file.path);
  const seen = isFirstGoal(run)
    ? run.snapshot?.filesBefore.find(each => each.path === way.origin || each.named === way.origin)
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
  const found = comparison(way, before.value);
  if ('why' in found) return <ByCalls way={way} why={found.why} />;
  if (found.before === null && found.after === null) return <p>{t('fileMadeAndDeleted')}</p>;
  const since = found.since === 'read' ? 'fileSinceRead' : 'fileSinceRun';
  return (
    <>
      {way.origin !== file.path && <p>{t('fileMoved', { path: visibleText(way.origin) })}</p>}
      <p class="muted">{t(found.before === null ? 'fileIsNew' : since)}</p>
      {found.before === found.after ? (
        <p>{t('fileAsBefore')}</p>
      ) : (
        <Compare before={found.before ?? ''} after={found.after ?? ''} />
      )}
    </>
  );
}

function ByCalls({ way: { calls, commands }, why }: { way: Way; why: Why }) {
  // A file that was only deleted or created has no difference to explain.
  const isText = calls.some(({ act }) => act.kind === 'write' || act.kind === 'edit');
  return (
    <>
      {isText && <p class="muted">{t(`fileWhy_${why}`)}</p>}
      {calls.map(call => (
        <CallChange key={call.callId} call={call} />
      ))}
      {commands.length > 0 && <p class="muted">{t('fileByCommands')}</p>}
      <CommandList commands={commands} />
    </>
  );
}

/** True while the first goal is current: only then do the files' earlier texts date from before the run. */
function isFirstGoal({ fold, snapshot }: RunModel): boolean {
  const last = fold.items.findLast(({ kind, path }) => kind === 'goal' && path === '');
  if (last?.kind === 'goal') return last.number <= 1;
  return (snapshot?.goals.length ?? 0) <= 1;
}

function CallChange({ call: { tool, at, act, ending, isOwn } }: { call: FileCall }) {
  return (
    <div class="file-call">
      <p class="caption">
        {tool} <Ago at={at} />{' '}
        {ending !== 'executed' && <span class="bad-text">{named('ending', ending)}</span>}
      </p>
      {act.kind === 'edit' && <Diff text={act.diff} />}
      {act.kind === 'write' &&
        (isOwn ? (
          <Diff text={allNew(act.content)} />
        ) : (
          <pre class="tool-text">{escapeUnseen(act.content)}</pre>
        ))}
      {act.kind === 'delete' && (
        <p>{act.to === undefined ? t('fileGone') : t('fileMovedTo', { path: visibleText(act.to) })}</p>
      )}
      {act.kind === 'move' && <p>{t('fileMoved', { path: visibleText(act.from) })}</p>}
    </div>
  );
}

/** Commands, and the files that the last look at the workspace found changed. */
function Commands({ changes: { commands }, run }: { changes: Changes; run: RunModel }) {
  const changed = [...new Set(run.snapshot?.checks.flatMap(check => check.changed ?? []) ?? [])];
  if (commands.length === 0) return null;
  return (
    <>
      <h2 class="list-head">{t('commands')}</h2>
      <p class="muted">{t('commandsHint')}</p>
      {changed.length > 0 && <p>{t('changedForChecks', { paths: changed.map(visibleText).join(', ') })}</p>}
      <Earlier run={run} />
      <CommandList commands={commands} />
    </>
  );
}

function CommandList({ commands }: Pick<Changes, 'commands'>) {
  return (
    <ul class="commands">
      {commands.map(({ callId, command, ending, isError, at, seq, more }) => (
        <li key={callId}>
          <code>{escapeUnseen(command)}</code>{' '}
          <span class={isError ? 'bad-text' : 'muted'}>
            {ending === 'executed' ? (isError ? t('wentWrong') : '') : named('ending', ending)}
          </span>{' '}
          {seq === null ? (
            <Ago at={at} />
          ) : (
            <a href={`#event-${seq}`}>
              <Ago at={at} />
            </a>
          )}
          {more > 0 && <span class="muted"> {t('moreFiles', { count: more })}</span>}
        </li>
      ))}
    </ul>
  );
}
