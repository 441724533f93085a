import type { JsonObject } from "../../../contract/fields.ts"
import { objectAt, textAt } from "../../../contract/json/json.ts"
import type { Conversation, Item, Marked, Part, ReasoningItem, SearchItem } from "../../../generation/Conversation.ts"
import { isFrom } from "../../../generation/origin.ts"
import { isBlank } from "../anthropicMessages/blankText.ts"
import { goOn, needsUser } from "../anthropicMessages/lastTurn.ts"
import { signs as anthropic } from "../anthropicMessages/messages.ts"
import type { Back } from "../back.ts"
import { wrapCustom } from "../back.ts"
import { anthropicId, atMost } from "../callIds.ts"
import { conversationBegins, markedSystem } from "../documents.ts"
import { inResult, leftOut } from "../inResult.ts"
import { callInput } from "../notes.ts"
import type { Notes } from "../notes.ts"
import { oneResultEach } from "../oneResultEach.ts"
import { documentBlock, DocumentNames, imageBlock } from "./media.ts"
import type { ConverseTraits } from "./models.ts"

/** The provider of these reasoning signatures. */
export const signs = "bedrock"

export interface ConverseTurn {
  readonly role: "user" | "assistant"
  readonly content: ReadonlyArray<JsonObject>
}

export interface LoweredMessages {
  readonly system: ReadonlyArray<JsonObject>
  readonly turns: ReadonlyArray<ConverseTurn>
}

/** The requested model, and the notes of what it does not get. */
interface Recipient {
  readonly model: string
  /** The public id of the model. */
  readonly knownAs: string
  readonly traits: ConverseTraits
  readonly back: Back
  readonly notes: Notes
  readonly names: DocumentNames
}

/** A conversation's items as alternating turns. System text between them becomes marked user text. */
export const lowerMessages = (conversation: Conversation, recipient: Omit<Recipient, "names">): LoweredMessages => {
  const to: Recipient = { ...recipient, names: new DocumentNames() }
  const system = conversation.system.flatMap((text) => [
    ...textBlocks(text),
    ...pointsFor([{ cacheMark: isBlank(text) ? undefined : conversation.systemMarks?.get(text) }], to)
  ])
  const turns: Array<{ readonly role: ConverseTurn["role"]; readonly content: Array<JsonObject> }> = []
  for (const item of oneResultEach(conversation.items)) {
    if (item.type === "message" && item.role === "system" && turns.length === 0) {
      system.push(...item.content.flatMap((part) => blocksOf(part, to)))
      continue
    }
    const content = blocks(item, to)
    if (content.length === 0) continue
    const last = turns.at(-1)
    if (last?.role === roleOf(item)) last.content.push(...content)
    else turns.push({ role: roleOf(item), content: [...content] })
  }
  // A conversation begins with the user.
  if (turns[0]?.role === "assistant") turns.unshift({ role: "user", content: [{ text: conversationBegins }] })
  if (
    recipient.traits.claude !== undefined &&
    needsUser(turns.at(-1)?.role, recipient.knownAs, conversation, to.notes)
  ) {
    turns.push({ role: "user", content: [{ text: goOn }] })
  }
  // A mark of everything stands at the end.
  turns.at(-1)?.content.push(...pointsFor([conversation], to))
  const given = turns.map(accepted)
  return recipient.traits.system || system.length === 0
    ? { system, turns: given }
    : { system: [], turns: withSystem(given, system) }
}

/** System text in front of what the user says first. */
const withSystem = (
  [first, ...others]: ReadonlyArray<ConverseTurn>,
  system: ReadonlyArray<JsonObject>
): ReadonlyArray<ConverseTurn> =>
  first === undefined ? [] : [{ ...first, content: [...system, ...first.content] }, ...others]

const roleOf = (item: Item): ConverseTurn["role"] => {
  if (item.type === "message") return item.role === "assistant" ? "assistant" : "user"
  return item.type === "tool-result" ? "user" : "assistant"
}

/** A turn in the order and form that the dialect accepts. */
const accepted = ({ content, role }: ConverseTurn, index: number, all: ReadonlyArray<ConverseTurn>): ConverseTurn => {
  if (role === "assistant") return { role, content: index === all.length - 1 ? untrailed(content) : content }
  // Results of tools come first, and no document stands alone.
  const results = content.filter((block) => block["toolResult"] !== undefined)
  const others = content.filter((block) => block["toolResult"] === undefined)
  const name = others.map((block) => textAt(objectAt(block, "document"), "name")).find((one) => one !== undefined)
  const isAlone = name !== undefined && others.every((block) => block["text"] === undefined)
  return { role, content: [...results, ...(isAlone ? [{ text: name }] : []), ...others.filter(isFirstPoint)] }
}

/** False for a cache point right behind another: the results between them have moved. */
const isFirstPoint = (block: JsonObject, index: number, all: ReadonlyArray<JsonObject>): boolean =>
  !isCachePoint(block) || index === 0 || !isCachePoint(all[index - 1] ?? {})

