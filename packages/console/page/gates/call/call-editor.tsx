/** Edits a call's arguments in fields; texts of files in an editor with line numbers. */
import type { Signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { visibleText } from 'steersman/base';
import type { ToolInput } from 'steersman/client';
import { t } from '../../words/words.js';
import { type ArgumentField, argumentFields, type FieldTexts } from './argument-fields.js';

interface EditorProps {
  input: ToolInput;
  /** The texts of changed fields, as JSON. */
  texts: Signal<string>;
}

export function textsOf(kept: string): FieldTexts {
  return kept === '' ? {} : (JSON.parse(kept) as FieldTexts);
}

export function CallEditor({ input, texts }: EditorProps) {
  const changed = textsOf(texts.value);
  return (
    <div class="fields call-editor">
      {argumentFields(input).map(field => (
        // biome-ignore lint/a11y/noLabelWithoutControl: the control is the field of its type, within.
        <label key={field.name}>
          <span>{visibleText(labelOf(field))}</span>
          <Control
            field={field}
            text={(Object.hasOwn(changed, field.name) ? changed[field.name] : undefined) ?? field.text}
            onText={text => {
              texts.value = JSON.stringify({ ...changed, [field.name]: text });
            }}
          />
        </label>
      ))}
    </div>
  );
}

/** Counts entries of a list from one, as people do. */
function labelOf({ place }: ArgumentField): string {
  return place.map(part => (typeof part === 'number' ? part + 1 : part)).join(' › ');
}

interface ControlProps {
  field: ArgumentField;
  text: string;
  onText: (text: string) => void;
}

function Control({ field: { kind }, text, onText }: ControlProps) {
  const onInput = (event: { currentTarget: { value: string } }) => onText(event.currentTarget.value);
  switch (kind) {
    case 'lines':
    case 'json':
      return <LineEditor text={text} onText={onText} />;
    case 'flag':
      return (
        <select value={text} onChange={onInput}>
          <option value="true">{t('yes')}</option>
          <option value="false">{t('no')}</option>
        </select>
      );
    case 'number':
      return <input class="number" inputMode="decimal" value={text} onInput={onInput} />;
    case 'text':
      return <textarea class="code" rows={1} spellcheck={false} value={text} onInput={onInput} />;
  }
}

const MOST_ROWS = 18;

function LineEditor({ text, onText }: { text: string; onText: (text: string) => void }) {
  const numbers = useRef<HTMLPreElement>(null);
  const count = text.split('\n').length;
  return (
    <span class="line-editor">
      <pre ref={numbers} aria-hidden="true">
        {Array.from({ length: count }, (_, at) => at + 1).join('\n')}
      </pre>
      <textarea
        class="code"
        wrap="off"
        spellcheck={false}
        rows={Math.min(MOST_ROWS, count + 1)}
        value={text}
        onInput={event => onText(event.currentTarget.value)}
        onScroll={event => {
          if (numbers.current) numbers.current.scrollTop = event.currentTarget.scrollTop;
        }}
      />
    </span>
  );
}
