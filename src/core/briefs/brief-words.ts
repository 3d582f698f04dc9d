/**
 * The words of the run to its roles, by the language of the prompts: briefs stand beside prompts that are in the same
 * one. `{name}` is a slot. What takes the words apart again (`rehearsal/briefs.ts`) does it by these texts.
 */
import { ownValue } from '../json.js';

const EN = {
  takeRole:
    'You are now in the role `{role}`. These are its instructions; they hold whenever the run speaks to `{role}`:',
  noToolsOfRole: 'The tools are for other roles: a call by this one is not run.',
  toolsOfRole: 'Of the tools this role has {tools}: a call of any other is not run.',
  asRole: 'To `{role}`:',
  goOnAs: 'To `{role}`: go on.',
  plan: 'Plan the goal above. Answer with the plan as JSON.',
  afterVerification: 'A verification found that the goal is not met yet.',
  afterUser: 'The person wants the plan changed.',
  afterReview: 'A review did not accept the plan.',
  afterOrchestrator: 'A task has failed, and the orchestrator wants another plan.',
  thisIsPlan: 'This is plan {cycle}.',
  improvements: 'What is asked for:',
  reading: 'How the understanding role read it, which may be wrong:',
  tasksSoFar: 'Tasks so far:',
  planAgain:
    'Plan what is needed for this. Finished tasks stay as they are; give new tasks new ids, and repeat the id of a task only to change it or to have it done again. Answer with the plan as JSON.',
  planMore:
    'You said that the plan needs more work: add to it or refine it now. Tasks that stay as they are need not be repeated. {left} planning round(s) left. Answer as JSON.',
  planUnanswered: 'Nobody answered: make the best plan you can, and say what you assume.',
  wishes: 'Later wishes of the person, part of the goal; on conflict the later counts:',
  task: 'Do this task now: {id} — {description}',
  doneWhen: 'It is done when: {criterion}',
  otherTasks: 'The other tasks, each done in its turn:',
  held: 'Results in this conversation that still hold; call again whatever you need anew:',
  rounds:
    'At most {rounds} rounds. Call tools as needed; then answer with the result as JSON, with taskCompleted.',
  goOn: '{id} is not finished yet: go on with it. {left} round(s) left.',
  retry:
    'You asked to retry {id}: start it again. Earlier results of this task may be asked for anew. {left} round(s) left.',
  notReviewed: 'A review does not accept {id} yet. Mend this:',
  notAccepted: 'The result of {id} is not accepted.',
  roundsLeft: '{left} round(s) left.',
  report:
    'The rounds of {id} are used up and no tools are left. Report as JSON what you found and what is missing, with the actual data.',
  verify: 'Verify the work on the goal:',
  toJudge: 'Tasks to judge, one entry in `tasks` for each:',
  replaced: 'Ended under an earlier plan and replaced, not to be judged: {ids}.',
  reports: 'Reports of the tasks:',
  reportsAbove: 'Their reports stand in this conversation.',
  noReports: 'No task left a report.',
  verdict: 'Check them against the tool results in this conversation. Answer with your verdict as JSON.',
  verdictUnanswered:
    'Nobody answered your question: judge by what there is, and answer with your verdict as JSON. What is in doubt is not completed.',
  direct:
    'Do what the goal asks, in at most {rounds} rounds: call tools as needed, then answer in Markdown, with the actual data found.',
  wrapUp: 'The work on the goal ends here: {why}.',
  goal: 'The goal:',
  tasks: 'Tasks:',
  answer:
    'Answer the goal now as well as the conversation allows, in Markdown, with the actual data found. Say plainly what is missing or was not checked. No tools, no JSON.',
  priority: 'priority {priority}',
  after: 'after {ids}',
  byPerson: 'set by the person',
  criterion: 'done when: {criterion}',
  cutOff: 'Your reply was cut off. Go on from there.',
  goOnText:
    'Your reply was cut off at the output limit. Go on right after these words, and repeat nothing:\n{end}',
  reask: 'Your last reply could not be used:',
  moreFaults: 'and {count} more of the kind.',
  noTools: 'No tools are available here: the calls were not run.',
  reaskForm: 'Answer again with one JSON object and nothing else, in this form:',
  reaskText: 'Answer again with text for the reader.',
  intent: 'A message of the person has arrived. Say what is meant by it.',
  route: 'Decide where this message takes the run.',
  asked: 'Asked what was meant, the person answered:',
  intentEnd: 'Answer with your analysis as JSON.',
  routeEnd: 'Answer with your decision as JSON.',
  reviewPlan: 'Review this plan before it runs.',
  reviewResult: 'Review the result of {id}.',
  reviewAction: 'Review this call of {tool} before it runs.',
  reviewEnd: 'Answer with your review as JSON.',
  isCut:
    'For its length only a part of it stands here: {shown} of {whole} characters. Where it says "[cut: …]" the run has left out the rest, which is there in full: judge what you see, and do not take it for incomplete because of that.',
  failed: 'Task {id} has failed ({reason}). Propose how to go on.',
  noReason: 'no reason given',
  itsReport: 'Its report:',
  noReport: 'It left no report.',
  proposalEnd: 'Answer with one proposal as JSON.',
};

