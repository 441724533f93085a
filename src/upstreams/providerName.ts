/** Hosts of providers with a name in OpenTelemetry's conventions (`gen_ai.provider.name`). */
const providersByHost: ReadonlyArray<readonly [suffix: string, provider: string]> = [
  ["api.anthropic.com", "anthropic"],
  ["api.openai.com", "openai"],
  ["openai.azure.com", "azure.ai.openai"],
  ["services.ai.azure.com", "azure.ai.inference"],
  ["generativelanguage.googleapis.com", "gcp.gemini"],
  ["aiplatform.googleapis.com", "gcp.vertex_ai"],
  ["amazonaws.com", "aws.bedrock"],
  ["api.cohere.com", "cohere"],
  ["api.deepseek.com", "deepseek"],
  ["api.groq.com", "groq"],
  ["api.mistral.ai", "mistral_ai"],
  ["api.moonshot.ai", "moonshot_ai"],
  ["api.moonshot.cn", "moonshot_ai"],
  ["api.perplexity.ai", "perplexity"],
  ["api.x.ai", "x_ai"]
]

/** The provider's name in the conventions, by the upstream's host; otherwise the upstream's own name. */
export const providerName = ({ baseUrl, name }: { readonly baseUrl: string; readonly name: string }): string => {
  const host = URL.parse(baseUrl)?.hostname ?? ""
  return providersByHost.find(([suffix]) => host === suffix || host.endsWith(`.${suffix}`))?.[1] ?? name
}
