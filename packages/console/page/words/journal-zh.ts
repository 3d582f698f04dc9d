/** Journal texts that `prompts/words` lacks, with their Chinese translation; `{names}` stand for inserted values. */

/** Why a task has its status. */
const REASONS = [
  ['max_rounds', '轮次用尽'],
  ['bad_output', '输出无法读取'],
  ['gave_up', '已放弃'],
  ['skipped', '已跳过'],
  ['rejected', '被退回'],
  ['rejected by a person', '被人退回'],
  ['rejected by the review', '审查未通过'],
  ['echoed', '由另一项任务的报告得出'],
  ['not answered', '提问无人回答'],
  ['unconfirmed', '未经人工确认'],
  ['replanned', '重新规划'],
  ['removed by a person', '被人移除'],
  ['dependency_failed', '所依赖的任务失败'],
  ['aborted', '计划已中止'],
  ['orchestrated', '由编排者决定'],
  ['error', '出错'],
  ['stopped', '已停止'],
  ['cancelled', '已取消'],
  ['failed', '失败'],
  ['unverified', '未验证'],
  ['budget_exhausted', '预算用尽'],
] as const;

/** The outcomes of a message. */
const ACTS = [
  ['continue', '继续'],
  ['minor_replan', '修改计划的一部分'],
  ['full_replan', '重新规划'],
  ['new_task', '另起一个运行'],
  ['next_goal', '下一个目标'],
  ['control', '控制指令'],
  ['ask_user', '询问'],
] as const;

/** Advice about an error of an endpoint, after the endpoint's own words. */
const ADVICE = [
  ['', ''],
  [' Check the key in {key}.', '请检查 {key} 中的密钥。'],
  [' No key was sent: {key} is not set.', '没有发送密钥：未设置 {key}。'],
  [' The key in {key} may not use this model.', '{key} 中的密钥无权使用这个模型。'],
  [' The account of the key in {key} has no credit or quota left.', '{key} 中密钥的账户没有余额或配额。'],
  [
    ' The endpoint does not know the model "{name}": check its name, and {url}.',
    '端点没有模型“{name}”：请检查它的名称和 {url}。',
  ],
  [
    ' Its protocol is not spoken at this address: check {url} ({hint}).',
    '这个地址不支持它的协议：请检查 {url}（{hint}）。',
  ],
  [' The conversation does not fit this model.', '对话超出了这个模型的容量。'],
] as const;

