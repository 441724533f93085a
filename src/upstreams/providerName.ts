/** Hosts whose providers have a name of their own in OpenTelemetry's conventions (`gen_ai.provider.name`). */
const known: ReadonlyArray<readonly [suffix: string, provider: string]> = [
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

/** Whose models an upstream serves, by its host: the conventions' name; where they have none, the upstream's own. */
export const providerName = ({ baseUrl, name }: { readonly baseUrl: string; readonly name: string }): string => {
  const host = URL.parse(baseUrl)?.hostname ?? ""
  return known.find(([suffix]) => host === suffix || host.endsWith(`.${suffix}`))?.[1] ?? name
}
