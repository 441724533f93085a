import { providerAt, providerNamed, providerRow } from "../config/providers/providers.ts"
import type { ProviderName } from "../config/providers/providers.ts"
import type { JsonObject } from "../contract/fields.ts"
import { objectAt, textAt } from "../contract/json/json.ts"
import type { Secrets } from "./Secrets.ts"

/** LiteLLM's names of providers whose names here are others. */
const named: Readonly<Record<string, ProviderName>> = {
  azure: "azure-deployments",
  azure_ai: "foundry",
  vertex_ai: "vertex",
  vertex_ai_beta: "vertex",
  together_ai: "together",
  fireworks_ai: "fireworks",
  nvidia_nim: "nvidia",
  cohere_chat: "cohere",
  bedrock_converse: "bedrock",
  zai: "zhipu",
  hosted_vllm: "vllm",
  ollama_chat: "ollama",
  lm_studio: "lmstudio",
  llamafile: "llamacpp"
}

/** Servers of the chat-completions dialect that have an address alone. */
const dialects = new Set(["openai_like", "custom_openai", "litellm_proxy", "text-completion-openai"])

/** Names of models without a provider before them, as LiteLLM guesses. */
const guesses: ReadonlyArray<readonly [RegExp, string]> = [
  [/^(?:gpt-|o[134](?:-|$)|chatgpt-|text-embedding-|dall-e|whisper-|tts-|omni-moderation|codex-)/, "openai"],
  [/^claude-/, "anthropic"],
  [/^gemini-/, "vertex_ai"]
]

export interface Split {
  readonly provider: string
  /** The model's name at the provider. */
  readonly model: string
}

/** The provider and the model of `litellm_params`; undefined if the provider isn't known. */
export const splitModel = (params: JsonObject): Split | undefined => {
  const model = textAt(params, "model") ?? ""
  const own = textAt(params, "custom_llm_provider")
  const [first = "", ...rest] = model.split("/")
  if (rest.length > 0 && rowOf(first) !== undefined) return withoutRoute(first, rest)
  if (own !== undefined && rowOf(own) !== undefined) return { provider: own, model }
  const guess = guesses.find(([pattern]) => pattern.test(model))?.[1]
  if (guess !== undefined) return { provider: guess, model }
  return textAt(params, "api_base") === undefined ? undefined : { provider: "openai_like", model }
}

/** `bedrock/converse/…` says how Bedrock is asked. */
const withoutRoute = (provider: string, rest: ReadonlyArray<string>): Split => {
  const hasRoute =
    /^(?:bedrock|azure)$/.test(provider) &&
    rest.length > 1 &&
    /^(?:converse|invoke|responses|us|eu|o_series)$/.test(rest[0] ?? "")
  return { provider, model: (hasRoute ? rest.slice(1) : rest).join("/") }
}

const rowOf = (name: string): ProviderName | "dialect" | undefined =>
  (Object.hasOwn(named, name) ? named[name] : undefined) ??
  providerNamed(name) ??
  (dialects.has(name) ? "dialect" : undefined)

/** An entry of `upstreams`, and the name that it would have. */
export interface PlannedUpstream {
  readonly name: string
  readonly entry: JsonObject
}

/** The parameters that become an upstream's settings. */
export const upstreamParams = [
  "api_key",
  "api_base",
  "base_url",
  "api_version",
  "organization",
  "extra_headers",
  "aws_region_name",
  "aws_access_key_id",
  "aws_secret_access_key",
  "aws_session_token",
  "aws_profile_name",
  "aws_role_name",
  "vertex_project",
  "vertex_location",
  "vertex_credentials",
  "tenant_id",
  "client_id",
  "client_secret"
]

/** The upstream of a deployment. Secrets become variables. */
export const upstreamOf = ({ provider }: Split, params: JsonObject, secrets: Secrets): PlannedUpstream => {
  const text = (name: string) => {
    const value = textAt(params, name)
    return value === undefined ? undefined : value.startsWith("os.environ/") ? secrets.written(value, name) : value
  }
  const secret = (name: string, usual: string) => {
    const value = textAt(params, name)
    return value === undefined ? undefined : secrets.written(value, usual)
  }
  const known = rowOf(provider)
  const base = text("api_base") ?? text("base_url")
  const at = base === undefined ? undefined : providerAt(base)
  const row = known === "dialect" || known === undefined ? at : known
  const isElsewhere = base !== undefined && row !== undefined && at !== row
  const name = row === undefined || (row === "openai" && isElsewhere) ? nameOf(base, provider) : row
  const key = secret("api_key", `${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}_KEY`)
  const usual = row === undefined ? undefined : providerRow(row)
  const unset =
    usual?.auth === "key" && !isElsewhere && usual.variable !== undefined ? `\${${usual.variable}}` : undefined
  const headers = headersOf(params, secrets)
  return {
    name,
    entry: defined({
      ...addressOf(row, base, isElsewhere, text),
      api_key: key ?? unset,
      auth: authOf(row, key, text, secret),
      ...(Object.keys(headers).length > 0 && { headers }),
      // LiteLLM serves models without a price for nothing; so it stays for servers of one's own.
      ...((row === undefined || usual?.auth === "none" || (row === "openai" && isElsewhere)) && { unpriced: "allow" })
    })
  }
}

