/** Draws the content of a tool's result. Its event says only that there is content, so the message is read. */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Message } from 'steersman/client';
import { type ContentPart, resultParts } from 'steersman/rules';
import { get, runPath } from '../ask.js';
import { Fault, faultWords } from '../parts/sending.js';
import { t } from '../words/words.js';
import { kit } from './load.js';
import { ShownParts } from './shown.js';

interface ToolPartsProps {
  run: string;
  messageId: string;
  tool: { server: string | null };
}

export function ToolParts({ run, messageId, tool }: ToolPartsProps) {
  const parts = useSignal<ContentPart[] | null>(null);
  const fault = useSignal<string | null>(null);
  useEffect(() => {
    messageOf(run, messageId).then(
      message => {
        parts.value = partsIn(message);
        if (parts.value === null) fault.value = kit.say('notDrawn');
      },
      (error: unknown) => {
        fault.value = faultWords(error);
      },
    );
  }, [run, messageId]);
  if (parts.value !== null) return <ShownParts parts={parts.value} server={tool.server} />;
  return fault.value === null ? <p class="muted">{t('loading')}</p> : <Fault of={fault.value} />;
}

function partsIn(message: Message | undefined): ContentPart[] | null {
  return message?.kind === 'tool_result'
    ? resultParts(message.content.flatMap(({ content }) => content))
    : null;
}

/** Messages that are requested at the same time are read together, because each read scans the whole conversation. */
const wanted = new Map<string, { ids: Set<string>; read: Promise<Message[]> }>();

async function messageOf(run: string, id: string): Promise<Message | undefined> {
  let asked = wanted.get(run);
  if (asked === undefined) {
    const ids = new Set<string>();
    const read = Promise.resolve().then(() => {
      wanted.delete(run);
      const query = [...ids].map(each => `id=${encodeURIComponent(each)}`).join('&');
      return get<Message[]>(runPath(run, `messages?${query}`));
    });
    asked = { ids, read };
    wanted.set(run, asked);
  }
  asked.ids.add(id);
  return (await asked.read).find(message => message.id === id);
}
