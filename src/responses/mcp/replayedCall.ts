import type { JsonObject } from "../../contract/fields.ts"
import { listAt, objectAt, textAt } from "../../contract/json/json.ts"
import type { Item } from "../../generation/Conversation.ts"
import { serverToolNames } from "../../generation/serverToolName.ts"

/**
 * An earlier call of a server's tool as a call and its result, under the model's name of the tool, also where the request
 * no longer names the server. One that did not end has nothing for the model.
 */
export const replayedCall = (item: JsonObject): ReadonlyArray<Item> => {
  const [id, label, tool] = [textAt(item, "id"), textAt(item, "server_label"), textAt(item, "name")]
  const [output, error] = [textAt(item, "output"), errorText(item)]
  if (id === undefined || label === undefined || tool === undefined || (output ?? error) === undefined) return []
  const [name = ""] = serverToolNames([{ label, tool }], new Set())
  return [
    { type: "tool-call", callId: id, name, arguments: textAt(item, "arguments") || "{}", kind: "function" },
    {
      type: "tool-result",
      callId: id,
      content: [{ type: "text", text: error ?? output ?? "" }],
      isError: error !== undefined
    }
  ]
}

/** The error in words. Older ones are a text. */
const errorText = (item: JsonObject): string | undefined => {
  const error = objectAt(item, "error")
  if (error === undefined) return textAt(item, "error")
  const content = listAt(error, "content").flatMap((part) => textAt(part, "text") ?? [])
  return content.length > 0 ? content.join("\n") : (textAt(error, "message") ?? "The call failed.")
}
