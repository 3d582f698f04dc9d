/** What each role answers, from the conversation alone. */
import { BUILT_IN_WORDS, type WordKey } from '../core/prompts/words.js';
import { answerWithoutTools, whyNotWritten, writeAnswer, writeReport } from './answer.js';
import { tasksOf } from './briefs.js';
import type { Conversation } from './conversation.js';
import { gatherEvidence } from './evidence.js';
import { readGoal, workFor } from './goal.js';
import type { Work } from './goal-words.js';
import { earlyEnd, leadReply } from './lead.js';
import { plural } from './markdown.js';
import type { WantedCall } from './next-calls.js';
import { ALL_USES, callsForAll, nextCalls } from './next-calls.js';
import { EXPLAIN_TASK, improvementFor, missingWork, planReply, workOfTask } from './plan.js';
import type { RuleReply } from './reply.js';
import { jsonReply, plainReply } from './reply.js';
import type { Seen } from './scope.js';
import { say } from './scope.js';
import { cannotJudge, route, understand } from './steering-rules.js';
import type { Toolbox } from './tools.js';
import { canSeeFiles, toolboxOf } from './tools.js';

/**
 * Characters that a conversation may have, to be added to by one more reply. A run that continues as new carries
 * its whole conversation, and would have to drop some above 1.6 MB.
 */
const MOST_CHARS = 900_000;

/** Why a goal ends whose plan has no task left: none of these is an early end. */
const CARRIED_OUT = inAllLanguages('whyCarriedOut');
const CARRIED_OUT_PARTLY = inAllLanguages('whyCarriedOutPartly');

function inAllLanguages(key: WordKey): ReadonlySet<string> {
  return new Set(Object.values(BUILT_IN_WORDS).map(words => words[key]));
}

/** Answers for the role that the request is for. */
export function replyFor(conversation: Conversation): RuleReply {
  const seen: Seen = {
    intent: readGoal(conversation.goal),
    evidence: gatherEvidence(conversation.calls),
    isFull: conversation.chars > MOST_CHARS,
  };
  switch (conversation.form) {
    case 'plan':
      return planReply(conversation, seen);
    case 'execution':
      return executorReply(conversation, seen);
    case 'verdict':
      return verifierReply(conversation, seen);
    case 'intent':
      return understand(conversation.lastWords);
    case 'route':
      return route(conversation.lastWords);
    case 'choice':
      return chooseMode(seen);
    case 'review':
    case 'orchestration':
      return cannotJudge();
    case 'text':
      return textReply(conversation, seen);
  }
}

/** By how much there is to find out: nothing, one thing, or several. */
function chooseMode({ intent }: Seen): RuleReply {
  const { length } = workFor(intent);
  const mode = length === 0 ? 'direct' : length === 1 ? 'react' : 'team';
  const reason = `The goal takes ${plural(length, 'kind')} of work with files.`;
  return jsonReply(reason, 'selector-response', { mode, reason });
}

/** Calls what is still missing; reports when nothing is, or when the run offers no tools any more. */
function executorReply({ brief, task, tools }: Conversation, seen: Seen): RuleReply {
  const id = task?.slots.id ?? '';
  const own = workOfTask(id);
  const isExplaining = id === EXPLAIN_TASK;
  // A task of another planner, or of a person: all that the goal needs.
  const work = own !== null ? [own] : isExplaining ? [] : workFor(seen.intent);
  const calls = missingCalls(work, tools, seen);
  if (calls !== null) return calls;
  const report = work.map(kind => writeReport(kind, seen)).join('\n\n');
  const isDone = brief?.kind !== 'report' || work.every(kind => nextCalls(kind, seen, ALL_USES).length === 0);
  const isRefused = own === 'write' && whyNotWritten(seen) !== null;
  return jsonReply('Reports what the results show.', 'executor-response', {
    summary: report || answerWithoutTools(seen),
    taskCompleted: isDone && !isRefused,
    shouldContinue: false,
    nextAction: isRefused ? 'skip' : isDone ? 'complete' : null,
    todos: [],
  });
}

