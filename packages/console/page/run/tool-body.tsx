/** Draws a tool call that a person has opened: its change or its arguments, and its whole result. */
import { useSignal } from '@preact/signals';
import { pretty, ToolContent } from '@steersman/components';
import type { ToolItem } from '@steersman/view';
import { useEffect } from 'preact/hooks';
import { parseRecord } from 'steersman/base';
import type { Message } from 'steersman/client';
import { get, runAt, runPath } from '../ask.js';
import { Fold } from '../parts/fold.js';
import { changeOf, Diff } from '../parts/text/diff.js';
import { resultText } from '../parts/text/result-text.js';
import { t } from '../words/words.js';

export function ToolBody({ item, runId }: { item: ToolItem; runId: string }) {
  const change = changeOf(parseRecord(item.arguments));
  return (
    <div class="tool-body">
      {change !== null && <Diff text={change} />}
      {change === null ? (
        <>
          <p class="caption">{t('arguments')}</p>
          <pre class="tool-text">{pretty(item.arguments)}</pre>
        </>
      ) : (
        <Fold class="data" summary={t('arguments')}>
          {() => <pre class="tool-text">{pretty(item.arguments)}</pre>}
        </Fold>
      )}
      {item.ending !== null && (
        <>
          <p class="caption">{t('result')}</p>
          <WholeResult item={item} runId={runId} />
        </>
      )}
    </div>
  );
}

/** Events have only the beginning of a result, in one line: the conversation has all of it. */
function WholeResult({ item: { path, messageId, result }, runId }: { item: ToolItem; runId: string }) {
  const whole = useSignal<string | null>(null);
  useEffect(() => {
    if (messageId === '') return;
    const asked = runPath(runAt(runId, path), `messages?id=${encodeURIComponent(messageId)}`);
    get<Message[]>(asked).then(
      ([message]) => {
        if (message?.kind === 'tool_result') whole.value = message.content.map(resultText).join('\n');
      },
      // The beginning of the result stays visible.
      () => undefined,
    );
  }, [messageId]);
  return <ToolContent text={whole.value ?? result} />;
}