/** Faults that schemas find in values, and validators in the answers of gates. */
const INVALID = [
  ['The fields do not fit the form: {faults}.', '填写的内容不符合表单：{faults}。'],
  ['The arguments do not fit {tool}: {faults}.', '参数不符合 {tool}：{faults}。'],
  ['{path}: the required property "{name}" is missing', '{path}：缺少必需的属性 "{name}"'],
  ['{path}: unknown property "{name}"', '{path}：未知的属性 "{name}"'],
  ['{path}: unknown property "{name}"; known: {names}', '{path}：未知的属性 "{name}"；已知的有：{names}'],
  ['known: {names}', '已知的有：{names}'],
  ['{path}: expected {wanted}, got {given}', '{path}：应为 {wanted}，得到的是 {given}'],
  ['{path}: expected one of {wanted}, got {given}', '{path}：应为下列之一：{wanted}，得到的是 {given}'],
  [
    '{path}: must match pattern "{pattern}", got {given}',
    '{path}：必须符合模式 "{pattern}"，得到的是 {given}',
  ],
  ...['>', '>=', '<', '<='].map(
    sign =>
      [
        `{path}: must be ${sign} {limit}, got {given}`,
        `{path}：必须 ${sign} {limit}，得到的是 {given}`,
      ] as const,
  ),
  ['{path}: String is too short ({sizes}), got {given}', '{path}：文字太短（{sizes}），得到的是 {given}'],
  ['{path}: String is too long ({sizes}), got {given}', '{path}：文字太长（{sizes}），得到的是 {given}'],
  ['{path}: Array has too few items ({sizes}), got {given}', '{path}：项目太少（{sizes}），得到的是 {given}'],
  [
    '{path}: Array has too many items ({sizes}), got {given}',
    '{path}：项目太多（{sizes}），得到的是 {given}',
  ],
  ['{path}: has too few properties ({sizes}), got {given}', '{path}：属性太少（{sizes}），得到的是 {given}'],
  ['{path}: has too many properties ({sizes}), got {given}', '{path}：属性太多（{sizes}），得到的是 {given}'],
  [
    '{path}: Instance does not match any {forms}, got {given}',
    '{path}：不符合任何一种允许的形式，得到的是 {given}',
  ],
  [
    '{path}: Instance does not match exactly one subschema ({count}), got {given}',
    '{path}：必须恰好符合一种允许的形式，得到的是 {given}',
  ],
  ['{path}: Instance matched {form}, got {given}', '{path}：符合了不允许的形式，得到的是 {given}'],
  [
    '{path}: Instance has "{name}" but does not have "{other}", got {given}',
    '{path}：有 "{name}" 却没有 "{other}"，得到的是 {given}',
  ],
  [
    '{path}: Duplicate items at indexes {one} and {other}, got {given}',
    '{path}：第 {one} 项和第 {other} 项（从 0 数起）重复，得到的是 {given}',
  ],
  [
    '{path}: {value} is not a multiple of {step}, got {given}',
    '{path}：必须是 {step} 的倍数，得到的是 {given}',
  ],
  [
    '{path}: String does not match format "{format}", got {given}',
    '{path}：不符合格式 "{format}"，得到的是 {given}',
  ],
] as const;

/** Texts of the console's server and of the client about a failed request. */
const FAULTS = [
  ['The Host header names another server.', '请求的 Host 指向另一台服务器。'],
  ['Requests of other web pages are refused ({header} header).', '拒绝来自其他网页的请求（{header}）。'],
  ['The token is missing or is not known: open a new link.', '令牌缺失或无效：请打开新的链接。'],
  [
    'A request that changes something must be JSON (Content-Type).',
    '修改内容的请求必须是 JSON（Content-Type）。',
  ],
  ['A request that changes something may have 1 MB at most.', '修改内容的请求最多 1 MB。'],
  ['The JSON of the body nests too deeply.', '请求的 JSON 嵌套过深。'],
  ['The body is not JSON.', '请求的内容不是 JSON。'],
  ['There is nothing here.', '没有这个地址。'],
  ['Temporal at {address} does not answer. Trying again …', '{address} 的 Temporal 没有响应。正在重试……'],
  ['Temporal does not answer: {why}', 'Temporal 没有响应：{why}'],
  [
    'Check that it runs, and try again. What was started goes on there.',
    '请检查它是否在运行，然后重试。已经开始的工作会在那里继续。',
  ],
  [
    'There is no run {id} in the namespace {namespace} at {address}.',
    '{address} 的命名空间 {namespace} 中没有运行 {id}。',
  ],
  ['Nearest: {ids}. List the runs with: {command}', '相近的有：{ids}。列出运行：{command}'],
  ['List the runs with: {command}', '列出运行：{command}'],
  ['There is no conversation {id} in the store.', '存储中没有会话 {id}。'],
  ['The conversation {id} has no message {at}.', '会话 {id} 中没有消息 {at}。'],
  [
    'The run {id} has ended ({how}): it accepts nothing more.',
    '运行 {id} 已经结束（{how}），不再接受任何内容。',
  ],
  ['Its answer: {command}', '它的回答：{command}'],
  [
    'No worker answers for the run {id}: it cannot take this now.',
    '没有工作进程为运行 {id} 响应：它现在无法接受。',
  ],
  ['Go on with runs that were left open: {command}', '继续未结束的运行：{command}'],
  ['The run {id} left no answer to go on from.', '运行 {id} 没有留下可以继续的回答。'],
] as const;

