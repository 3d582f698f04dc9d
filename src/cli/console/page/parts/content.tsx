/** The one place that draws what a role said or a tool gave. */
import { escapeUnseen } from '../../../../core/text/unseen.js';
import { isJson, spokenText } from '../../../print/reply-text.js';
import { t } from '../words/words.js';
import { Markdown } from './text/markdown.js';

interface ReplyProps {
  text: string;
  form: 'words' | 'json';
  /** It is still being said. */
  live?: boolean;
}

/** Words as Markdown; of JSON that is for the run, what it says to people, and all of it on demand. */
export function ReplyContent({ text, form, live = false }: ReplyProps) {
  const words = spokenText(text, form);
  const data = form === 'json' || isJson(text);
  return (
    <>
      {words === null ? live && <p class="muted">{t('writes')}</p> : <Markdown text={words} />}
      {data && !live && (
        <details class="data">
          <summary>{t('asData')}</summary>
          <pre>{pretty(text)}</pre>
        </details>
      )}
    </>
  );
}

/** A tool's own words: never Markdown, so that nothing in them passes for the page's. */
export function ToolContent({ text }: { text: string }) {
  return <pre class="tool-text">{pretty(text)}</pre>;
}

/** JSON as it reads best, all else as it is; what is not seen is shown. */
export function pretty(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return escapeUnseen(JSON.stringify(value, null, 2));
  } catch {
    // It is text.
  }
  return escapeUnseen(text);
}
