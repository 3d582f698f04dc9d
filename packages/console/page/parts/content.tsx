/** Draws a role's reply. */

import { lazily, Markdown, pretty } from '@steersman/components';
import { isJson, spokenText } from '@steersman/view';
import { readParts } from 'steersman/rules';
import { t } from '../words/words.js';

const ShownText = lazily(() => import('../components/shown.js').then(({ ShownText }) => ShownText));

interface ReplyProps {
  text: string;
  form: 'words' | 'json';
  /** True while the reply is being written. */
  live?: boolean;
}

/** Draws text as Markdown. For JSON it draws the readable part, and the whole on demand. */
export function ReplyContent({ text, form, live = false }: ReplyProps) {
  const data = form === 'json' || isJson(text);
  return (
    <>
      {isContent(text, live) ? (
        <ShownText text={text} live={live} />
      ) : (
        <Words text={text} form={form} live={live} />
      )}
      {data && !live && (
        <details class="data">
          <summary>{t('asData')}</summary>
          <pre>{pretty(text)}</pre>
        </details>
      )}
    </>
  );
}

function Words({ text, form, live }: Required<ReplyProps>) {
  const words = spokenText(text, form);
  if (words !== null) return <Markdown text={words} />;
  return live ? <p class="muted">{t('writes')}</p> : null;
}

/** True if the text is content, or begins like it: only then is its renderer loaded. */
function isContent(text: string, live: boolean): boolean {
  return BEGINS.test(text) || (!live && readParts(text) !== null);
}

const BEGINS = /^\s*(`{3}\w*\s+)?\{\s*"(type"\s*:\s*"(web)?component"|component"\s*:\s*"|content"\s*:\s*\[)/;
