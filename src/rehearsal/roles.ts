/** What each role answers, from the conversation alone. */
import { answerWithoutTools, writeAnswer, writeReport } from './answer.js';
import { findGaps } from './checks.js';
import type { Conversation } from './conversation.js';
import { plural } from './markdown.js';
import { nextCalls } from './next-calls.js';
import { ADVICE, EXPLAIN_TASK, planReply, REFUSED } from './plan-rules.js';
import type { RuleCall, RuleReply } from './reply.js';
import { jsonReply, textReply } from './reply.js';
import { say } from './sections.js';
import { orchestrate, review, route, understand } from './steering-rules.js';
import { canSeeFiles, toolboxOf } from './tools.js';
import type { View } from './view.js';
import { viewOf } from './view.js';
import type { Work } from './work.js';
import { workFor, workOfTask } from './work.js';

/** Rounds in modes without tasks. */
const LONE_ROUNDS = 12;

/** Answers for the role that the request is for. */
export function replyFor(conversation: Conversation): RuleReply {
  switch (conversation.part) {
    case 'planner':
      return planReply(viewOf(conversation));
    case 'executor':
      return executorReply(conversation);
    case 'verifier':
      return verifierReply(viewOf(conversation));
    case 'summary':
      return summaryReply(viewOf(conversation));
    case 'understanding':
      return understand(conversation.lastWords);
    case 'router':
      return route(conversation.lastWords);
    case 'reviewer':
      return review();
    case 'orchestrator':
      return orchestrate();
    case 'other':
      return loneReply(viewOf(conversation));
  }
}

function executorReply(conversation: Conversation): RuleReply {
  const { brief, task, tools } = conversation;
  const id = task?.taskId ?? (brief && 'taskId' in brief ? brief.taskId : '');
  const own = workOfTask(id);
  const isExplaining = id.startsWith(EXPLAIN_TASK);
  const view = viewOf(conversation, own === null && !isExplaining ? task?.description : '');
  const work = own === null ? workFor(view.intent) : [own];
  const calls =
    isExplaining || tools.length === 0
      ? []
      : nextCalls(work, { ...view, box: toolboxOf(tools), document: () => writeAnswer(view) });
  const roundsLeft = (task?.rounds ?? LONE_ROUNDS) - conversation.roundsUsed;
  // The last round is for the report.
  if (calls.length > 0 && roundsLeft > 1) return callReply(view, calls);
  const summary = isExplaining
    ? answerWithoutTools(view)
    : work.map(kind => writeReport(kind, view)).join('\n\n') || nothingFound(view);
  const isRefused = own === 'write' && wasRefused(view);
  const isDone = calls.length === 0 && brief?.kind !== 'report';
  return jsonReply('Reports what the results show.', 'executor-response', {
    summary,
    taskCompleted: isDone && !isRefused,
    shouldContinue: false,
    nextAction: isRefused ? 'skip' : isDone ? 'complete' : null,
    todos: [
      { id, description: task?.description ?? id, status: isDone ? 'completed' : 'failed', isCurrent: true },
    ],
  });
}

/** A file was to be written, and was not: a person or a rule did not allow it, or the tool failed. */
function wasRefused({ intent, evidence }: View): boolean {
  return intent.writeTo !== null && (evidence.writes.get(intent.writeTo) ?? null) !== null;
}

function nothingFound(view: View): string {
  return say(
    view,
    'No result came, and the conversation has no room for more.',
    '没有得到结果，对话也容不下更多内容。',
  );
}

function callReply(view: View, calls: RuleCall[]): RuleReply {
  const names = [...new Set(calls.map(call => call.name))].join(', ');
  const text = say(
    view,
    `${plural(calls.length, 'call')} of ${names}.`,
    `调用 ${names} 共 ${calls.length} 次。`,
  );
  return { thought: 'Calls tools for what is still missing.', text, calls };
}

/** Sends the work back while a further call can bring something; else answers. */
function verifierReply(view: View): RuleReply {
  const { brief } = view.conversation;
  const tasks = brief?.kind === 'verify' ? brief.tasks : [];
  const isBlind = tasks.length > 0 && tasks.every(task => task.id.startsWith(EXPLAIN_TASK));
  const gaps = isBlind ? [] : findGaps(view, view.usedBox, view.roomChars);
  const summary = isBlind ? answerWithoutTools(view) : writeAnswer(view);
  const isServed = !isBlind && view.intent.unserved === null && !wasRefused(view);
  const improvements = gaps.length > 0 ? gaps.map(gap => gap.improvement) : isServed ? null : [advice(view)];
  return jsonReply('Checks by rules what the results cover.', 'verifier-response', {
    allCompleted: gaps.length === 0,
    userNeedsSatisfied: gaps.length === 0 && isServed,
    overallFeedback: feedback(view, gaps.length, isServed),
    summary,
    improvements,
    tasks: tasks.map(({ id, status }) => verdictOn(id, status, gaps)),
  });
}

/** What would help where rules are at their end. */
function advice(view: View): string {
  if (wasRefused(view)) return `${REFUSED}: ${view.intent.writeTo}`;
  return `${ADVICE}: ${say(view, 'rules can only list, quote, count and find.', '规则只能列出、引用、统计和查找。')}`;
}

function feedback(view: View, gaps: number, isServed: boolean): string {
  if (gaps > 0) return say(view, `Mechanical checks found ${gaps} gaps.`, `机械检查发现 ${gaps} 处缺口。`);
  if (isServed) return say(view, 'Mechanical checks found no gap.', '机械检查没有发现缺口。');
  if (wasRefused(view)) return say(view, 'The file was not written.', '文件没有写入。');
  return say(view, 'The goal asks for more than rules can do.', '目标超出了规则的能力。');
}

function verdictOn(id: string, status: string, gaps: readonly { work: Work; improvement: string }[]) {
  const gap = gaps.find(({ work }) => work === workOfTask(id));
  return {
    id,
    completed: gap === undefined,
    feedback: gap?.improvement ?? `Status ${status}; nothing more to be had by tools.`,
  };
}

function summaryReply(view: View): RuleReply {
  const { brief } = view.conversation;
  const why = brief?.kind === 'wrap_up' ? brief.why : '';
  const early = say(
    view,
    `The work ended early: ${why}. What is missing below was not looked at.`,
    `工作提前结束：${why}。下文没有的内容没有查看。`,
  );
  return textReply('Answers from what there is.', writeAnswer(view, why === '' ? '' : early));
}

/** Any other role: with file tools it does all the work itself, and then answers in plain text. */
function loneReply(view: View): RuleReply {
  const { conversation, intent } = view;
  const box = toolboxOf(conversation.tools);
  const calls = canSeeFiles(box)
    ? nextCalls(workFor(intent), { ...view, box, document: () => writeAnswer(view) })
    : [];
  if (calls.length > 0 && conversation.roundsUsed < LONE_ROUNDS) return callReply(view, calls);
  const hasSeen = conversation.calls.length > 0;
  return textReply('Answers from what there is.', hasSeen ? writeAnswer(view) : answerWithoutTools(view));
}
