/** Made from prompts/words by `npm run words`: what a run says to people, in English and in Chinese. */
export const RUN_TEXTS: readonly (readonly [english: string, chinese: string])[] = [
  [
    "done when: {criterion}",
    "完成标准：{criterion}"
  ],
  [
    "No tools are available here: the calls were not run.",
    "这里没有工具可用，调用没有执行。"
  ],
  [
    "Answer with your decision as JSON.",
    "以 JSON 回复你的决定。"
  ],
  [
    "Review this plan before it runs.",
    "请在执行之前审查这份计划。"
  ],
  [
    "Review the result of {id}.",
    "请审查 {id} 的结果。"
  ],
  [
    "Review this call of {tool} before it runs.",
    "请在执行之前审查对 {tool} 的这次调用。"
  ],
  [
    "Answer with your review as JSON.",
    "以 JSON 回复你的审查结果。"
  ],
  [
    "no answer that can be read was given",
    "没有给出可以读取的回答"
  ],
  [
    "The role asks the user: {question}",
    "这个角色问用户：{question}"
  ],
  [
    "The role cannot go on: {message}",
    "这个角色无法继续：{message}"
  ],
  [
    "The role wants a person to decide: {message}",
    "这个角色希望由人决定：{message}"
  ],
  [
    "Answer again in the form that was asked for, or use a model that keeps to it.",
    "请按要求的形式重新回复，或换用能遵守形式的模型。"
  ],
  [
    "Give the missing information, or say what may be assumed.",
    "请补充缺少的信息，或说明可以作哪些假设。"
  ],
  [
    "Check that the tool server is enabled and running, or go on without the tool.",
    "请检查工具服务器是否已启用并在运行，或不用这个工具继续。"
  ],
  [
    "The role asks for confirmation.",
    "这个角色请求确认。"
  ],
  [
    "High risk: {risk}.",
    "高风险：{risk}。"
  ],
  [
    "not described",
    "没有说明"
  ],
  [
    "Mitigation: {mitigation}",
    "缓解办法：{mitigation}"
  ],
  [
    "The role is only {confidence} % sure.",
    "这个角色只有 {confidence}% 的把握。"
  ],
  [
    "It could be done otherwise: {action}",
    "也可以这样做：{action}"
  ],
  [
    "The app of the tool server {server} asks for it; no model does.",
    "这是工具服务器 {server} 的应用要求的，不是模型。"
  ],
  [
    "It may destroy or overwrite something.",
    "它可能毁坏或覆盖一些东西。"
  ],
  [
    "Call {tool}?",
    "调用 {tool}？"
  ],
  [
    "Why: {thought}",
    "理由：{thought}"
  ],
  [
    "Compared with {path} as it was when this was asked; later changes of that file are not shown:",
    "与提问时 {path} 的内容相比；回答之前那里若再有变化，这里不会显示："
  ],
  [
    "A new file: {path} did not exist when this was asked.",
    "新文件：提问时 {path} 还不存在。"
  ],
  [
    "Nothing changes: when this was asked, {path} had exactly this content.",
    "没有变化：提问时 {path} 的内容正是这些。"
  ],
  [
    "The file {path} was not read, so what this replaces is not shown.",
    "没有读取 {path} 现有的内容：这里不显示会被替换的部分。"
  ],
  [
    "“Always” allows every call of {tool}, except those that `permissions.confirm` names by their arguments.",
    "“始终允许”适用于 {tool} 的每次调用，`permissions.confirm` 按参数指明的除外。"
  ],
  [
    "“Always” allows this command with these arguments, and no other; only its timeout may differ.",
    "“始终允许”只适用于这里的这条命令及其参数，不适用于其他命令；只有超时时间可以不同。"
  ],
  [
    "“Always” allows only this call: its command is too long to be stored.",
    "“始终允许”只适用于这次调用：命令太长，无法保存。"
  ],
  [
    "Make these {count} changes?",
    "进行这 {count} 处修改？"
  ],
  [
    "“Always” allows only these calls.",
    "“始终允许”只适用于这些调用。"
  ],
  [
    "One answer decides all of them. `except` leaves out changes by number, each with a reason.",
    "一个回答决定全部修改。`except` 按编号列出不要进行的修改，各附理由。"
  ],
  [
    "The model wrote this, which was repaired:",
    "模型原本这样写，已作修补："
  ],
  [
    "Not all of it is shown: {shown} of {chars} characters. All: `steersman show <run>`, or the query `toolRequest` with `\"{callId}\"`.",
    "这里没有全部显示：{chars} 个字符中的 {shown} 个。全部内容：`steersman show <run>`，或用 `\"{callId}\"` 查询 `toolRequest`。"
  ],
  [
    "… {count} characters more",
    "… 还有 {count} 个字符"
  ],
  [
    "Waiting for the result of {tool}",
    "等待 {tool} 的结果"
  ],
  [
    "Carry out this plan of {count} task(s)?",
    "执行这份有 {count} 项任务的计划？"
  ],
  [
    "{id}: {description} (done when: {criterion})",
    "{id}：{description}（完成标准：{criterion}）"
  ],
  [
    "{id} (after {ids})",
    "{id}（在 {ids} 之后）"
  ],
  [
    "Runs, to prove the goal: {command}",
    "为证明目标已达到而运行：{command}"
  ],
  [
    "Note: {concern}",
    "注意：{concern}"
  ],
  [
    "{id} cannot be carried out ({reason}).",
    "{id} 无法执行（{reason}）。"
  ],
  [
    "Take this as the result of {id}?",
    "把这个作为 {id} 的结果？"
  ],
  [
    "Take this as the answer?",
    "把这个作为回答？"
  ],
  [
    "{id} has failed. What should be done about it?",
    "{id} 失败了。该怎么办？"
  ],
  [
    "{agent} asks: {title}",
    "{agent} 询问：{title}"
  ],
  [
    "The tool server {server} asks you",
    "工具服务器 {server} 向你提问"
  ],
  [
    "It asks while the call of {tool} runs, in its own words:",
    "它在执行 {tool} 时提问，以下是它自己的话："
  ],
  [
    "What you give goes to that server, and stays in the history of the run: give no keys or passwords.",
    "你填写的内容会交给该服务器，并留在运行的历史中：不要填写密钥或密码。"
  ],
  [
    "Task {id} failed. How should the plan go on?",
    "任务 {id} 失败。计划该如何继续？"
  ],
  [
    "{model} failed. How to go on?",
    "{model} 失败了。怎样继续？"
  ],
  [
    "The goal's limit of {budget} is used up: {used} of {limit}.",
    "目标的限额 {budget} 已用完：已用 {used}，限额 {limit}。"
  ],
  [
    "Raise it to go on, or wrap up with the results so far.",
    "提高限额以继续，或以现有内容收尾。"
  ],
  [
    "The goal's cost is not known, so its limit of {limit} cannot be enforced.",
    "目标的费用未知，因此无法守住 {limit} 的限额。"
  ],
  [
    "A model without a known price was used. Raise the limit, by any number, to go on without a limit, or wrap up with the results so far.",
    "用过没有已知价格的模型。把限额提高任意数额，就不再受限地继续；或以现有内容收尾。"
  ],
  [
    "What did you mean?",
    "你的意思是什么？"
  ],
  [
    "Your message: {message}",
    "你的消息：{message}"
  ],
  [
    "Change a part of the plan?",
    "修改计划的一部分？"
  ],
  [
    "Plan anew? Open tasks are dropped, finished ones stay.",
    "重新规划？未完成的任务将放弃，已完成的保留。"
  ],
  [
    "Start another run for this?",
    "为此启动另一个运行？"
  ],
  [
    "Cancel the run?",
    "取消这个运行？"
  ],
  [
    "Go on with {act}?",
    "以 {act} 继续？"
  ],
  [
    "without an answer by {until}: {what}",
    "若到 {until} 仍没有回答：{what}"
  ],
  [
    "denied",
    "拒绝"
  ],
  [
    "rejected, nothing is carried out",
    "退回，什么也不执行"
  ],
  [
    "goes on as well as possible without it",
    "在没有回答的情况下尽力继续"
  ],
  [
    "goes on, and the answer counts as not verified",
    "继续，回答算作未经验证"
  ],
  [
    "goes on as it was, with the message as a note",
    "照原样继续，把消息作为备注"
  ],
  [
    "its outcome is unknown",
    "其结果视为未知"
  ],
  [
    "wraps up",
    "收尾"
  ],
  [
    "stops",
    "停止"
  ],
  [
    "declined",
    "视为拒绝提供"
  ],
  [
    "the plan goes on without it",
    "计划将跳过它继续"
  ],
  [
    "How was your message meant?",
    "你的消息是什么意思？"
  ],
  [
    "Go on with it in mind",
    "记着它继续"
  ],
  [
    "Change a part of the plan",
    "修改计划的一部分"
  ],
  [
    "Plan anew",
    "重新规划"
  ],
  [
    "Start another task",
    "开始另一项任务"
  ],
  [
    "What should the run do?",
    "运行该怎么做？"
  ],
  [
    "Pause",
    "暂停"
  ],
  [
    "Continue",
    "继续"
  ],
  [
    "Cancel the run",
    "取消运行"
  ],
  [
    "Show its status",
    "显示状态"
  ],
  [
    "A role needs to know more.",
    "有角色需要知道更多。"
  ],
  [
    "The message could not be understood.",
    "没能理解这条消息。"
  ],
  [
    "The router leaves it to the user.",
    "路由者交由用户决定。"
  ],
  [
    "There is no plan to change: the role at work reads the message and acts on it.",
    "没有计划可改：正在工作的角色会读到消息并照此继续。"
  ],
  [
    "Only {confidence} % sure that the message is {type}.",
    "只有 {confidence}% 的把握认为消息是 {type}。"
  ],
  [
    "an unknown",
    "未知的"
  ],
  [
    "The message changes nothing in the plan: the roles read it and go on.",
    "消息不改变计划：各角色读到它并继续。"
  ],
  [
    "The message changes a part of the task at work: its role reads it and goes on.",
    "消息改变正在执行的任务的一部分：它的角色会读到并继续。"
  ],
  [
    "The message changes a part of the plan; finished tasks stay.",
    "消息改变计划的一部分，已完成的任务保留。"
  ],
  [
    "The message changes the whole plan.",
    "消息改变整个计划。"
  ],
  [
    "The message asks for something else.",
    "消息要求的是另一件事。"
  ],
  [
    "The goal before it is answered: the message is the next goal.",
    "之前的目标已有回答：消息是下一个目标。"
  ],
  [
    "Nothing is paused or running, so the wish to continue becomes the next goal.",
    "没有暂停或运行中的工作：继续就是下一个目标。"
  ],
  [
    "It is not clear which control instruction was meant.",
    "不清楚是哪一种控制指令。"
  ],
  [
    "The roles disagree: {meant} or {named}.",
    "各角色意见不一：{meant} 或 {named}。"
  ],
  [
    "The message asks to pause.",
    "消息要求暂停。"
  ],
  [
    "The message asks to continue.",
    "消息要求继续。"
  ],
  [
    "The message asks to cancel the run.",
    "消息要求取消运行。"
  ],
  [
    "The message asks for the status.",
    "消息询问状态。"
  ],
  [
    "The question about the message was not answered.",
    "关于消息的问题没有得到回答。"
  ],
  [
    "{reason} It was not approved.",
    "{reason}没有得到批准。"
  ],
  [
    "Even with your answer it is unclear what the message means.",
    "有了你的回答，消息的意思仍不清楚。"
  ],
  [
    "The run is being stopped.",
    "运行正在停止。"
  ],
  [
    "The limit of {budgets} is used up: the message is used as it was written.",
    "限额 {budgets} 已用完：消息按原话采纳。"
  ],
  [
    "The run is stopping: this message will not be read.",
    "运行正在停止：不会读到这条消息。"
  ],
  [
    "It goes back to the run that called this one.",
    "它会交还给调用本运行的运行。"
  ],
  [
    "It is the next goal.",
    "它是下一个目标。"
  ],
  [
    "It is the next goal, unless it is understood as an instruction.",
    "它是下一个目标，除非它被理解为指令。"
  ],
  [
    "It becomes a goal of its own when this one is answered.",
    "当前目标回答之后，它是一个单独的目标。"
  ],
  [
    "It becomes a goal of its own when this one is answered, unless it is understood as an instruction.",
    "当前目标回答之后，它是一个单独的目标，除非它被理解为指令。"
  ],
  [
    "The goal is being wrapped up.",
    "目标正在收尾。"
  ],
  [
    "It is read {reader}; if the goal ends first, {unread}.",
    "{reader}会读到它；如果目标先结束，{unread}。"
  ],
  [
    "before the next model call",
    "下一次模型调用之前"
  ],
  [
    "before the next model call of {role}",
    "{role} 的下一次模型调用之前"
  ],
  [
    "{first}, before the next model call",
    "{first}、下一次模型调用之前"
  ],
  [
    "{first}, before the next model call of {role}",
    "{first}、{role} 的下一次模型调用之前"
  ],
  [
    "after the message before it",
    "在前一条消息处理之后"
  ],
  [
    "after {role} has answered",
    "在 {role} 作答之后"
  ],
  [
    "it goes back to the run that called this one",
    "它会交还给调用本运行的运行"
  ],
  [
    "it becomes a follow-up",
    "它会成为后续目标"
  ],
  [
    "The run is paused: nothing happens before it is resumed.",
    "运行已暂停：继续之前什么也不会发生。"
  ],
  [
    "The run is paused, and goes on only when it is resumed or the message says so.",
    "运行已暂停，只有让它继续或消息这样要求时才会继续。"
  ],
  [
    "The run waits for a person at a gate, and goes on waiting.",
    "运行正在等人回答，并会继续等待。"
  ],
  [
    "The question at the gate is withdrawn; calls that have not begun are skipped.",
    "所提的问题会撤回，尚未开始的调用会跳过。"
  ],
  [
    "The model call in progress is cut off, unless it ends first; its text so far is kept.",
    "正在进行的模型调用会被打断（除非它先结束），已有的文字会保留。"
  ],
  [
    "The model call in progress ends first.",
    "正在进行的模型调用会先结束。"
  ],
  [
    "The check in progress is cut off, unless it ends first.",
    "正在进行的检查会被打断（除非它先结束）。"
  ],
  [
    "The check in progress ends first.",
    "正在进行的检查会先结束。"
  ],
  [
    "The tool calls that were asked for run first.",
    "已要求的工具调用会先执行。"
  ],
  [
    "The tool call in progress is cancelled, unless it ends first; calls that have not begun are skipped.",
    "正在进行的工具调用会被取消（除非它先结束），尚未开始的调用会跳过。"
  ],
  [
    "The tool call in progress ends first; calls that have not begun are skipped.",
    "正在进行的工具调用会先结束，尚未开始的调用会跳过。"
  ],
  [
    "Applied as {as}, turn {turn}.",
    "已作为{as}采纳（第 {turn} 次模型回复）。"
  ],
  [
    "a note to {role}",
    "给 {role} 的备注"
  ],
  [
    "a note to the roles",
    "给各角色的备注"
  ],
  [
    "{as} and a note to the roles",
    "{as}和给各角色的备注"
  ],
  [
    "goal {number}",
    "第 {number} 个目标"
  ],
  [
    "a change of the plan",
    "对计划的修改"
  ],
  [
    "a new plan",
    "新的计划"
  ],
  [
    "a run of its own, {id}",
    "单独的运行 {id}"
  ],
  [
    "a run of its own, {id}, whose plan waits there for your approval",
    "单独的运行 {id}，其计划在那里等你批准"
  ],
  [
    "the instruction \"{control}\"",
    "指令“{control}”"
  ],
  [
    "The goal ended before it was read: queued as a follow-up.",
    "目标在读到它之前已结束：排为后续目标。"
  ],
  [
    "The goal ended before {role} spoke again: queued as a follow-up.",
    "目标在 {role} 再次发言之前已结束：排为后续目标。"
  ],
  [
    "It is the next in line.",
    "它是下一个。"
  ],
  [
    "{count} follow-up(s) come before it.",
    "它前面还有 {count} 个后续目标。"
  ],
  [
    "It is passed on to {agent}, which reads it before its next model call. If the agent ends first, the role at work gets the message.",
    "已转交 {agent}，它会在自己的下一次模型调用之前读到；如果它先结束，就由当前角色处理。"
  ],
  [
    "Read by {reader}.",
    "{reader} 已读。"
  ],
  [
    "Read by {reader}, before it could be taken back.",
    "{reader} 在撤回之前已读。"
  ],
  [
    "It is called back from {agent}. If the agent has already read it, the next receipt says so.",
    "正从 {agent} 撤回。如果它在此期间已读，下一条回执会说明。"
  ],
  [
    "{agent} ended before it read this",
    "{agent} 在读到它之前已结束"
  ],
  [
    "{agent} could not take this ({why})",
    "{agent} 无法接收它（{why}）"
  ],
  [
    "{unread}. It is read before the next model call; if the goal ends first, it becomes a follow-up.",
    "{unread}。下一次模型调用之前会读到它；如果目标先结束，它会成为后续目标。"
  ],
  [
    "{unread}, and too many messages wait here already.",
    "{unread}，而这里等待的消息已经太多。"
  ],
  [
    "taken back by its sender",
    "发送者已撤回"
  ],
  [
    "{agent} ended without saying whether it read the message.",
    "{agent} 结束时没有提到它。"
  ],
  [
    "The run ended before it was read.",
    "运行在读到它之前已结束。"
  ],
  [
    "The run ended before it was read. It goes back to the run that called it.",
    "运行在读到它之前已结束。它会交还给调用本运行的运行。"
  ],
  [
    "Goes from execution to {phase}.",
    "从执行转到 {phase}。"
  ],
  [
    "{role} uses {model} from here on.",
    "{role} 从现在起使用 {model}。"
  ],
  [
    "The goal gets {amount} {resource}.",
    "目标的 {resource} 改为 {amount}。"
  ],
  [
    "{id} gets {amount} rounds.",
    "{id} 得到 {amount} 轮。"
  ],
  [
    "{id} is tried again.",
    "{id} 再做一次。"
  ],
  [
    "{id} is skipped.",
    "跳过 {id}。"
  ],
  [
    "The goal is planned anew; finished tasks stay.",
    "重新规划目标，已完成的任务保留。"
  ],
  [
    "A person is asked how to go on.",
    "询问怎样继续。"
  ],
  [
    "The run stops with the results so far.",
    "运行以现有结果停止。"
  ],
  [
    "{why} It was not approved.",
    "{why}没有得到批准。"
  ],
  [
    "{id} is not tried again. {why}",
    "{id} 不再做。{why}"
  ],
  [
    "{id} is tried again with a person's answer",
    "{id} 按照人的回答再做一次"
  ],
  [
    "nobody answered",
    "没有人回答"
  ],
  [
    "{phase} cannot follow execution: {phases} can.",
    "{phase} 不能接在执行之后：{phases} 可以。"
  ],
  [
    "{count} task(s) are open still.",
    "还有 {count} 项任务没有完成。"
  ],
  [
    "No further plan is left under the limits.",
    "按照限额，不能再规划。"
  ],
  [
    "The run has no model {model}: it has {models}.",
    "运行没有模型 {model}：现有 {models}。"
  ],
  [
    "There is no role {role}.",
    "没有角色 {role}。"
  ],
  [
    "An amount of {resource} is a whole number from 1, got {amount}.",
    "{resource} 的数量是不小于 1 的整数，得到的是 {amount}。"
  ],
  [
    "The goal has used {amount} {resource} already.",
    "目标的 {resource} 已用 {amount}。"
  ],
  [
    "The goal has {amount} {resource} already.",
    "目标的 {resource} 已经是 {amount}。"
  ],
  [
    "{id} is neither open nor failed.",
    "{id} 既不是未完成，也不是失败。"
  ],
  [
    "{id} has used {count} rounds already.",
    "{id} 已用 {count} 轮。"
  ],
  [
    "{id} has {count} rounds anyway.",
    "{id} 本来就有 {count} 轮。"
  ],
  [
    "{id} was tried again {count} time(s) already, which is the limit.",
    "{id} 已重做 {count} 次，达到限额。"
  ],
  [
    "There is no task {id}.",
    "没有任务 {id}。"
  ],
  [
    "A task that is {status} cannot be tried again.",
    "状态为 {status} 的任务不能再做。"
  ],
  [
    "A task that is {status} cannot be skipped.",
    "状态为 {status} 的任务不能跳过。"
  ],
  [
    "The plan would have {open} open tasks, and the limit tasks is {count}.",
    "计划会有 {open} 项未完成的任务，而 tasks 的限额是 {count}。"
  ],
  [
    "(none named)",
    "（没有写明）"
  ],
  [
    "[The run ended here without an answer to this goal. What it asked for may be done in part, or not at all.]",
    "[运行在此结束，没有给出这个目标的答案。它要做的事可能只做了一部分，或者完全没有做。]"
  ],
  [
    "The plan has no task.",
    "计划里没有任务。"
  ],
  [
    "The plan has {count} tasks, at most {max} are run.",
    "计划有 {count} 项任务，最多执行 {max} 项。"
  ],
  [
    "The id {id} is used twice.",
    "id {id} 用了两次。"
  ],
  [
    "{id} needs {needed}, which is not a task.",
    "{id} 需要 {needed}，但没有这项任务。"
  ],
  [
    "{id} does not say how to see that it is done.",
    "{id} 没有说明怎样看出它已完成。"
  ],
  [
    "{id} needs {needed}, which is not available.",
    "{id} 需要 {needed}，这里没有。"
  ],
  [
    "These tasks wait for each other: {ids}.",
    "这些任务互相等待：{ids}。"
  ],
  [
    "{id} is reported as done, but has no result.",
    "{id} 称已完成，却没有结果。"
  ],
  [
    "{id} is reported as done, but every tool call of it failed.",
    "{id} 称已完成，但它的每次工具调用都失败了。"
  ],
  [
    "{id} is reported as done, but no later call checked whether its last call, {tool}, took effect.",
    "{id} 称已完成，但没有后续调用核实它的最后一次调用 {tool} 是否生效。"
  ],
  [
    "There is no tool named {tool}.",
    "没有名为 {tool} 的工具。"
  ],
  [
    "The arguments of {tool} are not readable.",
    "{tool} 的参数无法读取。"
  ],
  [
    "{tool} needs the argument {name}.",
    "{tool} 需要参数 {name}。"
  ],
  [
    "The risk is high, and nothing is said of how it is kept small.",
    "风险高，却没有说明如何把它控制住。"
  ],
  [
    "The reviewer gave no verdict.",
    "审查者没有给出结论。"
  ],
  [
    "The reviewer did not approve it and did not say why: check it against the goal.",
    "审查者没有批准，也没有说明原因：请对照目标检查。"
  ],
  [
    "by the report on another task",
    "由另一项任务的报告得出"
  ],
  [
    "failed: {why}",
    "失败：{why}"
  ],
  [
    "failed: {why}; it failed before the work began, too",
    "失败：{why}；工作开始之前它就已失败"
  ],
  [
    "not run: {why}",
    "未运行：{why}"
  ],
  [
    "Check {id}, `{check}`: {why}",
    "检查 {id}，`{check}`：{why}"
  ]
];

/** Lines that a run adds to the words of a role. */
export const ADDED_TEXTS: readonly (readonly [english: string, chinese: string])[] = [
  [
    "{phase}: {done} of {count} tasks completed, {turns} turns.",
    "阶段 {phase}：共 {count} 项任务，已完成 {done} 项，模型回复 {turns} 次。"
  ],
  [
    "goal {number} is answered ({outcome}): {done} of {count} tasks completed, {turns} turns.",
    "第 {number} 个目标已回答（{outcome}）：共 {count} 项任务，已完成 {done} 项，模型回复 {turns} 次。"
  ],
  [
    "{status} The run is paused.",
    "{status}运行已暂停。"
  ],
  [
    "Not possible here:",
    "在这里做不到的："
  ],
  [
    "Not done: {tasks}.",
    "未完成：{tasks}。"
  ],
  [
    "Checks that did not pass: {checks}.",
    "未通过的检查：{checks}。"
  ],
  [
    "Nothing had changed since the last failed check, so the work was not sent back again.",
    "自上次检查失败以来没有任何变化，因此没有再次退回工作。"
  ],
  [
    "The goal changed files that its checks read: {checks}.",
    "目标改动了检查所读取的文件：{checks}。"
  ]
];
