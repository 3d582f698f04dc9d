/** Draws the content of a role or a tool, part by part. */

import { spokenText } from '@steersman/view';
import { useEffect, useMemo } from 'preact/hooks';
import { type ContentPart, readParts } from 'steersman/rules';
import { Markdown } from '../parts/text/markdown.js';
import { ToolContent } from '../parts/text/plain.js';
import { t } from '../words/words.js';
import { ComponentView } from './component-view.js';
import { loadComponents, settings } from './load.js';
import { partialParts } from './partial.js';
import { FramedHtml, WebComponent } from './web-component.js';

/** Draws a role's text, even while it is streamed. A text that can't be parsed as content is drawn as text. */
export function ContentText({ text, live }: { text: string; live: boolean }) {
  useEffect(loadComponents, []);
  const parts = useMemo(() => (live ? partialParts(text) : readParts(text)), [text, live]);
  if (parts !== null) return <Parts parts={parts} partial={live} />;
  const words = spokenText(text);
  if (words === null) return <p class="muted">{live ? t('writes') : t('notDrawn')}</p>;
  return <Markdown text={words} />;
}

interface PartsProps {
  parts: readonly ContentPart[];
  partial?: boolean;
  /** Set for a tool's result: its text is shown unchanged. `server`: the MCP server; null for another tool. */
  tool?: { server: string | null };
}

export function Parts({ parts, partial = false, tool }: PartsProps) {
  useEffect(loadComponents, []);
  const last = parts.length - 1;
  return (
    <div class="parts">
      {parts.map((part, at) => (
        <Part key={at} part={part} partial={partial && at === last} {...(tool && { tool })} />
      ))}
    </div>
  );
}

function Part({ part, partial, tool }: { part: ContentPart; partial: boolean } & Pick<PartsProps, 'tool'>) {
  switch (part.type) {
    case 'text':
      return tool ? <ToolContent text={part.value} /> : <Markdown text={part.value} />;
    case 'json':
      return <ToolContent text={JSON.stringify(part.value)} />;
    case 'webcomponent':
      return mayBeUnsafe(tool) ? <FramedHtml html={part.value} /> : <WebComponent html={part.value} />;
    case 'component':
      return <ComponentView name={part.component} props={part.props} partial={partial} />;
  }
}

function mayBeUnsafe(tool: PartsProps['tool']): boolean {
  const { server = null } = tool ?? {};
  return server !== null && settings.value?.unsafeHtml.includes(server) === true;
}
