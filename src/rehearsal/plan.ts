/** Planner rules: tasks from the goal's words, and from what the last verification found missing. */
import { tasksOf } from './briefs.js';
import type { Conversation } from './conversation.js';
import { topicsOf, workFor } from './goal.js';
import type { Work } from './goal-words.js';
import { TOPICS, WORKS } from './goal-words.js';
import { plural } from './markdown.js';
import { ALL_USES, nextCalls } from './next-calls.js';
import type { RuleReply } from './reply.js';
import { jsonReply } from './reply.js';
import type { Seen } from './scope.js';
import { say } from './scope.js';
import { canSeeFiles, toolboxOf, toolsInOverview } from './tools.js';

/** The task of a run in which no files can be seen. */
export const EXPLAIN_TASK = 'explain';

/** The criterion of every task. */
const DONE_WHEN = 'All of it was done, and what could not be done is named with the reason';
const DONE_WHEN_ZH = '全部完成，未能完成的已说明原因';

interface PlannedTask {
  id: string;
  description: string;
  dependencies: string[];
  completionCriteria: string;
}

/** Answers a planning brief: with the first plan, or with new tasks for what is missing. */
export function planReply({ brief, offered, system }: Conversation, seen: Seen): RuleReply {
  const box = toolboxOf(offered.length > 0 ? offered : toolsInOverview(system));
  const known = brief?.kind === 'replan' ? tasksOf(brief) : [];
  const work = known.length > 0 ? missingWork(seen) : workFor(seen.intent);
  const canDo = canSeeFiles(box) ? work.filter(kind => kind !== 'write' || box.write !== undefined) : [];
  const taken = known.map(({ id }) => id);
  // Where nothing more can be done, the plan stays as it is.
  const kept =
    known.length > 0 ? known.map(({ id, description }) => taskOf(id, description)) : explaining(seen);
  const tasks = canDo.length > 0 ? tasksFor(seen, canDo, taken) : kept;
  const todos = tasks.map((task, index) => ({ ...task, priority: index + 1, status: 'pending' }));
  const summary = say(
    seen,
    `Rehearsal plan by rules: ${plural(todos.length, 'task')}.`,
    `按规则制定的演练计划：${todos.length} 项任务。`,
  );
  const thought = 'Plans from the words of the goal, the tools offered and what was found missing.';
  return jsonReply(thought, 'planner-response', { summary, needsMorePlanning: false, todos });
}

function taskOf(id: string, description: string): PlannedTask {
  return { id, description, dependencies: [], completionCriteria: description };
}

function explaining(seen: Seen): PlannedTask[] {
  const [english, chinese] = [
    'Say what can be done without tools that see files',
    '说明没有文件工具时能做什么',
  ];
  return [taskOf(EXPLAIN_TASK, say(seen, english, chinese))];
}

/** What the goal needs, that is not there, and that a further call can bring. */
export function missingWork(seen: Seen): Work[] {
  return workFor(seen.intent).filter(work => nextCalls(work, seen, ALL_USES).length > 0);
}

/** Says what a kind of work still lacks, with the files and folders by name. */
export function improvementFor(work: Work, seen: Seen): string {
  const names = nextCalls(work, seen, ALL_USES).flatMap(({ args }) => args.paths ?? args.path ?? []);
  const shown = names.slice(0, 8).join(', ') + (names.length > 8 ? ', …' : '');
  return [describe(work, seen), shown].filter(Boolean).join(': ');
}

/** The kind of work that a task id names: `source`, `source-2`; null for tasks of another planner. */
export function workOfTask(taskId: string): Work | null {
  return WORKS.find(work => work === taskId.replace(/-\d+$/, '')) ?? null;
}

/** What is written comes last; everything else needs the survey. */
function tasksFor(seen: Seen, work: readonly Work[], taken: readonly string[]): PlannedTask[] {
  const ids = new Map(work.map(kind => [kind, freeId(kind, taken)]));
  return work.map(kind => {
    const description = describe(kind, seen);
    const completionCriteria = say(seen, DONE_WHEN, DONE_WHEN_ZH);
    const before = kind === 'write' ? work.filter(other => other !== kind) : (['survey'] as const);
    const dependencies = kind === 'survey' ? [] : before.flatMap(other => ids.get(other) ?? []);
    return { id: ids.get(kind) ?? kind, description, dependencies, completionCriteria };
  });
}

/** Ids of earlier plans belong to their tasks: `source`, then `source-2`. */
function freeId(name: string, taken: readonly string[]): string {
  let id = name;
  for (let number = 2; taken.includes(id); number += 1) id = `${name}-${number}`;
  return id;
}

/** What a kind of work is to do. */
function describe(work: Work, seen: Seen): string {
  const { files, folders, words, writeTo } = seen.intent;
  const where = folders.join(', ');
  const aims = [
    ...(work === 'read' ? files : []),
    ...topicsOf(work, seen.intent).map(topic => say(seen, TOPICS[topic].aim[0], TOPICS[topic].aim[1])),
    ...(work === 'source' ? words : []).map(word =>
      say(seen, `find the places of "${word}"`, `查找“${word}”出现的位置`),
    ),
  ].join(say(seen, ', ', '、'));
  const texts: Record<Work, [english: string, chinese: string]> = {
    survey: [
      `List ${where || 'the folder'} with file sizes, without dependency and build folders`,
      `列出${where || '工作目录'}的内容和文件大小，不含依赖和构建目录`,
    ],
    read: [`Read ${aims}`, `读取${aims}`],
    source: [`Read the text files to ${aims}`, `读取文本文件，${aims}`],
    write: [`Write what was found to ${writeTo}`, `把结果写入 ${writeTo}`],
  };
  return say(seen, ...texts[work]);
}
