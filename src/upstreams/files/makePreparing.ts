import { Effect } from "effect"
import type { InvalidRequest, UpstreamFailed } from "../../contract/failures/Failure.ts"
import type { Conversation, Item } from "../../generation/Conversation.ts"
import type { Protocol } from "../protocols/Protocol.ts"
import { extractDocuments } from "../text/extractDocuments.ts"
import type { TextUpstreamOptions } from "../text/TextUpstreamOptions.ts"
import type { GenerateOptions } from "../Upstream.ts"
import { inConversation } from "./inConversation.ts"
import { inlineFiles } from "./inlineFiles.ts"

/** A conversation whose files the upstream takes as they are. */
interface Prepared {
  readonly conversation: Conversation
  /** Names of the parts that became text. */
  readonly adapted: ReadonlyArray<string>
}

type Preparing = Effect.Effect<Prepared, InvalidRequest | UpstreamFailed>

/**
 * Prepares conversations for a protocol: fetches files whose addresses its place refuses, and takes the text of PDFs if
 * it has none. Undefined if it takes all as they are; so is the result for a conversation without such files.
 */
export const makePreparing = <S>(
  { fetches, takesDocument }: Pick<Protocol<S>, "fetches" | "takesDocument">,
  { files, readDocument }: Pick<TextUpstreamOptions, "files" | "readDocument">
): ((asked: Conversation, how: Pick<GenerateOptions, "serves">) => Preparing | undefined) | undefined => {
  const takesPdf = takesDocument("application/pdf")
  if (takesPdf && fetches === undefined) return undefined
  const inline = fetches && { fetches, inlined: inConversation(fetches) }
  const extracted = (conversation: Conversation): Preparing | undefined => {
    const extracting = takesPdf ? undefined : extractDocuments(conversation, readDocument)
    return extracting && Effect.map(extracting, (conversation) => ({ conversation, adapted: ["document"] }))
  }
  return (asked, how) => {
    if (!asked.items.some(hasFile)) return undefined
    const inlining = inline && inlineFiles(asked, inline.inlined, inline.fetches, files, how)
    if (inlining === undefined) return extracted(asked)
    return Effect.flatMap(
      inlining,
      (conversation) => extracted(conversation) ?? Effect.succeed({ conversation, adapted: nothing })
    )
  }
}

const hasFile = (item: Item): boolean => {
  if (item.type !== "message" && item.type !== "tool-result") return false
  for (const { type } of item.content) if (type === "image" || type === "document") return true
  return false
}

const nothing: ReadonlyArray<never> = []