export const JOURNAL: readonly (readonly [english: string, chinese: string])[] = [
  ...REASONS.map(([reason, chinese]) => [reason.replaceAll('_', ' '), chinese] as const),
  ...ACTS.map(([act, chinese]) => [`${act}: {reason}`, `${chinese}：{reason}`] as const),
  ...FAULTS,
  ...INVALID,
  ['{id} ({reason}):', '{id}（{reason}）：'],
  ['not available: {names}', '缺少 {names}'],
  // Lines of plans.
  ['{id} (after {ids}): {description}', '{id}（在 {ids} 之后）：{description}'],
  [
    '{id} (after {ids}): {description} (done when: {criterion})',
    '{id}（在 {ids} 之后）：{description}（完成标准：{criterion}）',
  ],
  // Answers of gates.
  ['raise to {limit}', '提高到 {limit}'],
  ['other_model {model}', '换用 {model}'],
  ['no answer', '没有回答'],
  ['no result', '没有结果'],
  ['result', '已给出结果'],
  ['{allowed} is allowed for this run', '{allowed} 在本次运行中始终允许'],
  [
    'The planner cannot make a plan from this goal. What exactly is wanted, and what may be assumed?',
    '规划者无法根据这个目标制定计划。究竟想要什么，可以作哪些假设？',
  ],
  [
    'The verification found the goal not met and did not say why: check every task against the goal.',
    '验证发现目标尚未达到，但没有说明原因：请对照目标检查每项任务。',
  ],
  // Checks.
  ['{check}: passed', '{check}：通过'],
  ['{check}: passed, {why}', '{check}：通过，{why}'],
  ['{check}: failed', '{check}：未通过'],
  ['{check}: failed, {why}', '{check}：未通过，{why}'],
  ['{check}: not_run', '{check}：未执行'],
  ['{check}: not_run, {why}', '{check}：未执行，{why}'],
  ['{check}: interrupted, {why}', '{check}：被打断，{why}'],
  ['exit code {code}', '退出码 {code}'],
  ['it is there', '文件存在'],
  ['it matches', '内容相符'],
  ['it fits its schema', '符合模式'],
  ['it did not end within {ms} ms', '没有在 {ms} 毫秒内结束'],
  ['it was cut off', '它被打断'],
  ['its worker did not say why', '工作进程没有说明原因'],
  ['it could not be started', '无法启动'],
  ['it was ended by {signal}', '被 {signal} 结束'],
  ['there is no such file', '没有这个文件'],
  ['it is not a file', '不是文件'],
  ['it leads out of the workspace', '指向工作区之外'],
  ['it cannot be read ({code})', '无法读取（{code}）'],
  ['{pattern} does not match', '与 {pattern} 不符'],
  ['it is not JSON: {fault}', '不是 JSON：{fault}'],
  ['it does not fit its schema', '不符合模式'],
  ['it failed: {fault}', '它失败了：{fault}'],
  ['not ok', '未通过'],
  [
    'this worker runs no such command: its steersman.yaml names it neither under checks nor under permissions.auto',
    '这个工作进程不运行这样的命令：它的 steersman.yaml 既没有在 checks 中、也没有在 permissions.auto 中写明它',
  ],
  ['The check {check} will not be made: {why}.', '不会执行检查 {check}：{why}。'],
  ['the tool answered', '工具作出了回答'],
  ['the tool found nothing', '工具没有找到任何内容'],
  ['the tool said that it failed', '工具报告失败'],
  ['what it looked at has changed after it passed', '通过之后，它所查看的内容又有变化'],
  // Models.
  ['{role} → {model}: {why}', '{role} → {model}：{why}'],
  ['chosen by a person', '由人选择'],
  ["chosen by the worker's program", '由工作进程的程序选择'],
  ['its own chain again', '回到它自己的模型链'],
  ['{model} failed another role for a reason that lasts', '{model} 在另一个角色处失败，原因持续存在'],
  ...ADVICE.flatMap(([advice, chinese]) => [
    [
      `{model} at {endpoint} answered {status}: {words}.${advice}`,
      `{model}（{endpoint}）返回 {status}：{words}。${chinese}`,
    ] as const,
    [
      `{model} at {endpoint} answered {status}.${advice}`,
      `{model}（{endpoint}）返回 {status}。${chinese}`,
    ] as const,
  ]),
  ['an error in the stream', '流中的错误'],
  ['{model} at {endpoint} did not answer in time ({code}).', '{model}（{endpoint}）没有及时响应（{code}）。'],
  [
    '{model} at {endpoint} answered without one event of {answer}. Check {url} ({hint}).',
    '{model}（{endpoint}）的响应中没有一个 {answer} 事件。请检查 {url}（{hint}）。',
  ],
  ['{model} declined to answer.', '{model} 拒绝回答。'],
  ['{model} declined to answer: "{words}"', '{model} 拒绝回答：“{words}”'],
  ['No connection to {model} at {endpoint} ({code}). {rest}', '连不上 {model}（{endpoint}，{code}）。{rest}'],
  [
    'The connection to {model} at {endpoint} broke in the middle of a reply ({code}).',
    '与 {model}（{endpoint}）的连接在回复中途中断（{code}）。',
  ],
  [
    'The reply of {model} at {endpoint} ended before it was complete: the connection was closed without a finish reason.',
    '{model}（{endpoint}）的回复没有完成就结束了：连接已关闭，而没有给出结束原因。',
  ],
  [
    'The endpoint of {model} stopped its reply with a content filter. Word the goal otherwise, or use another model.',
    '{model} 的端点用内容过滤器中止了回复。请换种方式表述目标，或换用其他模型。',
  ],
  ['Is this machine online?', '本机是否联网？'],
  ['Is a model server running at this address?', '这个地址上是否运行着模型服务器？'],
  ["The address is the provider's own: {url} is not set.", '使用的是提供商自己的地址：没有设置 {url}。'],
  ['The address is set by {url}.', '地址由 {url} 设定。'],
  // Fallbacks.
  ['the task failed', '任务失败'],
  ['the tasks that are open', '未完成的任务'],
  ['an unverified answer', '未经验证的回答'],
  ['the plan as it stands', '现有的计划'],
  ['the mode {mode}', '模式 {mode}'],
  // Reviews.
  ['the plan', '计划'],
  ['the plan · {fixes}', '计划 · {fixes}'],
  // Conversations.
  ['size of the state', '状态过大'],
  ['size of the next segment', '下一段过大'],
  ['context window', '上下文窗口'],
  ['context window: {why}', '上下文窗口：{why}'],
  ['It was interrupted.', '被打断。'],
  [
    'The summary has {written} tokens and stands for {replaced}: it is too long.',
    '摘要有 {written} 词元，而它代替的内容只有 {replaced} 词元：太长。',
  ],
  // Refused messages.
  ['the run has ended', '运行已结束'],
  ['it is paused already', '已经暂停'],
  ['it is not paused', '没有暂停'],
  ['it is stopping already', '已在停止'],
  ['The run has ended.', '运行已结束。'],
  [
    'Too many messages wait already: send it again when some have been read, or put the text in a file and name the file.',
    '等待的消息已经太多：请在读过一些之后再发送，或把文字放进文件并写明文件名。',
  ],
  [
    'The message with this id was taken back: to say something after all, send it under a new id.',
    '这个 id 的消息已经撤回：如果还要说，请用新的 id 发送。',
  ],
  // Warnings.
  [
    'These tools changed since you allowed them, so they ask again: {names}.',
    '以下工具在你允许之后有变化，因此会再次询问：{names}。',
  ],
  ['The tools stay as they were: {why}', '工具保持原样：{why}'],
  ['The plan gives up {id}, which a person set, {why}', '计划放弃了由人设定的 {id}，{why}'],
  ['What {id} used is not known: {why}', '{id} 的用量未知：{why}'],
  ['The app of {tool} cannot be shown: {why}.', '无法显示 {tool} 的应用：{why}。'],
  [
    'Checks that the planner proposed do not count, since no person saw and approved them: {checks}',
    '规划者提出的检查不算数，因为没有人看过并批准：{checks}',
  ],
  ['{id} had ended before it was told {what}.', '{id} 在收到 {what} 之前已结束。'],
  ['{agent} did not take {what}: {why}', '{agent} 没有接受 {what}：{why}'],
  ['{agent} could not take the answer at {gate}: {why}', '{agent} 无法接受 {gate} 的回答：{why}'],
  ['The account was not settled: {why}', '账户没有结算：{why}'],
  ['The transform {name} changed nothing: {why}', '变换 {name} 没有改变任何内容：{why}'],
  [
    "resolveModel of the worker's program chose no model: {why}",
    '工作进程程序的 resolveModel 没有选出模型：{why}',
  ],
  ['The files of the workspace could not be listed ({why}).', '无法列出工作区的文件（{why}）。'],
  [
    'Tool server {server}: its tools cannot be listed ({why}).',
    '工具服务器 {server}：无法列出它的工具（{why}）。',
  ],
  [
    "Steersman's own tool {name} is left out: there is a tool of this name already.",
    '略去了 Steersman 自己的工具 {name}：已有同名的工具。',
  ],
  [
    'Not used as a fallback, because no price is known and costUsd is limited: {models}.',
    '不作为后备，因为价格未知而 costUsd 有限额：{models}。',
  ],
  [
    'Search attributes are not set: the namespace could not be asked ({why}).',
    '没有设置搜索属性：无法询问命名空间（{why}）。',
  ],
  ['The reply must hold a text, got nothing.', '回复必须有文字，而它是空的。'],
  [
    'The reply must be one complete, valid JSON object, got {got}.',
    '回复必须是一个完整、有效的 JSON 对象，得到的是 {got}。',
  ],
  ['cut off at the output limit: it goes on there', '因输出上限而中断：从那里继续'],
  ['A skill is left out. {why}', '略去了一个技能。{why}'],
  [
    'The skills of the project are left out: its configuration has changed since somebody trusted it.',
    '略去了项目的技能：自有人信任其配置以来，配置又有变化。',
  ],
  [
    'This worker has no store (store.kind is none in its steersman.yaml): the run does not know what was said before in its conversation.',
    '这个工作进程没有存储（其 steersman.yaml 中 store.kind 为 none）：运行不知道会话中先前说过的内容。',
  ],
  // Ends of runs.
  ['The run cannot start: {why}', '运行无法开始：{why}'],
  ['The run could not go on.', '运行无法继续。'],
  ['Tasks of the plan failed, and none was carried out.', '计划中的任务失败，没有一项完成。'],
  [
    'The hook at the end of a turn failed, so nothing says that the goal may go on.',
    '轮次结束时的钩子失败，因此无从得知目标能否继续。',
  ],
  ['No reply could be used as an answer.', '没有一条回复可以作为回答。'],
  ['The role that was to answer reported an error instead.', '应当作答的角色报告了错误。'],
  [
    'Its account has as many runs at work as it may: a later start may succeed.',
    '其账户同时进行的运行已满：稍后再开始也许能成功。',
  ],
  ['The model declined to answer.', '模型拒绝回答。'],
  ["A content filter withheld the model's reply.", '内容过滤器扣下了模型的回复。'],
  ['The goal is empty: say what the team should do.', '目标是空的：请说明要做什么。'],
];
