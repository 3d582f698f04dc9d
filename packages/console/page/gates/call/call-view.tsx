/** Draws a tool call for the person who decides about it: its change, and nothing twice. */
import { escapeUnseen, visibleText } from 'steersman/base';
import type { ToolInput } from 'steersman/client';
import { Fold } from '../../parts/fold.js';
import { Diff } from '../../parts/text/diff.js';
import { t } from '../../words/words.js';
import { GateParts } from '../gate-body.js';
import { type Change, isLong } from './call-shown.js';

export function CallView({ change }: { change: Change }) {
  switch (change.kind) {
    case 'diff':
      return (
        <>
          {change.text !== '' && <Diff text={change.text} />}
          {change.whole !== null && (
            <Fold class="data" summary={t('wholeNewFile')}>
              {() => <pre class="tool-text">{escapeUnseen(change.whole ?? '')}</pre>}
            </Fold>
          )}
          <Values of={change.rest} />
        </>
      );
    case 'command':
      return (
        <>
          <pre class="tool-text command">{escapeUnseen(change.text)}</pre>
          <Values of={change.rest} />
        </>
      );
    case 'file':
      return <pre class="tool-text">{escapeUnseen(change.text)}</pre>;
    case 'fields':
      return <Values of={change.fields} />;
    case 'empty':
      return <p class="muted">{t('noArguments')}</p>;
    case 'text':
      return <GateParts parts={change.parts} />;
  }
}

function Values({ of }: { of: ToolInput }) {
  const entries = Object.entries(of);
  if (entries.length === 0) return null;
  return (
    <dl class="values">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{visibleText(name)}</dt>
          <dd>{isLong(value) ? <pre class="tool-text">{shownValue(value)}</pre> : shownValue(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function shownValue(value: unknown): string {
  return escapeUnseen(typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? 'null'));
}
