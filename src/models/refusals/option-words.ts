/** Words with which endpoints refuse options and forms of conversations: the patterns of `RefusableOption`. */

/** Forms of a conversation that chat templates and APIs refuse: see `chat/quirks.ts`. */
export const CONVERSATIONS = {
  /** DeepSeek (api-docs.deepseek.com/guides/thinking_mode; it wants the field even if it was empty) and Kimi, 2026. */
  reasoningBack: /reasoning_content\W.{0,60}(passed back|missing|required)|missing.{0,20}reasoning_content/i,
  /**
   * Endpoints that send reasoning but refuse to get it back: Groq 2025, Cerebras 2026, Mistral behind LiteLLM 2026; beside
   * text, gpt-oss in llama.cpp 2025.
   */
  noReasoning:
    /both content and thinking|(reasoning_(content|details)|thinking_blocks|['"]reasoning['"]|\.reasoning\b(?!\.))\W.{0,80}(unsupported|not (supported|permitted|allowed)|unexpected|unrecogni[sz]ed|unknown)|(unsupported|unexpected|unrecogni[sz]ed|unknown|extra)\W.{0,60}(reasoning_(content|details)|thinking_blocks|['"]reasoning['"]|\.reasoning\b(?!\.))/i,
  /** Gemini, 2025, for calls of other models: https://ai.google.dev/gemini-api/docs/thought-signatures */
  signature: /missing a thought_signature/i,
  /** Gemini, 2025, also behind routers that change between its endpoints. */
  badThought: /(corrupted|invalid) thought.?signature|thought.?signature.{0,20}(not |in)valid/i,
  /** Mistral's API and templates, 2024. */
  shortIds: /tool call id was .{0,200}length of 9/i,
  /** Mistral's API, and its models at other hosts, 2025. */
  replyAfterTools: /unexpected role '?user'? after role '?tool/i,
  /** Templates without a system prompt, 2025. */
  noSystem:
    /(system|developer) role (is )?not supported|roles are supported.{0,20}got system|system (message|prompt|instruction)s? (is |are )?not (supported|enabled|allowed)|developer instruction is not enabled/i,
  /** vLLM and llama.cpp with older templates, 2024. */
  alternate: /roles must\s+alternate/i,
  /** Endpoints that do not know cache marks, 2025. */
  cacheMarks:
    /cache_control|expected a string|should be a valid string|must be a string|invalid type: sequence|cannot unmarshal array/i,
  /** Vertex and Bedrock, 2026, for cache marks in any part of a request. */
  anyMarks: /cache_control/i,
  /** An OpenAI-compatible server and FastAPI, 2026: null as the content of a message with calls. */
  noContent: /content\W.{0,60}(got|was|is|be|received) null|content\W.{0,80}valid string.{0,40}\bnull\b/i,
  /** Anthropic, 2025: thinking of another key, or older than the endpoint can read. */
  badSignature:
    /(invalid|expired).{0,20}signature|thinking.{0,80}(can ?not be modified|must remain as they were)/i,
  /** Anthropic, 2025: a turn with tools that another model began. */
  noThinkingFirst: /expected .?thinking.{0,40}but found|must start with a thinking block/i,
  /** OpenAI, 2025: reasoning of another key, older than the endpoint can read, or separated from the item that it led to. */
  badEncrypted:
    /invalid_encrypted_content|encrypted content .{0,80}could not be (verified|decrypted|parsed)|without its required\b.{0,40}\b(item|reasoning)/i,
} as const;

/** Words about an option, for refusals that do not name its place. */
export const OPTIONS = {
  /** DeepSeek 2025, LM Studio 2024, Gemini 2025, vLLM 2025. */
  form: /json.?schema|json mode|structured.?output|response mime type|response_?format|grammar|guided/i,
  anthropicForm: /json.?schema|structured.?output|output_format|\bschema/i,
  responsesForm: /json.?schema|structured.?output|response_format/i,
  /** xAI 2025, Ollama 2025, Groq 2025. */
  effort: /\breasoning[ _-]?effort|\bthinking\b|\beffort\b|\breasoning\b/i,
  /** OpenAI 2026, of chat completions. */
  effortBesideTools: /tools with reasoning_effort are not supported/i,
  anthropicEffort: /\beffort\b/i,
  /** OpenAI 2025, for organizations that are not verified. */
  summary: /reasoning summar|['"`]reasoning['"`]/i,
  /** OpenAI 2025. */
  encrypted: /encrypted content is not supported/i,
  adaptive: /adaptive/i,
} as const;
