/** Patterns for the kind of a failure, independent of the part of the request that it names: see `words.ts`. */
import { anyOf, type RefusalWords } from './words.js';

/** The conversation is longer than the model accepts. */
export const TOO_LONG: RefusalWords = {
  words: anyOf(
    /context[ _-]?(length|window|size|limit)|maximum context|out of context/,
    /(prompt|input|request|conversation|messages?|content|payload|entity|body|text)( \w+){0,2}( is| are| was)? too (long|large|big)/,
    /too many (input |prompt )?tokens(?!.{0,40}\b(wait|slow))|larger than the model|request_too_large|string_above_max_length/,
    /(maximum|max|model'?s?)[ _](prompt|input|model|token|sequence)[ _]?(length|limit|tokens|len)|(input|prompt|sequence) length/,
    /reduce (the |your )?(length|prompt|input|number of tokens|amount|message size)|exceeds? max(imum)? length|max_?model_?len/,
    /exceed.{0,90}(\btokens?\b|context|max\w{0,10} (input|prompt|length)|max_?seq)/,
    /\b(tokens?|context|input|prompt)\b.{0,60}\bexceed|inputs`? tokens \+/,
    /expected maxLength: \d+|(输入|上下文|prompt|tokens?).{0,20}(过长|超长|超过|超出)/,
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

/** A rate limit, at any status: proxies report AWS's limits as status 400 or inside a stream. */
export const THROTTLED: RefusalWords = {
  words:
    /throttl(ed|ing)|too many (tokens|requests)\b.{0,40}\b(wait|slow)|too many requests|rate[ _-]?limit|速率限制|请求过于频繁|限流|out of call volume|quota will be replenished|quota exceeded.{0,80}\bper (second|minute)\b/i,
  met: [
    [
      'Bedrock',
      2026,
      'An error occurred (ThrottlingException) when calling the ConverseStream operation: Too many tokens, please wait before trying again.',
    ],
    ['Bedrock', 2025, 'Too many tokens per day, please wait before trying again.'],
    ['GitHub Models', 2025, 'Rate limit of 8000 per 60s exceeded for UserByModelByMinuteTokens.'],
    ['Zhipu', 2025, '您的账户已达到速率限制，请您控制请求频率'],
    [
      'Gemini',
      2025,
      "Quota exceeded for quota metric 'Generate Content API requests per minute' and limit 'GenerateContent request limit per minute for a region' of service 'generativelanguage.googleapis.com'",
    ],
    ['Azure API Management', 2024, 'Out of call volume quota. Quota will be replenished in 00:00:02.'],
  ],
};

/** The reply may have fewer tokens than requested, because of the model, the remaining credit, or a limit per minute. */
export const FEWER_TOKENS: RefusalWords = {
  words: anyOf(
    /(maximum|max|output) tokens (that )?you requested|(fewer|lower|reduce) ['"`]?max_(completion_|output_)?tokens/,
    /max_(completion_|output_)?tokens\b.{0,30}(too (large|high)|less than|valid range|\d+ > \d+|should be \[)/,
    /\b\d+ > \d+ - \d+|\b\d+ \+ \d+ > \d+|tokens per (minute|day)\b.{0,40}\blimit \d+\b.{0,30}\brequested \d+/,
    /requested (about )?\d+ tokens \(.{0,120}?\d+ (in|for) the (completion|output)|`?max_new_tokens`? must be <= ?\d+/,
  ),
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
    [
      'OpenAI',
      2024,
      'max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.',
    ],
    [
      'Anthropic',
      2025,
      'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5',
    ],
    ['DeepSeek', 2025, 'Invalid max_tokens value, the valid range of max_tokens is [1, 8192]'],
    [
      'Groq',
      2025,
      '`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model',
    ],
    ['DashScope', 2025, '<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]'],
    [
      'vLLM',
      2025,
      "'max_tokens' or 'max_completion_tokens' is too large: 5000. This model's maximum context length is 4096 tokens and your request has 3000 input tokens (5000 > 4096 - 3000).",
    ],
    [
      'vLLM',
      2023,
      "This model's maximum context length is 8192 tokens. However, you requested 18207 tokens (1823 in the messages, 16384 in the completion). Please reduce the length of the messages or completion.",
    ],
    [
      'OpenRouter',
      2025,
      "This endpoint's maximum context length is 32768 tokens. However, you requested about 35000 tokens (3000 of text input, 32000 in the output). Please reduce the length of either one.",
    ],
    [
      'Text Generation Inference',
      2024,
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 1823 `inputs` tokens and 16384 `max_new_tokens`',
    ],
  ],
};

/** For a large request one of these words is enough: see `typeOf` in `classify.ts`. */
export const OF_LENGTH = /\btokens?\b|length|context(?!=)|\bsize\b|too (long|large|big)/i;

export const UNKNOWN_MODEL: RefusalWords = {
  words: anyOf(
    /model_not_(found|supported|available)|not_found_error model:|(unknown|invalid|no such) model|not found.{0,20}\bmodel\b/,
    /models?( id| name)?\b.{0,80}(not found|does ?n[o']t exist|not exist|is not available|is unknown|not supported for|decommissioned)/,
    /not a valid model|model identifier is invalid|requested model\b.{0,80} not supported|unable to access model|no models? loaded|模型不存在/,
    /deployment\b.{0,60} does not exist|no endpoints found (for|matching)/,
  ),
  met: [
    ['OpenAI', 2023, 'The model `gpt-9` does not exist or you do not have access to it.'],
    ['Ollama', 2024, "model 'gpt-9' not found, try pulling it first"],
    ['Groq', 2025, 'The model `llama-3.2-90b-preview` has been decommissioned and is no longer supported.'],
    [
      'Azure',
      2025,
      'The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.',
    ],
    [
      'Gemini',
      2025,
      'models/gemini-9 is not found for API version v1main, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.',
    ],
    ['OpenRouter', 2025, 'gpt-9 is not a valid model ID'],
    ['OpenRouter', 2025, 'No endpoints found for meta/llama-9.'],
    ['OpenRouter', 2025, 'No endpoints found matching your data policy (Free model training).'],
    ['Zhipu', 2025, '模型不存在，请检查模型代码。'],
    ['Bedrock', 2024, 'The provided model identifier is invalid.'],
    [
      'Hugging Face',
      2025,
      "The requested model 'gpt-9' is not supported by any provider you have enabled. model_not_supported",
    ],
    ['GitHub Copilot', 2025, 'The requested model is not supported.'],
    [
      'LM Studio',
      2025,
      'No models loaded. Please load a model in the developer page or use the `lms load` command.',
    ],
    ['Together', 2025, 'Unable to access model gpt-9. Please visit https://api.together.ai/models'],
    ['Cloudflare', 2025, 'AiError: No such model @cf/gpt-9 or task'],
  ],
};

/** The key is refused, at other statuses than 401. */
export const WRONG_KEY: RefusalWords = {
  words:
    /(invalid|incorrect|expired|missing|malformed)[ _]?api[ _-]?key|api[ _-]?key(_| (is )?)(not valid|invalid|incorrect|expired|missing)\b|(security|proxy server) token\b.{0,60}(invalid|expired|passed)|unregistered callers|login fail/i,
  met: [
    ['Gemini', 2025, 'API key not valid. Please pass a valid API key.'],
    ['Gemini', 2025, 'API key expired. Please renew the API key.'],
    [
      'xAI',
      2025,
      'Incorrect API key provided: xa***cd. You can obtain an API key from https://console.x.ai.',
    ],
    [
      'LiteLLM',
      2025,
      'Authentication Error, Invalid proxy server token passed. Received API Key = sk-...1234',
    ],
    ['Bedrock', 2025, 'The security token included in the request is invalid.'],
    ['Vertex', 2025, "Method doesn't allow unregistered callers (callers without established identity)."],
    ['MiniMax', 2025, 'login fail: Please carry the API secret key in the Authorization field'],
    ['DashScope', 2025, 'Invalid API-key provided.'],
  ],
};

export const FILTERED: RefusalWords = {
  words:
    /content[_ ]?(filter|policy|management)|data_?inspection|usage polic(y|ies)|limited access to this content|responsible ?ai|safety (system|filter)|moderation|inappropriate content|content exists risk|敏感内容/i,
  met: [
    [
      'Azure',
      2024,
      "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
    ],
    ['OpenAI', 2025, 'Invalid prompt: your prompt was flagged as potentially violating our usage policy.'],
    ['OpenAI', 2026, "Invalid prompt: we've limited access to this content for safety reasons."],
    ['DashScope', 2025, 'data_inspection_failed Input data may contain inappropriate content.'],
  ],
};

/** The model itself wrote a faulty call or faulty JSON. Another attempt may work, and the request is not at fault. */
export const BAD_CALL: RefusalWords = {
  words: /tool_use_failed|json_validate_failed|failed_generation/,
  met: [
    ['Groq', 2025, 'tool_use_failed Failed to call a function. Please adjust your prompt.'],
    [
      'Groq',
      2025,
      "Failed to generate JSON. Please adjust your prompt. See 'failed_generation' for more details.",
    ],
  ],
};

export const USED_UP: RefusalWords = {
  words:
    /insufficient_quota|insufficient[_ ](funds|balance|credit)|balance is (too low|insufficient)|exceeded your current quota|API usage limits|spending limit|billing|have any credits|key limit exceeded|FreeTierOnly|free tier\b.{0,40} exhausted|overdue|arrearage|余额不足|欠费/i,
  met: [
    ['OpenAI', 2023, 'You exceeded your current quota, please check your plan and billing details.'],
    ['Anthropic', 2025, 'Your credit balance is too low to access the Anthropic API.'],
    ['DeepSeek', 2025, 'Insufficient Balance'],
    [
      'Anthropic',
      2025,
      'You have reached your specified API usage limits. You will regain access on 2025-12-01 at 00:00 UTC.',
    ],
    [
      'xAI',
      2025,
      "Your newly created team doesn't have any credits yet. You can purchase credits on https://console.x.ai.",
    ],
    ['Zhipu', 2025, '余额不足或无可用资源包,请充值。'],
    ['SiliconFlow', 2025, 'Sorry, your account balance is insufficient'],
    ['Volcengine', 2025, 'The request failed because your account has an overdue balance.'],
    [
      'OpenRouter',
      2025,
      'Key limit exceeded (total limit). Manage it using https://openrouter.ai/settings/keys',
    ],
    ['DashScope', 2025, 'Arrearage Access denied, please make sure your account is in good standing.'],
    ['DashScope', 2025, 'The free tier of the model has been exhausted.'],
    [
      'Fireworks',
      2025,
      'Account x is suspended, possibly due to reaching the monthly spending limit or failure to pay past invoices.',
    ],
  ],
};
