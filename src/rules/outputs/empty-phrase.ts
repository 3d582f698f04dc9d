/**
 * Finds summaries that only say "done" (F11). They may cause one re-ask, and another text is preferred as the answer:
 * completion, and how a goal ends, are never read from words.
 */

/** Longer texts have content, or are not worth a list. */
const LONGEST_EMPTY_PHRASE = 160;

/** Words for "done". An empty phrase has at least one of them. */
const DONE_WORDS = words(`
  done complete completed completes completion finish finished satisfied satisfies met fulfilled
  accomplished achieved success succeeded successful successfully resolved ok okay verified handled`);

/** Words that add no content. */
const FILLER_WORDS = words(`
  a all and any are as been by every everything everyone fully further for goal goals has have i it
  job jobs is my needed need needs no now objective objectives of okay now action actions required
  requirement requirements request requests requested result results s step steps task tasks tasked
  that the their these they this to todo todos user users was we were with work you your
  well already entirely correctly properly execution executed`);

/** Chinese phrases for "done"; longer phrases precede their own beginnings. */
const DONE_PHRASES = [...words('圆满完成 已完成 完成 满足 完毕 结束 达成 解决 搞定 成功')];
const FILLER_PHRASES = [
  ...words(`
    用户 任务 需求 要求 目标 工作 请求 问题 所有 全部 一切 当前 本次 现已
    已经 均已 都已 顺利 执行 处理 完全 得到 获得 已 均 都 了 的 本 该
    此 并 且 也 和 被 现 您 你 我 们 各 项 个`),
];

/** True for a text without letters and digits: it says nothing in any language. */
export function saysNothing(text: string): boolean {
  return !/[\p{L}\p{N}]/u.test(text);
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/).filter(word => word !== ''));
}

/** True for text that only says "it is done", and for text without any word. */
export function isEmptyPhrase(text: string): boolean {
  const trimmed = text.trim();
  if (trimmed.length > LONGEST_EMPTY_PHRASE) return false;
  const tokens = withoutTaskNumbers(trimmed.toLowerCase()).match(/[\p{L}\p{M}]+|\p{N}+/gu) ?? [];
  let done = tokens.length === 0;
  for (const token of tokens) {
    const meaning = DONE_WORDS.has(token) ? 'done' : FILLER_WORDS.has(token) ? 'filler' : readChinese(token);
    if (meaning === 'content') return false;
    if (meaning === 'done') done = true;
  }
  return done;
}

/** "Task 3 completed" has the same meaning as "task completed". */
function withoutTaskNumbers(text: string): string {
  return text.replace(/(tasks?|todo|step|任务)[ \t_#-]{0,3}\d{1,4}/g, '$1');
}

/** Tells if a run of letters consists only of the Chinese phrases. */
function readChinese(token: string): 'done' | 'filler' | 'content' {
  let done = false;
  let at = 0;
  while (at < token.length) {
    const donePhrase = DONE_PHRASES.find(phrase => token.startsWith(phrase, at));
    const phrase = donePhrase ?? FILLER_PHRASES.find(filler => token.startsWith(filler, at));
    if (phrase === undefined) return 'content';
    if (donePhrase !== undefined) done = true;
    at += phrase.length;
  }
  return done ? 'done' : 'filler';
}
