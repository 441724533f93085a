import { providerAt, providerNamed, providerRow } from "../../config/providers/providers.ts"
import type { ProviderName } from "../../config/providers/providers.ts"
import { withoutSlash } from "../../config/withoutSlash.ts"
import type { EndpointPath } from "../../config/baseUrl.ts"
import type { Endpoint } from "../Endpoint.ts"
import type { Places, Protocol } from "./Protocol.ts"
import { xaiImages } from "./xaiImages.ts"

/** A protocol of OpenAI's as its place has it: OpenAI, Azure or another server. */
export const openaiAt = <P extends Pick<Protocol<never>, "endpoint" | "isOwn" | "beside">>(
  protocol: P,
  baseUrl: string,
  provider: string | undefined
): P => {
  const name = providerNamed(provider ?? "") ?? providerAt(baseUrl)
  const { isAzure = false, isOpenAi = false } = name === undefined ? {} : providerRow(name)
  return {
    ...protocol,
    isOwn: isOpenAi || protocol.isOwn === true,
    ...(isAzure && { endpoint: endpointAt(protocol.endpoint, baseUrl) }),
    ...(name !== undefined && { beside: { ...protocol.beside, ...otherPlaces[name] } })
  }
}

/** Endpoints that providers have in other forms than OpenAI. */
const otherPlaces: Readonly<Partial<Record<ProviderName, Places>>> = { xai: xaiImages }

/**
 * Azure's own header for the key, and behind `/openai` the older addresses, in which deployments are a part of the path.
 * Source: `AzureOpenAI` of the package `openai`.
 */
const endpointAt = (endpoint: Endpoint, baseUrl: string): Endpoint => ({
  ...endpoint,
  headers: (apiKey) => (apiKey === undefined ? {} : { "api-key": apiKey }),
  ...(withoutSlash(URL.parse(baseUrl)?.pathname ?? "").endsWith("/openai") && {
    placed: ({ body, headers }, path) => ({
      path: ofDeployments.has(path) ? `/deployments/${encodeURIComponent(String(body["model"]))}${path}` : path,
      body,
      headers
    })
  })
})

const ofDeployments: ReadonlySet<EndpointPath> = new Set([
  "/chat/completions",
  "/completions",
  "/embeddings",
  "/images/generations",
  "/images/edits",
  "/images/variations",
  "/audio/speech",
  "/audio/transcriptions",
  "/audio/translations"
])
