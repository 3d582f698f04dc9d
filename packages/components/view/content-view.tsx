/** Draws the content of a role or a tool, part by part. */

import { spokenText } from '@steersman/view';
import type { ComponentChild } from 'preact';
import { useMemo } from 'preact/hooks';
import { type ContentPart, readParts } from 'steersman/rules';
import { lazily } from '../text/lazy.js';
import { Markdown } from '../text/markdown.js';
import { ToolContent } from '../text/plain.js';
import { ComponentView } from './component-view.js';
import { Guard } from './guard.js';
import { useHere } from './here.js';
import { Hint, thrownText } from './hint.js';
import { partialParts } from './partial-json.js';

const WebComponent = lazily(() => import('./web-component.js').then(({ WebComponent }) => WebComponent));

/** Draws a role's text, even while it is streamed. A text that can't be parsed as content is drawn as text. */
export function ContentText({ text, live }: { text: string; live: boolean }) {
  const { kit } = useHere();
  const parts = useMemo(() => (live ? partialParts(text) : readParts(text)), [text, live]);
  if (parts !== null) return <Parts parts={parts} partial={live} />;
  const words = spokenText(text);
  if (words === null) return <p class="muted">{kit.say(live ? 'writes' : 'notDrawn')}</p>;
  return <Markdown text={words} />;
}

export interface PartsProps {
  parts: readonly ContentPart[];
  /** True while the last part is being written. */
  partial?: boolean;
  /** True for a tool's result: its text is shown unchanged. */
  ofTool?: boolean;
  /** Draws HTML. Default: sanitized, in a shadow root. */
  html?: (html: string) => ComponentChild;
}

export function Parts({ parts, partial = false, ...how }: PartsProps) {
  const last = parts.length - 1;
  return (
    <div class="parts">
      {parts.map((part, at) => (
        <Guard key={at} of={part} otherwise={error => <Undrawn part={part} error={error} />}>
          <Part part={part} partial={partial && at === last} {...how} />
        </Guard>
      ))}
    </div>
  );
}

function Undrawn({ part, error }: { part: ContentPart; error: unknown }) {
  return <Hint text={`${useHere().kit.say('notDrawn')} ${thrownText(error)}`} data={part} />;
}

type PartProps = { part: ContentPart; partial: boolean } & Pick<PartsProps, 'ofTool' | 'html'>;

function Part({ part, partial, ofTool = false, html }: PartProps) {
  switch (part.type) {
    case 'text':
      return ofTool ? <ToolContent text={part.value} /> : <Markdown text={part.value} />;
    case 'json':
      return <ToolContent text={JSON.stringify(part.value)} />;
    case 'webcomponent':
      return html ? html(part.value) : <WebComponent html={part.value} hint={hintFor(part.value)} />;
    case 'component':
      return <ComponentView name={part.component} props={part.props} partial={partial} />;
  }
}

function hintFor(html: string) {
  return (fault: string) => <Hint text={fault} data={html} />;
}
