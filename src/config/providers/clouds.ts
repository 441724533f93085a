import type { ProviderRow } from "./ProviderRow.ts"

const vertexPath = "/v1/projects/{project}/locations/{region}"

/** Providers whose addresses name an account's region, project or resource. */
export const clouds = {
  azure: {
    hosts: ["openai.azure.com", "cognitiveservices.azure.com", "openai.azure.us"],
    origin: "https://{resource}.openai.azure.com",
    surfaces: [
      { protocol: "openai-chat", path: "/openai/v1" },
      { protocol: "openai-responses", path: "/openai/v1", models: ["gpt-*", "o1*", "o3*", "o4*", "codex-*"] }
    ],
    isOpenAi: true,
    isAzure: true,
    auth: "azure",
    variable: "AZURE_OPENAI_API_KEY",
    places: { resource: "AZURE_RESOURCE_NAME" },
    hasDeployments: true,
    example: "the name of a deployment",
    telemetry: "azure.ai.openai"
  },
  // Behind the older addresses, deployments are a part of the path. Source: `AzureOpenAI` of the package `openai`.
  "azure-deployments": {
    hosts: [],
    origin: "https://{resource}.openai.azure.com",
    surfaces: [{ protocol: "openai-chat", path: "/openai?api-version=2024-10-21" }],
    isOpenAi: true,
    isAzure: true,
    auth: "azure",
    variable: "AZURE_OPENAI_API_KEY",
    places: { resource: "AZURE_RESOURCE_NAME" },
    hasDeployments: true,
    example: "the name of a deployment",
    prices: "azure",
    telemetry: "azure.ai.openai"
  },
  // Address and variables of Claude as in `@anthropic-ai/foundry-sdk`. The path of the other models and their patterns
  // are unconfirmed.
  foundry: {
    hosts: ["services.ai.azure.com"],
    origin: "https://{resource}.services.ai.azure.com",
    surfaces: [
      { protocol: "anthropic-messages", path: "/anthropic" },
      { protocol: "openai-chat", path: "/openai/v1", models: ["gpt-*", "deepseek*", "grok*", "mistral*", "llama*"] }
    ],
    claude: "foundry",
    runsServers: ["anthropic-messages"],
    isAzure: true,
    auth: "azure",
    variable: "ANTHROPIC_FOUNDRY_API_KEY",
    places: { resource: "ANTHROPIC_FOUNDRY_RESOURCE" },
    hasDeployments: true,
    example: "the name of a deployment",
    prices: "azure",
    telemetry: "azure.ai.inference"
  },
  bedrock: {
    hosts: ["amazonaws.com", "api.aws"],
    origin: "https://bedrock-runtime.{region}.amazonaws.com",
    surfaces: [
      { protocol: "bedrock-converse", path: "" },
      { protocol: "anthropic-messages", path: "", models: ["*anthropic.*"] },
      { protocol: "openai-chat", path: "/openai/v1", models: ["openai.*"] }
    ],
    claude: "invoke",
    claudeWire: "invoke",
    hasGuardrails: true,
    auth: "aws",
    hangUp: "runs_on",
    variable: "AWS_BEARER_TOKEN_BEDROCK",
    places: { region: "AWS_REGION" },
    example: "us.anthropic.claude-opus-5-5",
    prices: "aws",
    telemetry: "aws.bedrock"
  },
  // Addresses as in `@anthropic-ai/bedrock-sdk` and `BedrockOpenAI`. Some models are behind `/v1`, not `/openai/v1`: an
  // entry for those has a `base_url` beside its `protocol`.
  mantle: {
    hosts: [],
    origin: "https://bedrock-mantle.{region}.api.aws",
    surfaces: [
      { protocol: "openai-chat", path: "/openai/v1" },
      { protocol: "openai-responses", path: "/openai/v1", models: ["openai.*"] },
      { protocol: "anthropic-messages", path: "/anthropic", models: ["anthropic.*"] }
    ],
    claude: "mantle",
    claudeWire: "bearer",
    auth: "aws",
    hangUp: "runs_on",
    variable: "AWS_BEARER_TOKEN_BEDROCK",
    places: { region: "AWS_REGION" },
    example: "anthropic.claude-opus-5-5",
    prices: "aws",
    telemetry: "aws.bedrock"
  },
  // The Claude Platform on AWS, as in `@anthropic-ai/aws-sdk`.
  "anthropic-aws": {
    hosts: [],
    origin: "https://aws-external-anthropic.{region}.api.aws",
    surfaces: [{ protocol: "anthropic-messages", path: "" }],
    claude: "anthropic",
    runsServers: ["anthropic-messages"],
    claudeWire: "bearer",
    auth: "aws",
    variable: "ANTHROPIC_AWS_API_KEY",
    places: { region: "AWS_REGION" },
    headers: { "anthropic-workspace-id": "ANTHROPIC_AWS_WORKSPACE_ID" },
    example: "claude-opus-5-5",
    prices: "anthropic",
    telemetry: "anthropic"
  },
  vertex: {
    hosts: ["aiplatform.googleapis.com", "-aiplatform.googleapis.com", "rep.googleapis.com"],
    origin: "https://{region}-aiplatform.googleapis.com",
    regions: {
      global: "https://aiplatform.googleapis.com",
      us: "https://aiplatform.us.rep.googleapis.com",
      eu: "https://aiplatform.eu.rep.googleapis.com"
    },
    claude: "vertex",
    claudeWire: "rawPredict",
    surfaces: [
      { protocol: "gemini", path: `${vertexPath}/publishers/google` },
      { protocol: "anthropic-messages", path: `${vertexPath}/publishers/anthropic`, models: ["claude-*"] },
      { protocol: "openai-chat", path: `${vertexPath}/endpoints/openapi`, models: ["*/*"] },
      { protocol: "veo", path: `${vertexPath}/publishers/google`, models: ["veo*"] }
    ],
    auth: "google",
    hangUp: "runs_on",
    places: { region: "GOOGLE_CLOUD_LOCATION", project: "GOOGLE_CLOUD_PROJECT" },
    example: "claude-opus-5-5",
    prices: "google",
    telemetry: "gcp.vertex_ai"
  }
} satisfies Readonly<Record<string, ProviderRow>>
