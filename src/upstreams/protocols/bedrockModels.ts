import { isObject, listAt, textAt } from "../../contract/json/json.ts"
import { withoutSlash } from "../../config/withoutSlash.ts"
import type { Protocol } from "./Protocol.ts"

/**
 * Bedrock's lists of models and of inference profiles, which its control plane has: another host than the runtime's.
 * Source: AWS's API reference, ListFoundationModels and ListInferenceProfiles.
 */
export const bedrockListing: Required<Pick<Protocol<never>, "listedAt" | "modelIds">> = {
  listedAt: (baseUrl) => {
    const url = new URL(baseUrl)
    const host = url.host.replace(/^bedrock-runtime(?=[.-])/, "bedrock")
    const path = withoutSlash(url.pathname).replace(/\/anthropic(?:\/v1)?$/, "")
    const place = `${url.protocol}//${host}${path}`
    return [`${place}/foundation-models?byOutputModality=TEXT`, `${place}/inference-profiles?maxResults=1000`]
  },
  modelIds: (answer) => {
    if (!isObject(answer)) return undefined
    const { inferenceProfileSummaries: profiles, modelSummaries: models } = answer
    if (Array.isArray(models)) return models.filter(isOnDemand).flatMap((model) => textAt(model, "modelId") ?? [])
    return Array.isArray(profiles) ? profiles.flatMap((one) => textAt(one, "inferenceProfileId") ?? []) : undefined
  }
}

/** False for a model that is asked by an inference profile, or by capacity of one's own, alone. */
const isOnDemand = (model: unknown): boolean => {
  const types = listAt(model, "inferenceTypesSupported")
  return types.length === 0 || types.includes("ON_DEMAND")
}