export type BriefWords = Readonly<Record<keyof typeof EN, string>>;

const ZH: BriefWords = {
  takeRole: '你现在的角色是 `{role}`。以下是它的指令，凡是运行对 `{role}` 说话时都有效：',
  noToolsOfRole: '工具是给其他角色用的：这个角色的调用不会执行。',
  toolsOfRole: '这个角色只有这些工具：{tools}。对其他工具的调用不会执行。',
  asRole: '致 `{role}`：',
  goOnAs: '致 `{role}`：请继续。',
  plan: '请为上面的目标制定计划，以 JSON 回复计划。',
  afterVerification: '验证发现目标尚未达到。',
  afterUser: '用户希望修改计划。',
  afterReview: '审查没有通过这份计划。',
  afterOrchestrator: '有任务失败，编排者希望换一份计划。',
  thisIsPlan: '这是第 {cycle} 份计划。',
  improvements: '提出的要求：',
  reading: '理解者是这样理解的，可能有误：',
  tasksSoFar: '目前的任务：',
  planAgain:
    '请为此作出所需的计划。已完成的任务保持不变；新任务用新的 id，只有要修改或重做某项任务时才重复它的 id。以 JSON 回复计划。',
  planMore: '你说计划还需要完善：现在补充或细化，保持不变的任务不必重复。规划还剩 {left} 轮。以 JSON 回复。',
  planUnanswered: '没有人回答：请尽可能作出最好的计划，并写明所作的假设。',
  wishes: '用户后来的要求，属于目标，有冲突时以后说的为准：',
  task: '现在做这项任务：{id} — {description}',
  doneWhen: '完成标准：{criterion}',
  otherTasks: '其他任务，轮到时再做：',
  held: '本对话中仍然成立的结果；需要时可以重新调用：',
  rounds: '最多 {rounds} 轮。按需要调用工具，然后以 JSON 回复结果，并写明 taskCompleted。',
  goOn: '{id} 还没有完成：请继续。还剩 {left} 轮。',
  retry: '你要求重试 {id}：请重新开始，先前的结果可以再次获取。还剩 {left} 轮。',
  notReviewed: '审查还没有通过 {id}。请修改：',
  notAccepted: '{id} 的结果未被接受。',
  roundsLeft: '还剩 {left} 轮。',
  report: '{id} 的轮次已用完，不能再用工具。请以 JSON 报告发现了什么、还缺什么，写出实际数据。',
  verify: '请验证为这个目标所做的工作：',
  toJudge: '要评判的任务，在 `tasks` 中各占一条：',
  replaced: '属于先前的计划、已被替换、不必评判：{ids}。',
  reports: '各项任务的报告：',
  reportsAbove: '它们的报告在本对话中。',
  noReports: '没有任务留下报告。',
  verdict: '请对照本对话中的工具结果检查，以 JSON 回复结论。',
  verdictUnanswered: '没有人回答你的问题：请根据现有内容评判，以 JSON 回复结论。拿不准的就是没有完成。',
  direct: '请完成这个目标，最多 {rounds} 轮：按需要调用工具，然后用 Markdown 回答，写出查到的实际数据。',
  wrapUp: '这个目标的工作到此结束：{why}。',
  goal: '目标：',
  tasks: '任务：',
  answer:
    '请在对话允许的范围内回答目标，使用 Markdown，写出查到的实际数据。明确说明还缺什么、哪些没有核实。不用工具，不用 JSON。',
  priority: '优先级 {priority}',
  after: '在 {ids} 之后',
  byPerson: '由用户设定',
  criterion: '完成标准：{criterion}',
  cutOff: '你的回复中断了，请从那里继续。',
  goOnText: '你的回复因输出上限而中断。请紧接着下面的文字继续，不要重复：\n{end}',
  reask: '你上一条回复无法使用：',
  moreFaults: '以及同类问题 {count} 处。',
  noTools: '这里没有工具可用，调用没有执行。',
  reaskForm: '请重新回复，只给一个 JSON 对象，形式如下：',
  reaskText: '请用给读者看的文字重新回复。',
  intent: '用户发来一条消息，请说明它的意思。',
  route: '请决定这条消息把运行带向哪里。',
  asked: '问过是什么意思，用户回答：',
  intentEnd: '以 JSON 回复你的分析。',
  routeEnd: '以 JSON 回复你的决定。',
  reviewPlan: '请在执行之前审查这份计划。',
  reviewResult: '请审查 {id} 的结果。',
  reviewAction: '请在执行之前审查对 {tool} 的这次调用。',
  reviewEnd: '以 JSON 回复你的审查结果。',
  isCut:
    '因为太长，这里只有一部分：{whole} 个字符中的 {shown} 个。写着 "[cut: …]" 的地方是运行时省略的，原文是完整的：请按看到的内容评判，不要因此当作不完整。',
  failed: '任务 {id} 失败了（{reason}）。请建议怎样继续。',
  noReason: '没有说明原因',
  itsReport: '它的报告：',
  noReport: '它没有留下报告。',
  proposalEnd: '以 JSON 回复一项建议。',
};

