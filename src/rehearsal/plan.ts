/** Planner rules: tasks from the goal's words, and from what the last verification found missing. */
import { tasksOf } from './briefs.js';
import type { Conversation } from './conversation.js';
import type { Work } from './goal.js';
import { WORKS, workFor } from './goal.js';
import { plural } from './markdown.js';
import { ALL_USES, nextCalls } from './next-calls.js';
import type { RuleReply } from './reply.js';
import { jsonReply } from './reply.js';
import type { Seen } from './scope.js';
import { say } from './scope.js';
import { canSeeFiles, toolboxOf, toolsInOverview } from './tools.js';

/** The task of a run in which no files can be seen. */
export const EXPLAIN_TASK = 'explain';

interface PlannedTask {
  id: string;
  description: string;
  dependencies: string[];
  completionCriteria: string;
}

/** Answers a planning brief. */
export function planReply({ brief, system }: Conversation, seen: Seen): RuleReply {
  const known = brief?.kind === 'replan' ? tasksOf(brief) : [];
  const tasks = known.length > 0 ? replanned(seen, known) : firstPlan(seen, system);
  const todos = tasks.map((task, index) => ({ ...task, priority: index + 1, status: 'pending' }));
  const summary = say(
    seen,
    `Rehearsal plan by rules: ${plural(todos.length, 'task')}.`,
    `按规则制定的演练计划：${todos.length} 项任务。`,
  );
  const thought = 'Plans from the words of the goal, the tools offered and what was found missing.';
  return jsonReply(thought, 'planner-response', { summary, needsMorePlanning: false, todos });
}

function firstPlan(seen: Seen, system: string): PlannedTask[] {
  const box = toolboxOf(toolsInOverview(system));
  const canDo = workFor(seen.intent).filter(work => work !== 'write' || box.write !== undefined);
  if (canSeeFiles(box)) return tasksFor(seen, canDo, []);
  const description = say(
    seen,
    'Say what can be done without tools that see files',
    '说明没有文件工具时能做什么',
  );
  return [{ id: EXPLAIN_TASK, description, dependencies: [], completionCriteria: description }];
}

/** New tasks for what is missing; where nothing more can be done, the plan stays as it is. */
function replanned(seen: Seen, known: { id: string; description: string }[]): PlannedTask[] {
  const missing = missingWork(seen);
  if (missing.length > 0)
    return tasksFor(
      seen,
      missing,
      known.map(({ id }) => id),
    );
  return known.map(task => ({ ...task, dependencies: [], completionCriteria: task.description }));
}

/** What the goal needs, that is not there, and that a further call can bring. */
export function missingWork(seen: Seen): Work[] {
  return workFor(seen.intent).filter(work => nextCalls(work, seen, ALL_USES).length > 0);
}

/** Says what a kind of work still lacks, with the files and folders by name. */
export function improvementFor(work: Work, seen: Seen): string {
  const names = nextCalls(work, seen, ALL_USES).flatMap(({ args }) => args.paths ?? args.path ?? []);
  const shown = names.slice(0, 8).join(', ') + (names.length > 8 ? ', …' : '');
  return shown === '' ? describe(work, seen)[0] : `${describe(work, seen)[0]}: ${shown}`;
}

/** The kind of work that a task id names: `source`, `source-2`; null for tasks of another planner. */
export function workOfTask(taskId: string): Work | null {
  return WORKS.find(work => work === taskId.replace(/-\d+$/, '')) ?? null;
}

/** What is written comes last; everything else needs the survey. */
function tasksFor(seen: Seen, work: readonly Work[], taken: readonly string[]): PlannedTask[] {
  const ids = new Map(work.map(kind => [kind, freeId(kind, taken)]));
  return work.map(kind => {
    const [description, completionCriteria] = describe(kind, seen);
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

/** What a kind of work is to do, and when it is done. */
function describe(work: Work, seen: Seen): [description: string, criterion: string] {
  const { folders, writeTo } = seen.intent;
  switch (work) {
    case 'survey': {
      const where = folders.join(', ');
      return [
        say(
          seen,
          `List ${where || 'the folder'} with file sizes, without dependency and build folders`,
          `列出${where || '工作目录'}的内容和文件大小，不含依赖和构建目录`,
        ),
        say(seen, 'Every folder found is listed', '找到的每个文件夹都已列出'),
      ];
    }
    case 'read':
      return [
        say(seen, `Read ${aims(seen, work)}`, `读取${aims(seen, work)}`),
        say(seen, 'Each was read whole, or is named with the reason', '每个文件都已完整读取，或说明了原因'),
      ];
    case 'source':
      return [
        say(seen, `Read the text files to ${aims(seen, work)}`, `读取文本文件，${aims(seen, work)}`),
        say(
          seen,
          'Every text file found was read whole, or is named as not read',
          '找到的每个文本文件都已完整读取，或列为未读取',
        ),
      ];
    case 'write':
      return [
        say(seen, `Write what was found to ${writeTo}`, `把结果写入 ${writeTo}`),
        say(seen, 'The file was written, or a person did not want it', '文件已写入，或有人不同意写入'),
      ];
  }
}

/** What is read, or what for, in words. */
function aims(seen: Seen, work: 'read' | 'source'): string {
  const { files, words, topics } = seen.intent;
  const names: Record<typeof work, [topic: string, english: string, chinese: string][]> = {
    read: [
      ['readme', 'the README', ' README'],
      ['headings', 'the Markdown files for their headings', 'Markdown 文件的标题'],
      ['dependencies', 'the package files for dependencies', '依赖清单'],
    ],
    source: [
      ['lines', 'count lines by language', '按语言统计行数'],
      ['todos', 'find TODO, FIXME and XXX', '查找 TODO、FIXME 和 XXX'],
    ],
  };
  const asked = names[work].filter(([topic]) => topics.some(one => one === topic));
  const places = words.map(word => say(seen, `find the places of "${word}"`, `查找“${word}”出现的位置`));
  return [
    ...(work === 'read' ? files : []),
    ...asked.map(([, english, chinese]) => say(seen, english, chinese)),
    ...(work === 'source' ? places : []),
  ].join(say(seen, ', ', '、'));
}