const untrailed = (content: ReadonlyArray<JsonObject>): ReadonlyArray<JsonObject> => {
  const text = textAt(content.at(-1), "text")
  return text === undefined ? content : [...content.slice(0, -1), { text: text.trimEnd() }]
}

const blocks = (item: Item, to: Recipient): ReadonlyArray<JsonObject> => {
  switch (item.type) {
    case "message":
      return item.content.flatMap((part) => {
        if (item.role === "system" && part.type === "text") {
          return blocksOf({ ...part, text: isBlank(part.text) ? "" : markedSystem(part.text) }, to)
        }
        if (item.role !== "assistant" || part.type !== "image") return blocksOf(part, to)
        // The assistant's turns have none.
        to.notes.adapt("image")
        return []
      })
    case "reasoning":
      return reasoning(item, to)
    case "tool-call": {
      const text = item.kind === "custom" ? wrapCustom(item.arguments) : item.arguments
      const name = to.back.upstreamName(item.name)
      const toolUse = { toolUseId: callId(item.callId), name, input: callInput(text, to.notes) }
      return [{ toolUse }, ...pointsFor([item], to)]
    }
    case "tool-result": {
      const content = item.content
        .flatMap(
          (part) => inResult(to.notes, (notes) => blocksOf(part, { ...to, notes })) ?? textBlocks(leftOut(part.type))
        )
        .filter((block) => !isCachePoint(block))
      const marksErrors = item.isError && to.traits.marksErrors
      const isHeld = (block: JsonObject) => to.traits.images === "everywhere" || block["image"] === undefined
      const held = content.filter(isHeld)
      const said = item.isError && !marksErrors ? [{ text: "Error:" }, ...held] : held
      return [
        {
          toolResult: {
            toolUseId: callId(item.callId),
            content: said.length === 0 ? [{ text: "(empty)" }] : said,
            ...(marksErrors && { status: "error" })
          }
        },
        // Images that the result can't hold follow it.
        ...content.filter((block) => !isHeld(block)),
        ...pointsFor([...item.content, item], to)
      ]
    }
    case "search":
      return searched(item, to.notes)
  }
}

/** At most 64 letters, digits, `_` and `-`. */
const callId = (id: string): string => atMost(64)(anthropicId(id))

/** The upstream accepts reasoning only with a signature of the same model. */
const reasoning = (item: ReasoningItem, { model, notes, traits }: Recipient): ReadonlyArray<JsonObject> => {
  const { redacted, signature, text } = item
  // Most models here sign nothing and want nothing back.
  if (redacted === undefined && signature === undefined) return []
  if (isFrom(item, signs, model) || (traits.claude !== undefined && isFrom(item, anthropic, model))) {
    if (redacted !== undefined) return [{ reasoningContent: { redactedContent: redacted } }]
    if (signature !== undefined) return [{ reasoningContent: { reasoningText: { text, signature } } }]
  }
  notes.adapt("reasoning")
  return []
}

/** The upstream has no searches: one that ran elsewhere is replayed as text. */
const searched = ({ outcome, query }: SearchItem, notes: Notes): ReadonlyArray<JsonObject> => {
  if (outcome?.type !== "results") {
    notes.adapt("web_search_call")
    return []
  }
  const results = outcome.results.map(({ text, title, url }) => `- ${title} <${url}>\n${text}`.trimEnd())
  return textBlocks(`Web search for ${JSON.stringify(query)} found:\n${results.join("\n")}`)
}

const textBlocks = (text: string): Array<JsonObject> => (isBlank(text) ? [] : [{ text }])

const blocksOf = (part: Part, to: Recipient): ReadonlyArray<JsonObject> => {
  const blocks = unmarked(part, to)
  return blocks.length === 0 || part.cacheMark === undefined ? blocks : [...blocks, ...pointsFor([part], to)]
}

const unmarked = (part: Part, to: Recipient): ReadonlyArray<JsonObject> => {
  switch (part.type) {
    case "text":
      return textBlocks(part.text)
    case "refusal":
      return textBlocks(part.text)
    case "image":
      return imageBlock(part, to.traits, to.notes)
    case "document":
      return documentBlock(part, to.names, to.notes)
  }
}

/** The cache point for what the caller marked: it stands behind it. */
export const pointsFor = (
  marked: ReadonlyArray<Marked>,
  { notes, traits }: Pick<Recipient, "notes" | "traits">
): ReadonlyArray<JsonObject> => {
  const mark = marked.findLast(({ cacheMark }) => cacheMark !== undefined)?.cacheMark
  if (mark === undefined || traits.cachePoints === "none") return []
  if (mark.ttl !== undefined && !traits.longCache) notes.adapt("cache_control.ttl")
  return [cachePoint(traits.longCache ? mark.ttl : undefined)]
}

export const cachePoint = (ttl: "1h" | undefined): JsonObject => ({
  cachePoint: { type: "default", ...(ttl !== undefined && { ttl }) }
})

const isCachePoint = (block: JsonObject): boolean => block["cachePoint"] !== undefined
