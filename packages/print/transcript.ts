/** Formats the conversation of a run as Markdown. Pure. */

import { formatCount, formatDuration, plural } from 'steersman/base';
import type { ThreadTranscript } from 'steersman/client';
import { resultText } from 'steersman/conversation';
import type { Block, Message, ToolResultBlock, ToolUseBlock } from 'steersman/run';
import { oneLine } from 'steersman/shared';

/** Writes a heading for each thread and message. Arguments and results of tools are fenced: their text can't end it. */
export function transcriptMarkdown(id: string, transcripts: readonly ThreadTranscript[]): string {
  const threads = transcripts.map(({ thread, messages }) =>
    [`## Thread ${oneLine(thread)}`, ...messages.map(messageMarkdown)].join('\n\n'),
  );
  return [`# ${oneLine(id)}`, ...threads].join('\n\n');
}

function messageMarkdown(message: Message): string {
  const body = message.content.map(blockMarkdown).filter(text => text !== '');
  return [`### ${headingOf(message).replace(/\s+/g, ' ')}`, ...body].join('\n\n');
}

function headingOf(message: Message): string {
  const at = new Date(message.at).toISOString();
  switch (message.kind) {
    case 'user':
      return `user · ${message.purpose}${message.taskId ? ` · task ${message.taskId}` : ''} · ${at}`;
    case 'assistant': {
      const { inputTokens, outputTokens } = message.usage;
      const tokens = `${formatCount(inputTokens)} + ${formatCount(outputTokens)} tokens`;
      return `${message.role} · ${message.action} · ${message.model} · ${tokens} · ${at}`;
    }
    case 'tool_result': {
      const [{ toolName, ending, durationMs }] = message.content;
      return `result of ${toolName} · ${ending} · ${formatDuration(durationMs)} · ${at}`;
    }
    case 'cut':
      return `${plural(message.dropped, 'message')} left out · ${at}`;
  }
}

function blockMarkdown(block: Block): string {
  switch (block.type) {
    case 'text':
      return belowHeading(words(block.text.trim()));
    case 'reasoning':
      return quoted(block.text.trim());
    case 'tool_use':
      return `Calls ${oneLine(block.name)}:\n\n${callFence(block)}`;
    case 'tool_result':
      return fenced(resultText(block), 'text');
  }
}

/** A text must not contain headings of our levels, or leave a code block open, which would include the next heading. */
export function belowHeading(text: string): string {
  let fence = '';
  const lines = text.split(/\r\n|\r|\n/).map(line => {
    const [, mark = '', rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (fence !== '') {
      if (mark.startsWith(fence) && rest.trim() === '') fence = '';
      return line;
    }
    if (mark !== '' && !(mark.startsWith('`') && rest.includes('`'))) fence = mark;
    return fence === '' ? lowered(line) : line;
  });
  return [...lines, ...(fence === '' ? [] : [fence])].join('\n');
}

/** Escapes a line that would make a heading of our levels, or begin a block of HTML. */
function lowered(line: string): string {
  return line
    .replace(
      /^( {0,3})(#{1,6})(?=\s|$)/,
      (_all, indent, level) => `${indent}${'#'.repeat(Math.min(6, level.length + 3))}`,
    )
    .replace(/^( {0,3})(?=(?:=+|-+)\s*$)/, '$1\\')
    .replace(/^( {0,3})(?=<)/, '$1\\')
    .replaceAll('<!--', '\\<!--');
}

/** Formats a JSON reply as a JSON block. */
function words(text: string): string {
  if (!text.startsWith('{')) return text;
  try {
    return fenced(JSON.stringify(JSON.parse(text), null, 2), 'json');
  } catch {
    return text;
  }
}

/** Returns the arguments of a call, or the text that could not be parsed as such. */
function callFence({ raw, input, argsParseFailed }: ToolUseBlock): string {
  return argsParseFailed === true
    ? fenced(raw ?? '', 'text')
    : fenced(JSON.stringify(input, null, 2), 'json');
}

function quoted(text: string): string {
  return text === '' ? '' : text.replace(/^/gm, '> ');
}

/** Uses a fence with more backticks than any sequence in the text. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(run => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Returns a tool call and its result, by the id of the result's message; null if that is not stored. */
export function toolExchange(
  transcripts: readonly ThreadTranscript[],
  messageId: string,
): { call: ToolUseBlock | null; result: ToolResultBlock } | null {
  for (const { messages } of transcripts) {
    const at = messages.findIndex(({ id }) => id === messageId);
    const message = messages[at];
    if (message?.kind !== 'tool_result') continue;
    const [result] = message.content;
    const replies = messages.slice(0, at).filter(({ kind }) => kind === 'assistant');
    const calls = replies.flatMap(({ content }) => content.filter(block => block.type === 'tool_use'));
    return { call: calls.findLast(({ id }) => id === result.toolUseId) ?? null, result };
  }
  return null;
}
