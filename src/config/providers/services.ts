import type { ProviderRow } from "./ProviderRow.ts"
import { wellKnown } from "./wellKnown.ts"

/** A service with one public address and keys. */
const service = (
  row: Pick<ProviderRow, "hosts" | "example"> & Partial<ProviderRow> & { readonly origin: string }
): ProviderRow => ({ surfaces: [{ protocol: "openai-chat", path: "/v1" }], auth: "key", ...row })

/** Providers with models of their own, or of others, behind a key. */
export const services = {
  anthropic: service({
    hosts: ["anthropic.com"],
    origin: "https://api.anthropic.com",
    surfaces: [{ protocol: "anthropic-messages", path: "" }],
    claude: "anthropic",
    runsServers: ["anthropic-messages"],
    variable: "ANTHROPIC_API_KEY",
    example: "claude-opus-5-5",
    models: wellKnown.anthropic,
    telemetry: "anthropic"
  }),
  openai: service({
    hosts: ["openai.com"],
    origin: "https://api.openai.com",
    surfaces: [{ protocol: "openai-responses", path: "/v1" }],
    isOpenAi: true,
    runsServers: ["openai-responses"],
    variable: "OPENAI_API_KEY",
    example: "gpt-6.1-sol",
    models: wellKnown.openai,
    telemetry: "openai"
  }),
  volcengine: service({
    hosts: ["volces.com"],
    origin: "https://ark.cn-beijing.volces.com",
    surfaces: [
      { protocol: "openai-chat", path: "/api/v3" },
      { protocol: "ark-video", path: "/api/v3", models: ["*seedance*"] }
    ],
    variable: "ARK_API_KEY",
    example: "doubao-seedance-2-5-260628",
    models: wellKnown.ark
  }),
  byteplus: service({
    hosts: ["bytepluses.com"],
    origin: "https://ark.ap-southeast.bytepluses.com",
    surfaces: [
      { protocol: "openai-chat", path: "/api/v3" },
      { protocol: "ark-video", path: "/api/v3", models: ["*seedance*"] }
    ],
    example: "dreamina-seedance-2-5-260628"
  }),
  gemini: service({
    hosts: ["generativelanguage.googleapis.com", "googleapis.com"],
    origin: "https://generativelanguage.googleapis.com",
    surfaces: [
      { protocol: "gemini", path: "/v1beta" },
      { protocol: "openai-chat", path: "/v1beta/openai", models: [] },
      { protocol: "veo", path: "/v1beta", models: ["veo*"] }
    ],
    variable: "GEMINI_API_KEY",
    hangUp: "runs_on",
    example: "gemini-4-argon",
    prices: "google",
    telemetry: "gcp.gemini"
  }),
  openrouter: service({
    hosts: ["openrouter.ai"],
    origin: "https://openrouter.ai/api",
    variable: "OPENROUTER_API_KEY",
    tellsCost: true,
    example: "openai/gpt-oss-120b"
  }),
  groq: service({
    hosts: ["groq.com"],
    origin: "https://api.groq.com",
    surfaces: [{ protocol: "openai-chat", path: "/openai/v1" }],
    variable: "GROQ_API_KEY",
    hangUp: "runs_on",
    example: "openai/gpt-oss-120b",
    telemetry: "groq"
  }),
  mistral: service({
    hosts: ["mistral.ai"],
    origin: "https://api.mistral.ai",
    variable: "MISTRAL_API_KEY",
    hangUp: "runs_on",
    example: "mistral-large-4",
    telemetry: "mistral_ai"
  }),
  deepseek: service({
    hosts: ["deepseek.com"],
    origin: "https://api.deepseek.com",
    variable: "DEEPSEEK_API_KEY",
    example: "deepseek-v4-pro",
    telemetry: "deepseek"
  }),
  xai: service({
    hosts: ["x.ai"],
    origin: "https://api.x.ai",
    runsServers: ["openai-responses"],
    variable: "XAI_API_KEY",
    tellsCost: true,
    example: "grok-4.7",
    prices: "x-ai",
    telemetry: "x_ai"
  }),
  together: service({
    hosts: ["together.xyz", "together.ai"],
    origin: "https://api.together.xyz",
    variable: "TOGETHER_API_KEY",
    example: "openai/gpt-oss-120b"
  }),
  fireworks: service({
    hosts: ["fireworks.ai"],
    origin: "https://api.fireworks.ai/inference",
    variable: "FIREWORKS_API_KEY",
    example: "accounts/fireworks/models/gpt-oss-120b"
  }),
  cerebras: service({
    hosts: ["cerebras.ai"],
    origin: "https://api.cerebras.ai",
    variable: "CEREBRAS_API_KEY",
    example: "gpt-oss-120b"
  }),
  nvidia: service({
    hosts: ["nvidia.com"],
    origin: "https://integrate.api.nvidia.com",
    variable: "NVIDIA_API_KEY",
    example: "openai/gpt-oss-120b"
  }),
  perplexity: service({
    hosts: ["perplexity.ai"],
    origin: "https://api.perplexity.ai",
    surfaces: [{ protocol: "openai-chat", path: "" }],
    variable: "PERPLEXITY_API_KEY",
    tellsCost: true,
    hangUp: "runs_on",
    example: "sonar-pro",
    models: wellKnown.perplexity,
    telemetry: "perplexity"
  }),
  moonshot: service({
    hosts: ["moonshot.ai", "moonshot.cn"],
    origin: "https://api.moonshot.ai",
    variable: "MOONSHOT_API_KEY",
    example: "kimi-k3",
    prices: "moonshotai",
    telemetry: "moonshot_ai"
  }),
  zhipu: service({
    hosts: ["z.ai", "bigmodel.cn"],
    origin: "https://api.z.ai",
    surfaces: [{ protocol: "openai-chat", path: "/api/paas/v4" }],
    variable: "ZAI_API_KEY",
    example: "glm-5.2",
    models: wellKnown.zhipu,
    prices: "zai"
  }),
  qwen: service({
    hosts: ["aliyuncs.com"],
    origin: "https://dashscope-intl.aliyuncs.com",
    surfaces: [
      { protocol: "openai-chat", path: "/compatible-mode/v1" },
      { protocol: "dashscope-video", path: "/api/v1", models: ["wan*", "happyhorse*", "vidu*"] }
    ],
    variable: "DASHSCOPE_API_KEY",
    hangUp: "runs_on",
    example: "qwen3.8-max",
    models: wellKnown.qwen,
    prices: "dashscope"
  }),
  minimax: service({
    hosts: ["minimax.io", "minimaxi.com"],
    origin: "https://api.minimax.io",
    surfaces: [
      { protocol: "openai-chat", path: "/v1" },
      { protocol: "minimax-video", path: "/v2", models: ["MiniMax-H*"] }
    ],
    variable: "MINIMAX_API_KEY",
    hangUp: "runs_on",
    example: "MiniMax-M2.7",
    models: wellKnown.minimax
  }),
  // No SDK of its own; the address is of its page "General Info". A key is `<access key>:<secret key>`.
  kling: service({
    hosts: ["klingai.com"],
    origin: "https://api-singapore.klingai.com",
    surfaces: [{ protocol: "kling-video", path: "/v1" }],
    variable: "KLING_KEYS",
    example: "kling-v3"
  }),
  cohere: service({
    hosts: ["cohere.com", "cohere.ai"],
    origin: "https://api.cohere.ai",
    surfaces: [{ protocol: "openai-chat", path: "/compatibility/v1" }],
    variable: "COHERE_API_KEY",
    example: "command-a-03-2025",
    models: wellKnown.cohere,
    telemetry: "cohere"
  }),
  huggingface: service({
    hosts: ["huggingface.co"],
    origin: "https://router.huggingface.co",
    variable: "HF_TOKEN",
    hangUp: "runs_on",
    example: "openai/gpt-oss-120b"
  }),
  github: service({
    hosts: ["models.github.ai"],
    origin: "https://models.github.ai",
    surfaces: [{ protocol: "openai-chat", path: "/inference" }],
    variable: "GITHUB_TOKEN",
    example: "openai/gpt-5-mini"
  })
} satisfies Readonly<Record<string, ProviderRow>>
