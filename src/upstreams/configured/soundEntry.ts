import { Either, Redacted } from "effect"
import type { BadSettings, Located } from "../../config/document.ts"
import type { GatewayFile } from "../../config/GatewayFile.ts"
import { providerNamed, providerNames } from "../../config/providers/providers.ts"
import { isPlaced, protocolsAt, rowOf, surfaceOf } from "../../config/providers/surfaces.ts"
import type { SurfaceEntry, UpstreamEntry } from "../../config/providers/surfaces.ts"
import { notHere } from "../../config/SecretFiles.ts"
import { authFields } from "../../config/sections/Auth.ts"
import { closest } from "../../config/warnings.ts"
import { firstKey, keysOf } from "../keys/keysOf.ts"
import { protocolOf } from "../protocols.ts"

/** An entry of `upstreams` at each of its protocols, the usual one first. Fails with the mistakes that the schema cannot find. */
export const soundEntry = (
  file: Located<GatewayFile>,
  name: string,
  entry: UpstreamEntry
): Either.Either<ReadonlyArray<SurfaceEntry>, BadSettings> => {
  const wrong = wrongProvider(entry) ?? wrongKeys(entry) ?? wrongOptions(file, name, entry)
  if (wrong !== undefined) {
    const [path, rule] = wrong
    return Either.left(file.complain(["upstreams", name, ...path], `upstreams.${name}.${rule}`))
  }
  return Either.all(
    protocolsAt(file.value, name).map((protocol) =>
      Either.mapLeft(surfaceOf(entry, protocol), ({ rule, setting }) =>
        file.complain(["upstreams", name, setting], `upstreams.${name}.${setting}: ${rule}`)
      )
    )
  )
}

type Wrong = readonly [path: ReadonlyArray<string | number>, rule: string]

const wrongProvider = ({ provider }: UpstreamEntry): Wrong | undefined => {
  if (provider === undefined || providerNamed(provider) !== undefined) return undefined
  const near = closest(provider, providerNames)
  const meant = near === undefined ? "" : `; is ${near} meant?`
  return [["provider"], `provider: no provider "${provider}", \`gateway providers\` lists them${meant}`]
}

const wrongKeys = (entry: UpstreamEntry): Wrong | undefined => {
  const { auth = "key", region } = entry
  const row = rowOf(entry)
  if (auth !== "key" && firstKey(entry) !== undefined) {
    return [["auth"], "auth: in place of api_key and keys, not beside them"]
  }
  if (region !== undefined && authFields(auth).kind !== "aws" && (row === undefined || !isPlaced(row, "region"))) {
    return [["region"], "region: is for auth: aws, and for providers with a region in their addresses"]
  }
  const misplaced = (["project", "resource"] as const).find(
    (setting) => entry[setting] !== undefined && (row === undefined || !isPlaced(row, setting))
  )
  if (misplaced !== undefined) return [[misplaced], `${misplaced}: is for providers with it in their addresses`]
  if (entry.keys === undefined) return undefined
  if (entry.api_key !== undefined) return [["api_key"], "api_key: stands in keys where there are several"]
  const written = keysOf(entry).map(({ key }) => Redacted.value(key))
  const index = written.findIndex((key, at) => key !== notHere && written.indexOf(key) < at)
  return index === -1
    ? undefined
    : [["keys", index], `keys[${index}]: the same key as keys[${written.indexOf(written[index] ?? "")}]`]
}

const wrongOptions = ({ value }: Located<GatewayFile>, name: string, entry: UpstreamEntry): Wrong | undefined => {
  const protocols = protocolsAt(value, name)
  const isText = protocols.some((protocol) => protocolOf(protocol).kind === "text")
  const ofTexts = isText ? undefined : textOptions.find((option) => entry[option] !== undefined)
  if (ofTexts !== undefined) return [[ofTexts], `${ofTexts}: is for upstreams of text models alone`]
  const misplaced = ownOptions.find(([option, only]) => entry[option] !== undefined && !protocols.includes(only))
  if (misplaced !== undefined) return [[misplaced[0]], `${misplaced[0]}: is for ${misplaced[1]} alone`]
  if (
    entry.guardrail !== undefined &&
    rowOf(entry)?.hasGuardrails !== true &&
    !protocols.includes("bedrock-converse")
  ) {
    return [["guardrail"], "guardrail: is for Bedrock alone: provider: bedrock, or protocol: bedrock-converse"]
  }
  const [, second] = protocols.filter((protocol) => protocolOf(protocol).kind === "video")
  return second === undefined ? undefined : [["protocol"], `protocol: one of videos is enough; ${second} is the second`]
}

/** Options of a single protocol. */
const ownOptions = [
  ["threads", "anthropic-messages"],
  ["cache", "anthropic-messages"],
  ["anthropic_beta", "anthropic-messages"],
  ["default_inference_geo", "anthropic-messages"],
  ["think_tags", "openai-chat"]
] as const

/** Video tasks queue for capacity themselves, and video upstreams list models of every kind. */
const textOptions = [
  "list_models",
  "threads",
  "cache",
  "anthropic_beta",
  "default_service_tier",
  "default_inference_geo",
  "price_factor",
  "think_tags",
  "shared_ids",
  "max_concurrency",
  "queue_seconds"
] as const
