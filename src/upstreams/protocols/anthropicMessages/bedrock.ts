import type { EndpointPath } from "../../../config/baseUrl.ts"
import { claudePlaces } from "../../../config/providers/claudePlaces.ts"
import type { JsonObject } from "../../../contract/fields.ts"
import { numberAt, objectAt, parseJson, textAt } from "../../../contract/json/json.ts"
import { bearer, withBearerKey } from "../../Endpoint.ts"
import type { Placeable, Placed } from "../../Endpoint.ts"
import { awsEventStream } from "../../framing/awsEventStream.ts"
import type { AwsMessage } from "../../framing/awsEventStream.ts"
import type { Frame } from "../../framing/Framing.ts"
import { awsError } from "../awsErrors.ts"
import { bedrockListing } from "../bedrockModels.ts"
import type { Lowered, LowerOptions, Protocol } from "../Protocol.ts"
import { bodyVersion } from "./bodyVersion.ts"
import { parts } from "./parts.ts"
import type { MessagesState } from "./state.ts"

/**
 * The protocol at Bedrock's runtime. Behind `…/anthropic` it is Anthropic's own. Everywhere else, it is InvokeModel: the
 * model and the way of answering are in the path, the version and the betas in the body, and streams are AWS's. Sources:
 * `@anthropic-ai/bedrock-sdk`; AWS's pages on InvokeModel and CountTokens.
 */
export const atBedrock = (protocol: Protocol<MessagesState>, baseUrl: string): Protocol<MessagesState> => {
  const { takesFileIds: _, ...others } = { ...protocol, ...bedrockListing }
  // Web search runs at Anthropic, at Mantle and at Vertex, but not at the runtime.
  const local = { ...others, searches: false }
  return isPlain(baseUrl)
    ? { ...local, endpoint: withBearerKey(protocol.endpoint) }
    : {
        ...local,
        lower: (conversation, options) => withoutLongMarks(local.lower(conversation, options), options),
        endpoint: { version: "", path: "/messages", headers: bearer, placed },
        tierHeader,
        framing: awsEventStream(frameOf),
        counts
      }
}

/** A request without the lifetimes of its cache marks, where the model has none there. */
const withoutLongMarks = (lowered: Lowered, { knownAs, model }: LowerOptions): Lowered => {
  if (!claudePlaces.invoke.lacks["cache_control.ttl"](knownAs ?? model)) return lowered
  const { name = "cache_control", without } = parts["cache_control.ttl"]
  const body = without(lowered.body)
  return body === lowered.body ? lowered : { ...lowered, body, adapted: [...lowered.adapted, name] }
}

/** True for an address of Anthropic's own wire. */
export const isPlain = (baseUrl: string): boolean => /\/anthropic(?:\/v1)?\/?(?:\?|$)/.test(baseUrl)

const counts = "/count-tokens"

/** InvokeModel's tier stands in a header of the request, and of the answer. */
const tierHeader = "x-amzn-bedrock-service-tier"
const tiers: ReadonlySet<unknown> = new Set(["flex", "priority", "reserved"])

/** The version that AWS documents. */
const usualVersion = "bedrock-2023-05-31"

const placed = (request: Placeable, path: EndpointPath): Placed => {
  const { others, version } = bodyVersion(request, usualVersion)
  const { "anthropic-beta": betas, ...more } = others
  const { model, service_tier: tier, stream, ...rest } = request.body
  const headers = { ...more, ...(tiers.has(tier) && { [tierHeader]: String(tier) }) }
  const body = {
    anthropic_version: version,
    ...(betas !== undefined && { anthropic_beta: betas.split(",").map((beta) => beta.trim()) }),
    ...rest
  }
  const id = String(model)
  if (path !== counts) {
    const verb = stream === true ? "invoke-with-response-stream" : "invoke"
    return { path: pathOf(id, verb), body, headers }
  }
  return { path: pathOf(id.replace(profile, ""), "count-tokens"), body: counted(body), headers }
}

const pathOf = (model: string, verb: string): string => `/model/${encodeURIComponent(model)}/${verb}`

/** The prefix of an inference profile (`us.`, `global.`); tokens are counted by the model itself. */
const profile = /^[a-z-]+\.(?=anthropic\.)/

/** The request whose tokens are counted is a whole one, which needs a bound. */
const counted = (body: JsonObject): JsonObject => {
  const budget = numberAt(objectAt(body, "thinking"), "budget_tokens") ?? 0
  const whole = JSON.stringify({ max_tokens: budget + 1_024, ...body })
  return { input: { invokeModel: { body: Buffer.from(whole).toString("base64") } } }
}

/** The event of Anthropic's stream that a message carries. Without a type it is only a sign of life. */
const frameOf = (message: AwsMessage): Frame | undefined => {
  if (message.type === "exception") return { event: "error", data: awsError(message) }
  const bytes = textAt(parseJson(message.payload), "bytes")
  if (bytes === undefined) return undefined
  const data = Buffer.from(bytes, "base64").toString()
  const event = firstType.exec(data)?.[1] ?? textAt(parseJson(data), "type")
  return event === undefined ? undefined : { event, data }
}

const firstType = /^\{"type":"([a-z_]{1,64})"/
