/**
 * Words in which endpoints refuse requests, by what a refusal names: a pattern, and refusals that were met, each with its
 * endpoint and year. A pattern looks for what endpoints have in common; `test/unit/models/refusals` reads every line.
 */

export interface RefusalWords {
  words: RegExp;
  /** Endpoint, year, words. */
  met: readonly (readonly [endpoint: string, year: number, words: string])[];
}

/** The conversation is longer than the model takes. */
export const TOO_LONG: RefusalWords = {
  words: new RegExp(
    [
      /context[ _-]?(length|window|size|limit)|maximum context|out of context/,
      /(prompt|input|request|conversation|messages?|content|payload|entity|body|text)( \w+){0,2}( is| are| was)? too (long|large|big)/,
      /too many (input |prompt )?tokens(?!\W+(please )?(wait|slow))|larger than the model|request_too_large|string_above_max_length/,
      /(maximum|max|model'?s?)[ _](prompt|input|model|token|sequence)[ _]?(length|limit|tokens|len)|(input|prompt|sequence) length/,
      /reduce (the |your )?(length|prompt|input|number of tokens|amount|message size)|exceeds? max(imum)? length|max_?model_?len/,
      /exceed\w*.{0,80}(\btokens?\b|context|max\w* (input|prompt|length)|max_?seq)/,
      /\b(tokens?|context|input|prompt)\b.{0,60}\bexceed\w*|inputs`? tokens \+/,
      /expected maxLength: \d+|(输入|上下文|prompt|tokens?).{0,20}(过长|超长|超过|超出)/,
    ]
      .map(({ source }) => source)
      .join('|'),
    'i',
  ),
  met: [
    [
      'OpenAI',
      2023,
      "This model's maximum context length is 4097 tokens. However, your messages resulted in 4294 tokens. Please reduce the length of the messages.",
    ],
    [
      'OpenAI',
      2025,
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
    ],
    ['Anthropic', 2025, 'prompt is too long: 219898 tokens > 200000 maximum'],
    [
      'Anthropic',
      2025,
      'input length and `max_tokens` exceed context limit: 190000 + 21333 > 200000, decrease input length or `max_tokens` and try again',
    ],
    [
      'Gemini',
      2025,
      'The input token count (1054016) exceeds the maximum number of tokens allowed (1048576).',
    ],
    ['xAI', 2025, "This model's maximum prompt length is 131072 but the request contains 136973 tokens."],
    ['Kimi', 2026, 'Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)'],
    [
      'Mistral',
      2025,
      'Prompt contains 67585 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    ],
    [
      'Cohere',
      2022,
      'too many tokens: total number of tokens (prompt and prediction) cannot exceed 2048 - received 6354. Try using a shorter prompt or a smaller max_tokens value.',
    ],
    ['Bedrock', 2023, 'Input is too long for requested model.'],
    [
      'Bedrock',
      2023,
      'Malformed input request: expected maxLength: 42000, actual: 46735, please reformat your input and try again.',
    ],
    [
      'vLLM',
      2025,
      "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the messages, 10000 in the completion).",
    ],
    [
      'llama.cpp',
      2025,
      'the request exceeds the available context size. try increasing the context size or enable context shift',
    ],
    [
      'llama.cpp',
      2026,
      'request (131168 tokens) exceeds the available context size (131072 tokens), try increasing it',
    ],
    ['llama-cpp-python', 2023, 'Requested tokens (516) exceed context window of 512'],
    [
      'Text Generation Inference',
      2025,
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 65537. Given: 79993 `inputs` tokens and 1024 `max_new_tokens`',
    ],
    [
      'DashScope',
      2025,
      '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 204800]',
    ],
    ['Ollama', 2025, 'prompt too long; exceeded max context length by 4 tokens'],
    ['GitHub Copilot', 2025, 'prompt token count of 135005 exceeds the limit of 128000'],
    [
      'Cerebras',
      2025,
      'Please reduce the length of the messages or completion. Current length is 8213 while limit is 8192',
    ],
    ['Zhipu', 2025, 'Prompt exceeds max length'],
  ],
};

/** Of a rate, whatever the status: proxies give those of AWS as 400, or in a stream. */
export const THROTTLED: RefusalWords = {
  words: /throttl(ed|ing)|too many (tokens|requests)\W+(please )?(wait|slow)/i,
  met: [
    [
      'Bedrock',
      2026,
      'An error occurred (ThrottlingException) when calling the ConverseStream operation: Too many tokens, please wait before trying again.',
    ],
  ],
};

/** The reply may have fewer tokens than were asked for: of a model, for the money that is left, within a minute. */
export const FEWER_TOKENS: RefusalWords = {
  words:
    /(maximum|max|output) tokens (that )?you requested|(fewer|lower|reduce) ['"`]?max_(completion_|output_)?tokens|tokens per (minute|day)\b.{0,40}\blimit \d+\b.{0,30}\brequested \d+/i,
  met: [
    [
      'Bedrock',
      2026,
      'The maximum tokens you requested exceeds the model limit of 2048. Try again with a maximum tokens value that is lower than 2048.',
    ],
    [
      'OpenRouter',
      2026,
      'This request requires more credits, or fewer max_tokens. You requested up to 16384 tokens, but can only afford 4000.',
    ],
    [
      'Groq',
      2026,
      'Request too large for model `gpt-oss-20b` in organization `org_x` service tier `on_demand` on tokens per minute (TPM): Limit 12000, Requested 17496, please reduce your message size and try again.',
    ],
  ],
};

/** Of a large request these are enough: see `typeOf` in `classify.ts`. */
export const OF_LENGTH = /\btokens?\b|length|context|\bsize\b|too (long|large|big)|\blimit/i;

export const UNKNOWN_MODEL: RefusalWords = {
  words:
    /model_not_found|not_found_error model:|(unknown|invalid|no such) model|model( id| name)?\b.{0,80}(not found|does ?n[o']t exist|not exist|is not available|unknown|not supported for)|(not found|unknown).{0,20}\bmodel\b/i,
  met: [
    ['OpenAI', 2023, 'The model `gpt-9` does not exist or you do not have access to it.'],
    ['Ollama', 2024, "model 'gpt-9' not found, try pulling it first"],
  ],
};

export const FILTERED: RefusalWords = {
  words: /content[_ ]?(filter|policy|management)|responsible ?ai|safety (system|filter)|moderation/i,
  met: [
    [
      'Azure',
      2024,
      "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
    ],
  ],
};

/** A call that the model itself wrote wrongly: once more is worth a try. */
export const BAD_CALL: RefusalWords = {
  words: /tool_use_failed/,
  met: [['Groq', 2025, 'tool_use_failed Failed to call a function. Please adjust your prompt.']],
};

export const USED_UP: RefusalWords = {
  words:
    /insufficient_quota|insufficient[_ ](funds|balance|credit)|credit balance is too low|exceeded your current quota|billing/i,
  met: [
    ['OpenAI', 2023, 'You exceeded your current quota, please check your plan and billing details.'],
    ['Anthropic', 2025, 'Your credit balance is too low to access the Anthropic API.'],
    ['DeepSeek', 2025, 'Insufficient Balance'],
  ],
};

/** Tools at all: their calls are then written and read as text. */
export const NO_TOOLS: RefusalWords = {
  words: new RegExp(
    [
      /(not|n't|cannot) (currently )?(support|allow|accept|have|enable)\w*( \w+){0,2} ['"`]?(tools?|functions?|tool[ _-]?(use|call\w*|choice)|function[ _-]?call\w*)['"`]?(?! (with|named|schemas?|parameters?|at|definitions?)\b)/,
      /['"`]?\b(tools?|functions?|tool[ _-]?(use|call\w*)|function[ _-]?call\w*)['"`]?( parameter| param| field)?( is| are)?( currently)? ?(not|n't|un)[ -]?(yet )?(supported|enabled|available|allowed|permitted|recogni[sz]ed)/,
      /no endpoints found that support tool|tools param requires --jinja|requires --enable-auto-tool-choice/,
      /(unknown|unrecogni[sz]ed|unexpected|unsupported|extra)( request)? (field|parameter|param|argument|property|name|key)s?( supplied)?\W{1,5}tools\b/,
    ]
      .map(({ source }) => source)
      .join('|'),
    'i',
  ),
  met: [
    ['Ollama', 2024, 'registry.ollama.ai/library/gemma3:4b does not support tools'],
    ['llama.cpp', 2025, 'tools param requires --jinja flag'],
    ['vLLM', 2024, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
    [
      'OpenRouter',
      2025,
      'No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs/provider-routing',
    ],
    [
      'OpenAI',
      2025,
      'tools is not supported in this model. For a list of supported models, refer to https://platform.openai.com/docs/guides/function-calling#models-supporting-function-calling.',
    ],
    ['DeepSeek', 2025, 'deepseek-reasoner does not support Function Calling'],
    ['Groq', 2025, '`tool calling` is not supported with this model'],
    ['Bedrock', 2024, "This model doesn't support tool use."],
    ['Gemini', 2025, 'Function calling is not enabled for models/gemma-3-27b-it'],
  ],
};

/** More tools than it takes; the number that it takes stands in it. */
export const TOO_MANY_TOOLS: RefusalWords = {
  words:
    /(too many|maximum( number)?( of)?|at most|no more than|up to|limited to|more than|cannot exceed|exceeds?)( \w+){0,4} (tools?|functions?|function[ _]declarations?)\b|\b(tools?|functions?|function[ _]declarations?)\b.{0,60}(too many|array too long|maximum|at most|no more than|exceed|limit)/i,
  met: [
    [
      'OpenAI',
      2025,
      "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 133 instead.",
    ],
    ['Groq', 2025, "'tools' : maximum number of items is 128"],
    ['Gemini', 2025, 'The number of function declarations (600) exceeds the maximum allowed (512).'],
  ],
};

/** A tool's schema, without saying whose. */
export const BAD_SCHEMA: RefusalWords = {
  words:
    /(\b|_)schemas?\b|function[ _]?declarations?|function[ _]?parameters|\btools?\b.{0,60}(invalid|malformed|definition|parameters)|initialize samplers|parse grammar|(invalid|malformed|bad).{0,40}\b(tools?|functions?)\b/i,
  met: [
    [
      'Anthropic',
      2025,
      'tools.106.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level',
    ],
    [
      'Anthropic',
      2026,
      "tools.14.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
    ],
    [
      'OpenAI',
      2024,
      "Invalid schema for function 'filesystem_read_multiple_files': In context=('properties', 'paths'), array schema missing items.",
    ],
    ['llama.cpp', 2026, 'Failed to initialize samplers: failed to parse grammar'],
    [
      'Gemini',
      2025,
      `Invalid JSON payload received. Unknown name "exclusiveMinimum" at 'tools[0].function_declarations[17].parameters.properties[2].value': Cannot find field.`,
    ],
  ],
};

/** A picture, or pictures at all. */
export const PICTURES: RefusalWords = {
  words:
    /\b(images?|image_url|input_image|pictures?|photos?|vision|multi-?modal(ity)?|media[_ ]?type|base64|jpe?g|png|webp|gif|pixels?|mmproj)\b|expected a string|invalid type: sequence|cannot unmarshal array|untagged enum|should be a valid string|must be a string/i,
  met: [
    [
      'Ollama',
      2026,
      'json: cannot unmarshal array into Go struct field Message.messages.content of type string',
    ],
    [
      'Anthropic',
      2025,
      'messages.7.content.3.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels',
    ],
    [
      'Anthropic',
      2025,
      'messages.1.content.0.image.source.base64: image exceeds 5 MB maximum: 6021 KB > 5120 KB',
    ],
    ['OpenAI', 2025, 'You uploaded an unsupported image. Please make sure your image is valid.'],
    [
      'Volcengine',
      2026,
      'Image 0 failed: Image exceeds the maximum allowed total pixels. Current dimensions: 4634x12324 = 57109416 pixels. Maximum allowed: 36000000 pixels.',
    ],
    ['OpenRouter', 2025, 'No endpoints found that support image input'],
    [
      'DeepSeek',
      2025,
      'Failed to deserialize the JSON body into the target type: messages[2]: invalid type: sequence, expected a string at line 1 column 2901',
    ],
    [
      'DeepSeek',
      2026,
      'Failed to deserialize the JSON body into the target type: messages[466]: unknown variant `image_url`, expected `text` at line 1 column 690848',
    ],
    [
      'llama.cpp',
      2025,
      'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
    ],
    ['Crucible', 2026, "Model 'moonshotai/kimi-k2.6' supports at most 1 image per prompt."],
  ],
};

/** No picture would be taken, whatever it is. */
export const NO_PICTURES =
  /(not|n't|cannot|no|un)[ -]?.{0,30}(support|accept|allow|capab|handle|process|enabled|available)|expected `?(a |one of )?`?(text|string)|unknown variant|untagged enum|invalid type: sequence|cannot unmarshal array|text[- ]only|should be a valid string|must be a string|found that support/i;

/** Messages without text. */
export const EMPTY_MESSAGE: RefusalWords = {
  words:
    /(empty|blank|non-?empty)[ _'"`]*(content|text|message|part|string)|(content|text|message|parts?)\b.{0,60}(empty|blank|required|missing|null|at least one|not (be )?none|minimum length|whitespace)/i,
  met: [
    [
      'Anthropic',
      2025,
      'messages.0: all messages must have non-empty content except for the optional final assistant message',
    ],
    ['Anthropic', 2025, 'messages: text content blocks must be non-empty'],
    ['Mistral', 2025, 'Assistant message must have either content or tool_calls, but not none.'],
    ['Kimi', 2025, "Invalid request: message at position 2 with role 'assistant' must not be empty"],
    [
      'Bedrock',
      2025,
      'The content field in the Message object at messages.1 is empty. Add a ContentBlock object to the content field and try again.',
    ],
  ],
};

/** The order of roles, and of calls and results. */
export const BAD_ORDER: RefusalWords = {
  words:
    /\broles?\b|\balternat|tool_?call_?ids?|tool_use|tool_result|tool messages?|\bturns?\b|(first|last|final) (message|turn|content)|(must|should|has to|expected to|cannot|can not) (start|begin|end|finish) with|must be followed|preceding|prefill|orphan|function[ _](response|call) (turn|part)/i,
  met: [
    [
      'Gemini',
      2025,
      'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
    ],
    [
      'Gemini',
      2026,
      'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    ],
    [
      'DeepSeek',
      2026,
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. (insufficient tool messages following tool_calls message)",
    ],
    [
      'DashScope',
      2025,
      'InternalError.Algo.InvalidParameter: An assistant message with "tool_calls" must be followed by tool messages responding to each "tool_call_id".',
    ],
    [
      'Anthropic',
      2026,
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    ],
    [
      'Anthropic',
      2025,
      'messages.4: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01.',
    ],
    [
      'Mistral',
      2024,
      'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant',
    ],
  ],
};

/** Of the order: what calls and results have to do with. */
export const OF_CALLS = /tool|function/i;

/** A stream where none is given, or none where only streams are. */
export const NO_STREAM =
  /(not|n't|cannot|un)[ -]?.{0,30}(support|allow|enable|available).{0,30}\bstream|stream\w*['"`]?( mode| parameter| option)?( is| are)? (not|un)[ -]?(supported|available|allowed|enabled)|verified to stream/i;
export const ONLY_STREAM =
  /non-?stream\w*( \w+){0,3} (not|un)|only supports? stream|(must|requires?|has to|need\w*).{0,20}\bstream|stream\w* is (required|mandatory)|stream=true/i;
