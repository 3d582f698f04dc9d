/** What the demo model says, in two languages. */
const EN = {
  /** Begins every thought and every answer, so that nobody takes it for a model that understands. */
  label: 'Demo model: rules, not intelligence.',
  how: 'What follows was listed, quoted and counted from your files by fixed rules; name a real model for one that understands.',
  blind:
    'Nothing was looked at: no tool that lists or reads files was there. A file server in .mcp.json gives such tools to every mode but direct.',
  cannot: (word: string) =>
    `**This model cannot do what the goal asks${word && ` with “${word}”`}: it understands nothing and writes nothing new.** It can list a folder, quote the README and files you name, count lines, find TODOs, and write what it found to a file. Here is what it saw.`,
  early: (why: string) => `The work ended early: ${why}. What is missing below was not looked at.`,
  written: (file: string) => `This was written to ${file}.`,
  notWritten: (file: string, why: string) => `**${file} was not written**: ${why}`,
  plan: (count: number) => `Demo plan by rules: ${count} ${count === 1 ? 'task' : 'tasks'}.`,
  survey: () => 'List the files and folders',
  read: (what: string) => `Read ${what}`,
  source: (what: string) => `Read the text files for ${what}`,
  write: (file: string) => `Write what was found to ${file}`,
  calls: (names: string, count: number) => `Calls ${names}${count > 1 ? `, ${count} times` : ''}.`,
  topics: { readme: 'README', tree: 'Files and folders', lines: 'Lines', todos: 'TODO, FIXME, XXX' },
  noFile: (name: string) => `There is no ${name} that could be read.`,
  files: (count: number) => `${count} ${count === 1 ? 'file' : 'files'}`,
  found: (files: string, count: number) => `${files} in ${count} ${count === 1 ? 'folder' : 'folders'}`,
  leftOut: (names: string) => `, left out: ${names}`,
  notListed: (count: number) => `, ${count} not listed whole`,
  lines: (count: number) => `${count} ${count === 1 ? 'line' : 'lines'}`,
  coverage: (read: number, all: number) => ` · ${read} of ${all} text files read`,
  more: (count: number) => `and ${count} more`,
};
export type Words = typeof EN;

const ZH: Words = {
  label: '演示模型：只有规则，没有智能。',
  how: '以下内容由固定规则从你的文件中列出、引用和统计；需要理解能力时请指定真实模型。',
  blind:
    '什么也没有查看：这里没有能列出或读取文件的工具。.mcp.json 中的文件服务器为 direct 以外的各种模式提供它们。',
  cannot: word =>
    `**目标的要求${word && `“${word}”`}本模型做不到：它没有理解能力，也不创作内容。**它能列出目录，引用 README 和指明的文件，统计行数，查找待办，并把结果写入文件。以下是它看到的内容。`,
  early: why => `工作提前结束：${why}。下文没有的内容没有查看。`,
  written: file => `以下内容已写入 ${file}。`,
  notWritten: (file, why) => `**${file} 没有写入**：${why}`,
  plan: count => `按规则制定的演示计划：${count} 项任务。`,
  survey: () => '列出文件和文件夹',
  read: what => `读取 ${what}`,
  source: what => `读取文本文件，查找 ${what}`,
  write: file => `把结果写入 ${file}`,
  calls: (names, count) => `调用 ${names} 共 ${count} 次。`,
  topics: { readme: 'README', tree: '目录结构', lines: '行数', todos: '待办（TODO、FIXME、XXX）' },
  noFile: name => `没有可以读取的 ${name}。`,
  files: count => `${count} 个文件`,
  found: (files, count) => `共 ${files}、${count} 个文件夹`,
  leftOut: names => `，未计入：${names}`,
  notListed: count => `，${count} 个没有完整列出`,
  lines: count => `${count} 行`,
  coverage: (read, all) => ` · 读取了 ${all} 个文本文件中的 ${read} 个`,
  more: count => `另有 ${count} 项`,
};

export const WORDS = { en: EN, zh: ZH } as const;
