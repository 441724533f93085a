import { passthroughMachine } from "../pipeline/passthrough.ts"
import type { PassthroughState } from "../pipeline/passthrough.ts"
import { isJsonObject as isObject } from "../contract/fields.ts"
import type { Incoming } from "../contract/handlers.ts"
import type { Machine, PassthroughFrame } from "../generation/Machine.ts"
import type { Passthrough } from "../dispatch/GenerationOptions.ts"
import { failureFrame } from "./chunks.ts"
import { isOurs } from "./reasoning.ts"
import type { CreateCompletion } from "./Request.ts"
import type { KeptCompletion } from "./stored/keptCompletion.ts"

/**
 * The request for an upstream of this dialect: the caller's body without the gateway's own signed reasoning, which
 * other servers don't know. An answer that the gateway stores has the gateway's id, and the upstream stores none: OpenAI
 * refuses `metadata` without `store`.
 */
export const passthroughOf =
  (
    payload: CreateCompletion,
    request: Incoming,
    { id, kept }: { readonly id: string; readonly kept: KeptCompletion | undefined }
  ): Passthrough["request"] =>
  () => {
    const sent = isObject(request.body) ? request.body : payload
    const body = kept === undefined ? sent : { ...sent, store: undefined, metadata: undefined }
    const messages: unknown = body["messages"]
    const isSealed = Array.isArray(messages) && messages.some(hasSeal)
    return {
      body: isSealed ? { ...body, messages: messages.map(unsealed) } : body,
      bodyText: request.bodyText,
      ...(isSealed && { adapted: ["reasoning"] }),
      headers: request.headers,
      rewrite: (answer) => ({ ...answer, ...(kept && { id }), model: payload.model }),
      keep: kept?.take
    }
  }

const hasSeal = (message: unknown): boolean => {
  const details: unknown = isObject(message) ? message["reasoning_details"] : undefined
  return Array.isArray(details) && details.some(isOurs)
}

const unsealed = (message: unknown): unknown => {
  if (!isObject(message) || !Array.isArray(message["reasoning_details"])) return message
  const { reasoning_details: _, ...rest } = message
  const others = message["reasoning_details"].filter((detail) => !isOurs(detail))
  return others.length === 0 ? rest : { ...rest, reasoning_details: others }
}

/** Frames pass through. A failure is written in the dialect. */
export const passthroughMachineOf: Machine<PassthroughState, PassthroughFrame> = passthroughMachine((failure) => [
  failureFrame(failure)
])
