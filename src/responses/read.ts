import { Effect } from "effect"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import { wholeBody } from "../contract/bodies/wholeBody.ts"
import { shownItem } from "./encoding.ts"
import type { Include } from "./encoding.ts"
import { inputItemId } from "./ids.ts"
import type { StoredItem } from "./InputItem.ts"
import type { ItemPageQuery } from "./itemPage.ts"
import { framesOf } from "./replay.ts"
import type { ResponseObject } from "./ResponseObject.ts"
import type { StoredResponse } from "./store/ResponseStore.ts"

type Names = string | ReadonlyArray<string> | undefined

export interface IncludeParams {
  readonly include?: Names
  readonly "include[]"?: Names
}

/** The optional parts that the creator of a response or its reader asks for. */
export const includeOf = ({ include }: StoredResponse, params: IncludeParams): Include => {
  const { encryptedReasoning, searchSources } = includedIn(params)
  return {
    searchSources: include.searchSources || searchSources,
    encryptedReasoning: include.encryptedReasoning || encryptedReasoning
  }
}

/** The optional parts that a reader asks for. */
export const includedIn = (params: IncludeParams): Include => {
  const names = [params.include ?? [], params["include[]"] ?? []].flat()
  return {
    searchSources: names.includes("web_search_call.action.sources"),
    encryptedReasoning: names.includes("reasoning.encrypted_content")
  }
}

export interface ReadParams extends IncludeParams {
  readonly stream?: string | undefined
  readonly starting_after?: number | undefined
}

/** A stored response, or its stream. */
export const read = (stored: StoredResponse, params: ReadParams): ResponseObject | Response => {
  if (params.stream !== "true") return whole(stored, params)
  const include = includeOf(stored, params)
  const after = params.starting_after ?? -1
  const frames = framesOf(stored, include).filter((frame) => frame.sequence_number > after)
  const text = frames.map((frame) => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`).join("")
  return new Response(wholeBody(text), {
    headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" }
  })
}

/** A stored response as its reader may see it. */
export const whole = (stored: StoredResponse, params: IncludeParams): ResponseObject => {
  const include = includeOf(stored, params)
  return { ...stored.response, output: stored.output.map((item) => shownItem(item, include)) }
}

export interface ItemPage {
  readonly object: "list"
  readonly data: ReadonlyArray<StoredItem>
  readonly first_id: string | null
  readonly last_id: string | null
  readonly has_more: boolean
}

/** One page of a response's own input, newest first by default. */
export const inputPage = (
  { input, response }: StoredResponse,
  params: ItemPageQuery
): Effect.Effect<ItemPage, InvalidRequest> => {
  const items = input.map((item, index) => wholeItem(item, inputItemId(response.id, item, index)))
  if (params.order !== "asc") items.reverse()
  const from = params.after === undefined ? 0 : items.findIndex(({ id }) => id === params.after) + 1
  if (from === 0 && params.after !== undefined) {
    return Effect.fail(
      new InvalidRequest({
        param: "after",
        message: `after: expected the id of an input item; got "${params.after}"`
      })
    )
  }
  const limit = params.limit ?? 20
  const data = items.slice(from, from + limit)
  return Effect.succeed({
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: from + limit < items.length
  })
}

/** An item as it is read: with an id, a type, and message content as blocks. */
export const wholeItem = (item: StoredItem, id: string): StoredItem & { readonly id: string } => {
  switch (item.type) {
    case undefined:
    case null:
    case "message":
      return {
        ...item,
        id,
        type: "message",
        status: item.status ?? "completed",
        content:
          typeof item.content === "string"
            ? [
                item.role === "assistant"
                  ? { type: "output_text", text: item.content, annotations: [] }
                  : { type: "input_text", text: item.content }
              ]
            : item.content
      }
    default:
      return { ...item, id }
  }
}
