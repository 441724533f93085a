import { InvalidRequest } from "../contract/Failure.ts"
import { shown } from "./encoding.ts"
import type { Include } from "./encoding.ts"
import { inputItemId } from "./ids.ts"
import type { InputItem } from "./InputItem.ts"
import type { ResponseObject } from "./ResponseObject.ts"
import type { StoredResponse } from "./ResponseStore.ts"

type Names = string | ReadonlyArray<string> | undefined

interface IncludeParams {
  readonly include?: Names
  readonly "include[]"?: Names
}

/** A stored response with what its creator asked to see, or the reader asks for. */
export const visible = ({ include, output, response }: StoredResponse, params: IncludeParams): ResponseObject => {
  const names = [params.include ?? [], params["include[]"] ?? []].flat()
  const both: Include = {
    searchSources: include.searchSources || names.includes("web_search_call.action.sources"),
    encryptedReasoning: include.encryptedReasoning || names.includes("reasoning.encrypted_content")
  }
  return { ...response, output: output.map((item) => shown(item, both)) }
}

interface PageParams {
  readonly after?: string | undefined
  readonly limit?: number | undefined
  readonly order?: "asc" | "desc" | undefined
}

interface ItemPage {
  readonly object: "list"
  readonly data: ReadonlyArray<InputItem>
  readonly first_id: string | null
  readonly last_id: string | null
  readonly has_more: boolean
}

/** One page of a response's own input, the newest item first unless asked otherwise. */
export const inputPage = ({ input, response }: StoredResponse, params: PageParams): ItemPage | InvalidRequest => {
  const items = input.map((item, index) => whole(item, inputItemId(response.id, item, index)))
  if (params.order !== "asc") items.reverse()
  const from = params.after === undefined ? 0 : items.findIndex(({ id }) => id === params.after) + 1
  if (from === 0 && params.after !== undefined) {
    return new InvalidRequest({
      param: "after",
      message: `after: expected the id of an input item; got "${params.after}"`
    })
  }
  const limit = params.limit ?? 20
  const data = items.slice(from, from + limit)
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: from + limit < items.length
  }
}

/** An item as it is read back: with its id, its type, and a message's content always as blocks. */
const whole = (item: InputItem, id: string): InputItem & { readonly id: string } => {
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
