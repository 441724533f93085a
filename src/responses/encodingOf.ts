import type { CreateResponse } from "./CreateResponse.ts"
import type { Replay, Understood } from "./decode.ts"
import type { Encoding } from "./encoding.ts"
import { newResponseId, outputItemId } from "./ids.ts"
import { initialResponse } from "./initialResponse.ts"
import type { InitialFields } from "./initialResponse.ts"

/** The encoder's inputs for a request. A response without an id gets one here. */
export const encodingOf = (
  payload: CreateResponse,
  { conversation, echoes, toolbox }: Understood,
  birth: InitialFields = born(),
  within?: Replay["conversation"]
): Encoding => {
  const { id } = birth
  const include = payload.include ?? []
  const response = initialResponse(payload, conversation, birth)
  return {
    response: {
      ...response,
      ...(echoes && { tools: [...response.tools, ...echoes] }),
      ...(within && { conversation: { id: within.id } })
    },
    itemId: (prefix, index) => outputItemId(id, prefix, index),
    now,
    include: {
      searchSources: include.includes("web_search_call.action.sources"),
      encryptedReasoning: payload.store === false || include.includes("reasoning.encrypted_content")
    },
    // Only needed if the answer is translated.
    get namespaced() {
      return toolbox().namespaced
    },
    get clientTools() {
      return toolbox().clientTools
    }
  }
}

const now = () => Math.floor(Date.now() / 1_000)

const born = (): InitialFields => ({ id: newResponseId(), createdAt: now() })
