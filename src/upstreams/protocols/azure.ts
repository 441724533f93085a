import { providerAt, providerNamed } from "../../config/providers/providers.ts"
import { withoutSlash } from "../../config/withoutSlash.ts"
import type { EndpointPath } from "../../config/baseUrl.ts"
import type { Endpoint } from "../Endpoint.ts"
import type { Protocol } from "./Protocol.ts"

/** A protocol of OpenAI's at Azure, where that is the place; otherwise the protocol itself. */
export const openaiAt = <P extends Pick<Protocol<never>, "endpoint">>(
  protocol: P,
  baseUrl: string,
  provider: string | undefined
): P => {
  const place = providerNamed(provider ?? "") ?? providerAt(baseUrl)
  return place === "azure" || place === "azure-deployments" || place === "foundry"
    ? { ...protocol, endpoint: endpointAt(protocol.endpoint, baseUrl) }
    : protocol
}

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

const ofDeployments: ReadonlySet<EndpointPath> = new Set(["/chat/completions", "/embeddings"])
