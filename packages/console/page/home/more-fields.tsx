/** The rarely used settings of a start: checks, limits, the plan's approval, and attached files. */
import { type Signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { formatCount } from 'steersman/base';
import { about } from '../about.js';
import { Fault } from '../parts/sending.js';
import { t } from '../words/words.js';
import { FieldFault, type FormState } from './pickers.js';
import { LIMIT_FIELDS } from './start-body.js';
import type { AttachedFile } from './start-draft.js';

interface MoreProps {
  form: FormState;
  files: Signal<AttachedFile[]>;
  /** False when a conversation is continued: then files can't be attached. */
  mayAttach: boolean;
}

export function MoreFields({ form, files, mayAttach }: MoreProps) {
  const { fields, faults, set } = form;
  return (
    <div class="more-fields">
      <label>
        <span>{t('checks')}</span>
        <textarea
          class="code"
          rows={2}
          spellcheck={false}
          placeholder="npm test"
          value={fields.checks}
          onInput={event => set({ checks: event.currentTarget.value })}
        />
        <small class="muted">{t('checksHint')}</small>
        <FieldFault of={faults.checks} />
      </label>
      <fieldset>
        <legend>{t('limits')}</legend>
        <div class="choices">
          {LIMIT_FIELDS.map(({ field, limit, unit, word }) => (
            <label key={field}>
              <span>{t(word)}</span>
              <input
                inputMode="decimal"
                value={fields[field]}
                placeholder={defaultOf(about.value?.limits[limit] ?? null, unit)}
                onInput={event => set({ [field]: event.currentTarget.value })}
              />
              <FieldFault of={faults[field]} />
            </label>
          ))}
        </div>
      </fieldset>
      <label class="row-label">
        <input
          type="checkbox"
          disabled={fields.approvals !== 'ask'}
          checked={fields.approvePlan}
          onChange={event => set({ approvePlan: event.currentTarget.checked })}
        />{' '}
        {t('planWaits')}
        <FieldFault of={faults.approvePlan} />
      </label>
      {mayAttach && <Files files={files} />}
    </div>
  );
}

function defaultOf(limit: number | null, unit: number): string {
  return limit === null ? t('noLimit') : String(limit / unit);
}

/** A request of the console has at most 1 MB. */
const MOST_CHARS = 700_000;
/** Types of pictures that models accept. */
const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

function Files({ files }: { files: Signal<AttachedFile[]> }) {
  const fault = useSignal<string | null>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const add = async (chosen: readonly File[]) => {
    const read = await Promise.all(chosen.map(contentOf));
    const unread = chosen.filter((_, at) => read[at] === null).map(({ name }) => name);
    const names = new Set(chosen.map(({ name }) => name));
    const all = [
      ...files.value.filter(({ name }) => !names.has(name)),
      ...read.filter(file => file !== null),
    ];
    const isMuch = all.reduce((sum, file) => sum + sizeOf(file), 0) > MOST_CHARS;
    fault.value = isMuch
      ? t('faultFilesLong')
      : unread.length > 0
        ? t('faultFiles', { names: unread.join(', ') })
        : null;
    if (!isMuch) files.value = all;
  };
  return (
    <div class="files">
      {/* The browser's own button would be in the browser's language. */}
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        onChange={event => {
          void add([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = '';
        }}
      />
      <button type="button" class="small" onClick={() => chooser.current?.click()}>
        {t('attach')}
      </button>{' '}
      <small class="muted">{t('attachHint')}</small>
      <ul>
        {files.value.map(file => (
          <li key={file.name}>
            {'base64' in file && <img alt="" src={`data:${file.mimeType};base64,${file.base64}`} />}
            {file.name} <span class="muted">{t('bytes', { count: formatCount(sizeOf(file)) })}</span>{' '}
            <button
              type="button"
              class="quiet small"
              aria-label={t('removeFile', { name: file.name })}
              onClick={() => (files.value = files.value.filter(each => each !== file))}
            >
              ✕
            </button>
          </li>
        ))}
      </ul>
      <Fault of={fault.value} />
    </div>
  );
}

function sizeOf(file: AttachedFile): number {
  return 'text' in file ? file.text.length : file.base64.length;
}

/** Returns null for a file that is neither text nor a picture. */
async function contentOf(file: File): Promise<AttachedFile | null> {
  const { name, type: mimeType } = file;
  if (PICTURES.includes(mimeType))
    return { name: name.slice(0, MOST_NAME_CHARS), mimeType, base64: await base64Of(file) };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
    return text.includes('\0') ? null : { name, text };
  } catch {
    return null;
  }
}

const MOST_NAME_CHARS = 100;

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(',')[1] ?? '');
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
