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
import { Diff } from '../../parts/text/diff.js';
import { Ago } from '../../parts/time.js';
import type { RunModel } from '../../run-model.js';
import { named, t } from '../../words/words.js';
import {
  type ChangedFile,
  type Changes,
  type CommandCall,
  changesIn,
  comparison,
  type FileCall,
} from './changed-files.js';

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
        <FileView key={file.path} run={run} file={file} isOnly={changes.files.length === 1} />
      ))}
      <Commands changes={changes} run={run} />
      {(run.snapshot?.children.length ?? 0) > 0 && <p class="muted">{t('filesOfAgents')}</p>}
    </section>
  );
}

function FileView({ run, file, isOnly }: { run: RunModel; file: ChangedFile; isOnly: boolean }) {
  const at = [...file.calls, ...file.commands].map(change => change.at);
  return (
    <Fold
      class="artifact"
      open={isOnly}
      summary={
        <>
          <strong>{visibleText(file.path)}</strong>{' '}
          <span class="muted">
            {t('changesOfFile', { count: at.length })} <Ago at={Math.max(...at)} />
          </span>
          {file.isGone && <span class="chip bad">{t('fileGone')}</span>}
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
  const compared = comparison(file, before.value);
  if (compared !== null)
    return (
      <>
        <p class="muted">{t(seen?.isNew ? 'fileIsNew' : 'fileSinceRun')}</p>
        <Compare before={compared.before} after={compared.after ?? ''} />
      </>
    );
  return (
    <>
      {file.calls.length > 0 && <p class="muted">{t('fileByCalls')}</p>}
      {file.calls.map(call => (
        <CallChange key={call.callId} call={call} />
      ))}
      {file.commands.length > 0 && <p class="muted">{t('fileByCommands')}</p>}
      <CommandList commands={file.commands} />
    </>
  );
}

/** True while the first goal is current: only then do the files' earlier texts date from before the run. */
function isFirstGoal({ fold, snapshot }: RunModel): boolean {
  const last = fold.items.findLast(({ kind, path }) => kind === 'goal' && path === '');
  if (last?.kind === 'goal') return last.number <= 1;
  return (snapshot?.goals.length ?? 0) <= 1;
}

function CallChange({ call: { tool, at, act } }: { call: FileCall }) {
  return (
    <div class="file-call">
      <p class="caption">
        {tool} <Ago at={at} />
      </p>
      {act.kind === 'edit' && <Diff text={act.diff} />}
      {act.kind === 'write' && <Diff text={act.content.replace(/\n$/, '').replace(/^/gm, '+')} />}
      {act.kind === 'delete' && <p>{t('fileGone')}</p>}
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

function CommandList({ commands }: { commands: readonly CommandCall[] }) {
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
