/** What the demo model says, in two languages. */
const EN = {
  /** Begins every thought and every answer, so that nobody takes it for a model that understands. */
  label: 'Demo model: rules, not intelligence.',
  cannot: (goal: string) =>
    `It can't do ${goal}. It can tell what is in this folder and what is left to do, count files and lines, find TODOs, show a file, and write a summary. A key in .env (OPENAI_API_KEY=… or ANTHROPIC_API_KEY=…) brings a model that can do more.`,
  /** Each is on the list of goals too. */
  tasks: {
    files: (of: string) => (of === '.' ? 'Count the files' : `Count the files in ${of}`),
    readme: (_: string) => 'Quote the beginning of the README',
    marks: (of: string) => `Find ${of}`,
    read: (of: string) => `Show ${of}`,
    lines: (of: string) => `Count the lines of ${of}`,
    write: (of: string) => `Write the answer to ${of}`,
  },
  files: (count: string) => `${count} file${count === '1' ? '' : 's'}`,
  lines: (count: string) => `${count} line${count === '1' ? '' : 's'}`,
  counted: 'Hidden files count. Links, `.git` and what git ignores do not.',
  searched: (of: string) =>
    `Lines with ${of.replaceAll('/', ', ')} as a word in capitals, without what git ignores. Plans in other words are not seen.`,
  lineEnds: 'A last line without a line end counts.',
  noReadme: 'There is no README here.',
  calls: (names: string) => `Calls ${names}.`,
  faults: {
    denied: 'not allowed',
    unseen: 'not seen',
    partly: 'not all of it was seen',
    ended: 'the call brought no result',
  },
  written: (file: string) => `This was written to ${file}.`,
};
export type Words = typeof EN;

const ZH: Words = {
  label: '演示模型：只有规则，没有智能。',
  cannot: goal =>
    `它做不到${goal}。它能说明这个文件夹里有什么、还有什么要做，统计文件和行数，查找 TODO，显示文件，写入总结。在 .env 中写入 OPENAI_API_KEY=… 或 ANTHROPIC_API_KEY=…，即可使用能做更多的模型。`,
  tasks: {
    files: of => (of === '.' ? '统计文件' : `统计${of}里的文件`),
    readme: () => '引用README的开头',
    marks: of => `查找${of}`,
    read: of => `显示${of}`,
    lines: of => `统计${of}的行数`,
    write: of => `把回答写入${of}`,
  },
  files: count => `${count} 个文件`,
  lines: count => `${count} 行`,
  counted: '隐藏文件计入；链接、`.git` 和 git 忽略的内容不计入。',
  searched: of =>
    `含有大写单词 ${of.replaceAll('/', '、')} 的行，git 忽略的内容除外；用其他词语写的计划看不到。`,
  lineEnds: '没有换行符的最后一行也计入。',
  noReadme: '这里没有 README。',
  calls: names => `调用 ${names}。`,
  faults: { denied: '没有得到允许', unseen: '没有看到', partly: '没有看到全部', ended: '调用没有结果' },
  written: file => `以下内容已写入 ${file}。`,
};

export const WORDS = { en: EN, zh: ZH } as const;
