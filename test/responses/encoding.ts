import type { GenerationEvent } from "../../src/generation/GenerationEvent.ts"
import { begun } from "../../src/responses/begun.ts"
import type { CreateResponse } from "../../src/responses/CreateResponse.ts"
import { decode, inputItems } from "../../src/responses/decode.ts"
import type { Decoded } from "../../src/responses/decode.ts"
import { machine } from "../../src/responses/encode.ts"
import type { Encoding } from "../../src/responses/encoding.ts"

const decoded = (request: CreateResponse): Decoded => {
  const result = decode(request, { history: [], input: inputItems(request.input) })
  if (result instanceof Error) throw result
  return result
}

export const encodingOf = (request: CreateResponse): Encoding => {
  const { toolbox, ...rest } = decoded(request)
  return {
    response: begun(request, { toolbox, ...rest }, { id: "resp_1", createdAt: 1_700_000_000 }),
    itemId: (prefix) => `${prefix}_1`,
    now: () => 1_700_000_001,
    include: { searchSources: true, encryptedReasoning: false },
    namespaced: toolbox.namespaced
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