/** By language of the prompts; any other reads English. */
export const BRIEF_WORDS: Readonly<Record<'en' | 'zh', BriefWords>> = { en: EN, zh: ZH };

/** The words in the language of the run's prompts. */
export function wordsOf({ pinned }: { pinned: { language: string } | null }): BriefWords {
  const words: Readonly<Record<string, BriefWords>> = BRIEF_WORDS;
  return (pinned && ownValue(words, pinned.language)) ?? EN;
}

/** Fills the slots of a text in one pass: what is filled in is not searched again. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (slot, name: string) => String(values[name] ?? slot));
}

/** Finds a text whose slots are filled: each is a named group, and one at its end takes the rest of the line. */
export function filled(text: string): string {
  const source = text.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  const seen = new Set<string>();
  const slots = source.replace(/\{(\w+)\}/g, (_slot, name: string) => {
    const again = seen.has(name);
    seen.add(name);
    return again ? `\\k<${name}>` : `(?<${name}>.+?)`;
  });
  return `${slots}${text.endsWith('}') ? '$' : ''}`;
}

/** Said beside what is shown in part, so that nobody takes the cut for a fault of it; nothing where it is whole. */
export function cutNote(words: BriefWords, whole: string, shown: string): string[] {
  return whole === shown ? [] : [fill(words.isCut, { whole: whole.length, shown: shown.length })];
}