/** Calls for all that is still lacking, so that few rounds bring much; null where nothing is. */
function missingCalls(work: readonly Work[], tools: string[], seen: Seen): RuleReply | null {
  const box = toolboxOf(tools);
  const calls = callsForAll(work, seen, box);
  return calls.length > 0 ? callReply(seen, calls, box) : null;
}

function callReply(seen: Seen, wanted: readonly WantedCall[], box: Toolbox): RuleReply {
  const calls = wanted.map(({ use, args }) => ({
    name: box[use] ?? use,
    arguments: use === 'write' ? { ...args, content: writeAnswer(seen) } : args,
  }));
  const names = [...new Set(calls.map(({ name }) => name))].join(', ');
  const english = `${plural(calls.length, 'call')} of ${names}.`;
  const text = say(seen, english, `调用 ${names} 共 ${calls.length} 次。`);
  return { thought: 'Calls tools for what is still missing.', text, calls };
}

/** Sends the work back while a further call can bring something; else answers. */
function verifierReply({ brief }: Conversation, seen: Seen): RuleReply {
  const tasks = brief ? tasksOf(brief) : [];
  const isBlind = tasks.some(({ id }) => id === EXPLAIN_TASK);
  const gaps = isBlind ? [] : missingWork(seen);
  const limit = gaps.length > 0 ? null : whyNotServed(seen, isBlind);
  const feedback =
    limit ??
    say(seen, `Mechanical checks found ${gaps.length} gaps.`, `机械检查发现 ${gaps.length} 处缺口。`);
  return jsonReply('Checks by rules what the results cover.', 'verifier-response', {
    allCompleted: gaps.length === 0,
    userNeedsSatisfied: gaps.length === 0 && limit === null,
    overallFeedback: feedback,
    summary: isBlind ? answerWithoutTools(seen) : writeAnswer(seen),
    improvements: limit === null ? gaps.map(work => improvementFor(work, seen)) : [limit],
    tasks: tasks.map(({ id }) => {
      const gap = gaps.find(work => work === workOfTask(id));
      const missing = gap === undefined ? 'Nothing more to be had by tools.' : improvementFor(gap, seen);
      return { id, completed: gap === undefined, feedback: missing };
    }),
  });
}

/** Why the goal is not met although nothing more can be done; null where it is met. */
function whyNotServed(seen: Seen, isBlind: boolean): string | null {
  if (whyNotWritten(seen) !== null) return say(seen, 'The file was not written.', '文件没有写入。');
  if (!isBlind && seen.intent.unserved === null) return null;
  return say(
    seen,
    'The goal asks for more than rules can do: they list, quote, count and find.',
    '目标超出了规则的能力：规则只能列出、引用、统计和查找。',
  );
}

/** The answer, of whoever works alone, or where the work ended before it was verified. */
function textReply(conversation: Conversation, seen: Seen): RuleReply {
  const { brief, tools } = conversation;
  if (brief?.kind === 'work') {
    const led = leadReply(conversation, seen);
    if (led !== null) return led;
    const answer = canSeeFiles(toolboxOf(tools)) ? writeAnswer(seen) : answerWithoutTools(seen);
    return (
      missingCalls(workFor(seen.intent), tools, seen) ?? plainReply('Answers from what there is.', answer)
    );
  }
  if (brief?.kind !== 'wrap_up') return plainReply('Nothing that a rule is for.', answerWithoutTools(seen));
  return plainReply('Answers from what there is.', writeAnswer(seen, endNote(seen, brief.slots.why ?? '')));
}

/** How the work ended, for the answer: nothing where all of a plan was carried out. */
function endNote(seen: Seen, why: string): string {
  if (CARRIED_OUT.has(why)) return '';
  const missing = say(seen, 'What is missing below was not looked at.', '下文没有的内容没有查看。');
  const end = CARRIED_OUT_PARTLY.has(why)
    ? say(seen, 'Not all of the plan was carried out. ', '计划没有全部完成。')
    : earlyEnd(seen, why);
  return `${end}${missing}`;
}
