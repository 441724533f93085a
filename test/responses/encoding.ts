import type { GenerationEvent } from "../../src/generation/GenerationEvent.ts"
import { initialResponse } from "../../src/responses/initialResponse.ts"
import type { CreateResponse } from "../../src/responses/CreateResponse.ts"
import { inputItems, understand } from "../../src/responses/decode.ts"
import type { Understood } from "../../src/responses/decode.ts"
import { machine } from "../../src/responses/encode.ts"
import type { Encoding } from "../../src/responses/encoding.ts"

const understood = (request: CreateResponse): Understood => {
  const result = understand(request, request, { history: [], input: inputItems(request.input) })
  if (result instanceof Error) throw result
  return result
}

export const encodingOf = (request: CreateResponse): Encoding => {
  const { conversation, toolbox } = understood(request)
  return {
    response: initialResponse(request, conversation, { id: "resp_1", createdAt: 1_700_000_000 }),
    itemId: (prefix) => `${prefix}_1`,
    now: () => 1_700_000_001,
    include: { searchSources: true, encryptedReasoning: false },
    namespaced: toolbox().namespaced,
    clientTools: toolbox().clientTools
  }
}

export const encoding = encodingOf({ model: "gw-text", input: "hi" })

export const run = (events: ReadonlyArray<GenerationEvent>, options: Encoding = encoding) => {
  const { initial, step } = machine(options)
  let state = initial
  const frames = events.flatMap((event) => {
    const [next, frames] = step(state, event)
    state = next
    return frames
  })
  return { state, frames }
}
