import { withBearerKey } from "../../Endpoint.ts"
import { bytesAlone } from "../../files/inlineFiles.ts"
import { signs } from "./messages.ts"
import { goesOn } from "./goesOn.ts"
import { messagesDialect } from "./messagesDialect.ts"
import { fates } from "./fates.ts"
import { claudeNamed } from "./models.ts"
import { lower } from "./request.ts"
import type { MessagesState } from "./state.ts"
import { begin, end, frames, step } from "./step.ts"
import { bodyWithoutBilling, readsBilling, withoutBilling } from "../billing.ts"
import { takeNotes } from "../notes.ts"
import { claudePlaces } from "../../../config/providers/claudePlaces.ts"
import type { ClaudePlace, ClaudePlaceName } from "../../../config/providers/claudePlaces.ts"
import { providerAt, providerNamed, providerRow } from "../../../config/providers/providers.ts"
import { atBedrock, isPlain } from "./bedrock.ts"
import { betaRefusal } from "./betaRefusal.ts"
import { fitToPlace } from "./fitToPlace.ts"
import { unsigned } from "./unsigned.ts"
import { atVertex } from "./vertex.ts"
import type { Protocol } from "../Protocol.ts"
import { anthropicDefaults } from "../servedDefaults.ts"

/** `/v1/messages`, as Anthropic and a few others serve it. */
export const anthropicMessages: Protocol<MessagesState> = {
  endpoint: {
    version: "/v1",
    path: "/messages",
    headers: (apiKey) => ({
      "anthropic-version": "2023-06-01",
      ...(apiKey === undefined ? {} : { "x-api-key": apiKey })
    })
  },
  models: "/models",
  counts: "/messages/count_tokens",
  searches: true,
  fates,
  signs,
  dialect: messagesDialect,
  takesFileIds: true,
  takesDocument: (mediaType) => mediaType === "application/pdf",
  lower,
  withDefaults: anthropicDefaults,
  begin,
  step,
  end,
  frames,
  unsigned,
  goesOn
}

/** The same at another's server. */
const elsewhere: Protocol<MessagesState> = {
  ...anthropicMessages,
  dialect: {
    ...messagesDialect,
    body: (body, options, lost = () => {}) => messagesDialect.body(bodyWithoutBilling(body, lost), options, lost)
  },
  lower: (conversation, options) => {
    const notes = takeNotes()
    const lowered = lower(withoutBilling(conversation, notes.adapt), options)
    return { ...lowered, adapted: [...lowered.adapted, ...notes.adapted()] }
  }
}

/** The protocol as a server speaks it. */
export const anthropicMessagesAt = (baseUrl: string, provider?: string): Protocol<MessagesState> => {
  const name = placeName(baseUrl, provider)
  const place: ClaudePlace | undefined = name && claudePlaces[name]
  const wire = wireAt(baseUrl, provider)
  return {
    ...wire,
    ...(place !== undefined &&
      place.isOwn !== true && {
        lower: (conversation, options) =>
          wire.lower(conversation, { ...options, knownAs: claudeNamed(options.knownAs ?? options.model) })
      }),
    isOwn: place?.isOwn === true,
    place: {
      fit: (asked, options) => fitToPlace(asked, place, options),
      ...(place?.isOwn !== true && { betaRefusal })
    },
    ...(place?.bytesAlone === true && { fetches: bytesAlone })
  }
}

const wireAt = (baseUrl: string, provider: string | undefined): Protocol<MessagesState> => {
  const wire = wireNamed(provider)
  if (wire === "rawPredict") return atVertex(elsewhere)
  const protocol = readsBilling(baseUrl) ? anthropicMessages : elsewhere
  if (wire === "bearer" || bearers.test(URL.parse(baseUrl)?.hostname ?? "")) {
    return { ...protocol, endpoint: withBearerKey(protocol.endpoint) }
  }
  return wire === "invoke" ? atBedrock(protocol, baseUrl) : protocol
}

/** Only an entry that names its provider is sent to in a form of that provider's own. */
const wireNamed = (provider: string | undefined) => {
  const name = providerNamed(provider ?? "")
  return name && providerRow(name).claudeWire
}

/** The row of the table of places; undefined for a server that nothing is known of. */
const placeName = (baseUrl: string, provider: string | undefined): ClaudePlaceName | undefined => {
  const host = bearers.exec(URL.parse(baseUrl)?.hostname ?? "")?.[1]
  if (host !== undefined) return host === "bedrock-mantle" ? "mantle" : "anthropic"
  const row = providerNamed(provider ?? "") ?? providerAt(baseUrl)
  const name = row && providerRow(row).claude
  return name === "invoke" && (wireNamed(provider) !== "invoke" || isPlain(baseUrl)) ? "mantle" : name
}

/** Bedrock's Mantle and the Claude Platform on AWS: Anthropic's own, but for the key. */
const bearers = /(?:^|\.)(bedrock-mantle|aws-external-anthropic)\./
