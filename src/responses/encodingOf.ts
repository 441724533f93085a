import type { CreateResponse } from "./CreateResponse.ts"
import type { Understood } from "./decode.ts"
import type { Encoding } from "./encoding.ts"
import { newResponseId, outputItemId } from "./ids.ts"
import { initialResponse } from "./initialResponse.ts"
import type { Birth } from "./initialResponse.ts"

/** How the answer to a request is encoded, which gets its id here where it has none. */
export const encodingOf = (
  payload: CreateResponse,
  { conversation, toolbox }: Understood,
  birth: Birth = born()
): Encoding => {
  const { id } = birth
  const include = payload.include ?? []
  return {
    response: initialResponse(payload, conversation, birth),
    itemId: (prefix, index) => outputItemId(id, prefix, index),
    now,
    include: {
      searchSources: include.includes("web_search_call.action.sources"),
      encryptedReasoning: payload.store === false || include.includes("reasoning.encrypted_content")
    },
    // Only asked where the answer is translated.
    get namespaced() {
      return toolbox().namespaced
    },
    get toolSearch() {
      return toolbox().toolSearch
    }
  }
}

const now = () => Math.floor(Date.now() / 1_000)

const born = (): Birth => ({ id: newResponseId(), createdAt: now() })
