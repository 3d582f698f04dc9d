/** Shows the texts that a run wrote as artifacts: each version can be read, compared and downloaded. */

import { useSignal } from '@preact/signals';
import { Markdown, ToolContent } from '@steersman/components';
import { useEffect } from 'preact/hooks';
import { formatCount } from 'steersman/base';
import type { Artifact } from 'steersman/client';
import { contentOf } from 'steersman/run';
import { get, runPath } from '../ask.js';
import { Fold } from '../parts/fold.js';
import { Fault, faultWords } from '../parts/sending.js';
import { Compare } from '../parts/text/compare.js';
import type { RunModel } from '../run-model.js';
import { t } from '../words/words.js';

export function Artifacts({ run }: { run: RunModel }) {
  void run.version.value;
  const artifacts = run.snapshot?.artifacts ?? [];
  if (artifacts.length === 0) return <p class="empty">{t('noArtifacts')}</p>;
  return (
    <section class="panel" aria-label={t('artifacts')}>
      {artifacts.map(artifact => (
        <Fold
          key={artifact.id}
          class="artifact"
          open={artifacts.length === 1}
          summary={
            <>
              <strong>{artifact.title}</strong>{' '}
              <span class="muted">
                {artifact.type} · v{artifact.version} · {t('bytes', { count: formatCount(artifact.bytes) })}
              </span>
            </>
          }
        >
          {() => <ArtifactView runId={run.id} artifact={artifact} />}
        </Fold>
      ))}
    </section>
  );
}

function ArtifactView({ runId, artifact }: { runId: string; artifact: Artifact }) {
  const { version: latest, versions, type } = artifact;
  const version = useSignal(latest);
  const isComparing = useSignal(false);
  const shown = Math.min(version.value, latest);
  const text = useStored(runId, contentOf(artifact, shown));
  const before = useStored(runId, isComparing.value ? contentOf(artifact, shown - 1) : null);
  const oldest = latest - versions.length;
  return (
    <>
      <div class="actions">
        <select
          aria-label={t('version')}
          value={String(shown)}
          onChange={event => (version.value = Number(event.currentTarget.value))}
        >
          {Array.from({ length: versions.length + 1 }, (_, at) => latest - at).map(each => (
            <option key={each} value={String(each)}>
              {t('versionNumber', { number: each })}
            </option>
          ))}
        </select>
        {shown > oldest && (
          <button
            type="button"
            aria-pressed={isComparing.value}
            onClick={() => (isComparing.value = !isComparing.value)}
          >
            {t('compare')}
          </button>
        )}
        <button
          type="button"
          disabled={text.value === null}
          onClick={() => download(fileName(artifact, shown), text.value ?? '')}
        >
          {t('download')}
        </button>
      </div>
      <Fault of={text.fault} />
      {text.value !== null &&
        (isComparing.value && before.value !== null ? (
          <Compare before={before.value} after={text.value} />
        ) : isText(type) ? (
          <ToolContent text={text.value} />
        ) : (
          <Markdown text={text.value} />
        ))}
    </>
  );
}

/** A type that is not prose, such as code or data, is shown unchanged. */
function isText(type: string): boolean {
  return !/markdown|plan|report|note|doc|^$/i.test(type);
}

/** Names the version, so that one file does not pass for another. */
function fileName({ id, type }: Artifact, version: number): string {
  const [, name = id, ending = isText(type) ? '.txt' : '.md'] = /^(.*)(\.\w+)$/.exec(id) ?? [];
  return `${name}-v${version}${ending}`;
}

function useStored(runId: string, ref: string | null): { value: string | null; fault: string | null } {
  const text = useSignal<string | null>(null);
  const fault = useSignal<string | null>(null);
  useEffect(() => {
    text.value = null;
    fault.value = null;
    if (ref === null) return undefined;
    let open = true;
    get<{ text: string }>(runPath(runId, `stored?ref=${encodeURIComponent(ref)}`)).then(
      found => {
        if (open) text.value = found.text;
      },
      error => {
        if (open) fault.value = faultWords(error);
      },
    );
    return () => {
      open = false;
    };
  }, [ref]);
  return { value: text.value, fault: fault.value };
}

/** Downloads as plain text, so that a browser does not open it as a page. */
function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