/** Its address: by the provider's row, or a written one. */
const addressOf = (
  row: ProviderName | undefined,
  base: string | undefined,
  isElsewhere: boolean,
  text: (name: string) => string | undefined
): JsonObject => {
  const dialect = { protocol: "openai-chat", base_url: trimmed(base ?? "http://127.0.0.1:8000/v1") }
  if (row === undefined) return dialect
  switch (row) {
    case "azure-deployments":
    case "foundry": {
      const resource = /^https:\/\/([\w-]+)\.(?:openai|services\.ai)\.azure\.com/.exec(base ?? "")?.[1]
      return resource === undefined
        ? { provider: row, base_url: base === undefined ? "${AZURE_API_BASE}" : originOf(base) }
        : { provider: row, resource }
    }
    case "bedrock":
      return { provider: row, region: text("aws_region_name") ?? "${AWS_REGION_NAME}" }
    case "vertex":
      return {
        provider: row,
        project: text("vertex_project") ?? "${VERTEXAI_PROJECT}",
        region: text("vertex_location") ?? "us-central1"
      }
    case "ollama":
      return base === undefined ? { provider: row } : { provider: row, base_url: originOf(base) }
    case "openai":
      return isElsewhere ? dialect : { provider: row }
    default:
      return isElsewhere && base !== undefined
        ? { provider: row, protocol: providerRow(row).surfaces[0].protocol, base_url: trimmed(base) }
        : { provider: row }
  }
}

/** The credentials of a cloud. */
const authOf = (
  row: ProviderName | undefined,
  key: string | undefined,
  text: (name: string) => string | undefined,
  secret: (name: string, usual: string) => string | undefined
): unknown => {
  if (key !== undefined) return undefined
  if (row === "bedrock") {
    const profile = text("aws_profile_name")
    return {
      kind: "aws",
      ...defined({
        access_key_id: secret("aws_access_key_id", "AWS_ACCESS_KEY_ID"),
        secret_access_key: secret("aws_secret_access_key", "AWS_SECRET_ACCESS_KEY"),
        session_token: secret("aws_session_token", "AWS_SESSION_TOKEN"),
        profile,
        role_arn: text("aws_role_name")
      })
    }
  }
  if (row === "azure-deployments" || row === "foundry") {
    const given = defined({
      tenant_id: text("tenant_id"),
      client_id: text("client_id"),
      client_secret: secret("client_secret", "AZURE_CLIENT_SECRET")
    })
    return Object.keys(given).length === 0 ? "azure" : { kind: "azure", ...given }
  }
  const file = text("vertex_credentials")
  // The credentials themselves may stand there, too.
  if (row === "vertex")
    return file?.trim().startsWith("{") === false ? { kind: "google", credentials_file: file } : "google"
  return undefined
}

const headersOf = (params: JsonObject, secrets: Secrets): JsonObject => {
  const organization = textAt(params, "organization")
  const given = Object.entries(objectAt(params, "extra_headers") ?? {}).flatMap(([name, value]) =>
    typeof value === "string"
      ? [[name, secrets.written(value, `HEADER_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}`)] as const]
      : []
  )
  return {
    ...(organization !== undefined && { "OpenAI-Organization": secrets.written(organization, "OPENAI_ORGANIZATION") }),
    ...Object.fromEntries(given)
  }
}

/** Without an endpoint at its end. */
const trimmed = (base: string): string => {
  const end = endpoints.find((end) => base.endsWith(end))
  return end === undefined ? base : trimmed(base.slice(0, -end.length))
}

const endpoints = ["/", "/chat/completions", "/completions", "/v1/messages"]

const originOf = (base: string) => URL.parse(base)?.origin ?? base

/** Of an address without a provider: its host. */
const nameOf = (base: string | undefined, provider: string) => {
  const host = URL.parse(base ?? "")?.host ?? provider
  return (
    host
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "") || "server"
  )
}

const defined = (values: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
