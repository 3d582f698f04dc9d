/**
 * Words with which endpoints refuse requests, by the part that a refusal names. Each entry has a pattern and refusals
 * that occurred, with endpoint and year. A pattern looks for what endpoints have in common; `test/unit/models/refusals`
 * checks every line.
 */

export interface RefusalWords {
  words: RegExp;
  /** Endpoint, year, words. */
  met: readonly (readonly [endpoint: string, year: number, words: string])[];
}

/** Returns a pattern that finds what any of these finds, in letters of either case. */
export function anyOf(...patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'), 'i');
}

/** The endpoint refuses tools altogether; their calls are then written and read as text. */
export const NO_TOOLS: RefusalWords = {
  words: anyOf(
    /(not|n't|cannot) (currently )?(support|allow|accept|have|enable)\w*( \w+){0,2} ['"`]?(tools?|functions?|tool[ _-]?(use|call\w*|choice)|function[ _-]?call\w*)['"`]?(?! (with|named|schemas?|parameters?|at|definitions?)\b)/,
    /['"`]?\b(tools?|functions?|tool[ _-]?(use|call\w*)|function[ _-]?call\w*)['"`]?( parameter| param| field)?( is| are)?( currently)? ?(not|n't|un)[ -]?(yet )?(supported|enabled|available|allowed|permitted|recogni[sz]ed)/,
    /no endpoints found that support tool|tools param requires --jinja|requires --enable-auto-tool-choice/,
    /(unknown|unrecogni[sz]ed|unexpected|unsupported|extra)( request)? (field|parameter|param|argument|property|name|key)s?( supplied)?\W{1,5}tools\b/,
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

/** The request has too many tools. The refusal usually states the allowed number. */
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

/** A tool's schema is refused, without naming the tool. */
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

/** The field `strict` of a tool is refused. Statements about a schema in strict mode concern the schema instead. */
export const NO_STRICT: RefusalWords = {
  words:
    /\btools?\b["'`\])]*(\s*(->|[.,:/[(])\s*["']?\w+["'`\])]*){0,2}\s*(->|[.,:/[(])\s*["']?strict\b|(unknown|unrecogni[sz]ed|unexpected|unsupported|extra)\b.{0,40}["'`]strict["'`](?!.{0,20}format)/i,
  met: [
    ['OpenAI', 2025, "Unknown parameter: 'tools[0].strict'."],
    ['FastAPI', 2025, 'body -> tools -> 0 -> strict: extra fields not permitted'],
  ],
};

/** One picture or all pictures are refused. */
export const PICTURES: RefusalWords = {
  words:
    /\b(images?|image_url|input_image|pictures?|photos?|vision|multi-?modal(ity)?|media[_ ]?type|base64|jpe?g|png|webp|gif|pixels?|mmproj)\b/i,
  met: [
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

/** The endpoint expects one text as content and refuses a list of parts. The refusal may name the message. */
export const NO_LIST: RefusalWords = {
  words:
    /expected a string|invalid type: sequence|cannot unmarshal array|untagged enum|should be a valid string|must be a string/i,
  met: [
    [
      'Ollama',
      2026,
      'json: cannot unmarshal array into Go struct field Message.messages.content of type string',
    ],
    [
      'DeepSeek',
      2025,
      'Failed to deserialize the JSON body into the target type: messages[2]: invalid type: sequence, expected a string at line 1 column 2901',
    ],
  ],
};

/** The endpoint accepts no pictures at all, unless `ONE_PICTURE` shows that the refusal is about one. */
export const NO_PICTURES =
  /(not|n't|cannot|no|un)[ -]?.{0,30}(support|accept|allow|capab|handle|process|enabled|available)|only supported by|expected `?(a |one of )?`?(text|string)|unknown variant|untagged enum|invalid type: sequence|cannot unmarshal array|text[- ]only|should be a valid string|must be a string|found that support/i;

/** One picture is broken, too large, or of the wrong type; other pictures are accepted. */
export const ONE_PICTURE: RefusalWords = {
  words:
    /\b(image|picture|supported)s? formats?\b|mime|media[_ ]?type|valid (image|picture|base64)|image is valid|unsupported image\b(?! input)|corrupt|decod|dimension|pixel|\bsize\b|\d ?[KM]B\b|download|(could not|unable to) process/i,
  met: [
    ['Anthropic', 2025, 'Could not process image'],
    ['OpenAI', 2025, 'You uploaded an unsupported image. Please make sure your image is valid.'],
    ['Gemini', 2025, 'Unable to process input image. Please retry or report.'],
    [
      'OpenAI',
      2025,
      'The image data you provided does not represent a valid image. Please check your input and try again with one of the supported image formats.',
    ],
  ],
};

/** Messages without text are refused. */
export const EMPTY_MESSAGE: RefusalWords = {
  words:
    /(empty|blank|non-?empty)[ _'"`]*(content|text|message|part|string)|\b(content|text|message|parts?)\b.{0,60}(empty|blank|required|missing|null|at least one (content|text|part|block|character|message)|not (be )?none|minimum length|whitespace)/i,
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

/** The order of roles, or of calls and results, is refused. */
export const BAD_ORDER: RefusalWords = {
  words:
    /\broles?\b|\balternat|tool_?call_?ids?|tool_use|tool_result|tool messages?|tool (call|output) found|\bturns?\b|(first|last|final) (message|turn|content)|(must|should|has to|expected to|can ?not) (start|begin|end|finish) with|must be followed|preceding|prefill|orphan|function[ _](response|call) (turn|part)/i,
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
    ['OpenAI', 2026, 'No tool call found for function call output with call_id call_uelfkqtHfJDC4Btq.'],
    ['OpenAI', 2026, 'No tool output found for function call call_uelfkqtHfJDC4Btq.'],
    [
      'Mistral',
      2024,
      'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant',
    ],
  ],
};

/** Distinguishes refusals of the order that concern calls and results. */
export const OF_CALLS = /tool|function/i;

/** The endpoint refuses to stream, or only streams. */
export const NO_STREAM =
  /(not|n't|cannot|un)[ -]?.{0,30}(support|allow|enable|available).{0,30}\bstream|stream\w*['"`]?( mode| parameter| option)?( is| are)? (not|un)[ -]?(supported|available|allowed|enabled)|verified to stream/i;
export const ONLY_STREAM =
  /non-?stream\w*( \w+){0,3} (not|un)|only supports? stream|(must|requires?|has to|need\w*).{0,20}\bstream|stream\w* is (required|mandatory)|stream=true/i;
