import type { App } from "../app.ts"
import { jsonBody } from "../client.ts"
import { bodyOf } from "./bodies.ts"
import { isStreamed, paths } from "./draft.ts"
import type { Draft } from "./draft.ts"
import { frames, noAnswer, step } from "./stream.ts"
import type { Answer } from "./stream.ts"

/** The progress of a request. */
export interface Sent {
  readonly answer: Answer
  readonly status: number
  readonly requestId: string | null
  readonly firstMs: number | undefined
  readonly ms: number
  readonly costUsd: string | null
  /** The task that the request created. */
  readonly task: { readonly id: string; readonly family: "videos" | "messages" } | undefined
  readonly adapted: string | null
  readonly isOver: boolean
}

interface Whole {
  readonly id?: string
  readonly data?: ReadonlyArray<{ readonly embedding?: ReadonlyArray<number> }>
  readonly usage?: { readonly prompt_tokens?: number }
}

/** Headers of a request: an operator uses a chosen key. */
export const asKey = (app: App, key: string): Readonly<Record<string, string>> =>
  app.session.kind === "operator" ? { "x-gateway-key-id": key } : {}

/** Sends a draft and reports its progress. */
export const sendDraft = async (
  app: App,
  draft: Draft,
  key: string,
  signal: AbortSignal,
  tell: (sent: Sent) => void
): Promise<Sent> => {
  const began = performance.now()
  const init = jsonBody(bodyOf(draft))
  const headers = { ...asKey(app, key), "content-type": "application/json" }
  const response = await app.client.send(paths[draft.family], { ...init, headers, signal })
  const about = {
    status: response.status,
    requestId: response.headers.get("x-request-id"),
    costUsd: response.headers.get("x-gateway-cost-usd"),
    adapted: response.headers.get("x-gateway-adapted")
  }
  let answer = noAnswer
  let firstMs: number | undefined
  const sent = (isOver: boolean, task?: Sent["task"]): Sent => ({
    ...about,
    answer,
    firstMs,
    ms: performance.now() - began,
    task,
    isOver
  })
  if (isStreamed(draft.family) && response.body !== null) {
    for await (const frame of frames(response.body)) {
      firstMs ??= performance.now() - began
      answer = step(draft.family, answer, frame)
      tell(sent(false))
    }
    return sent(true)
  }
  const whole: Whole = await response.json()
  firstMs = performance.now() - began
  const vector = whole.data?.[0]?.embedding
  if (vector !== undefined) {
    const some = vector.slice(0, 8).map((value) => value.toFixed(4))
    answer = { ...noAnswer, text: `[${some.join(", ")}, …]\n${vector.length}`, input: whole.usage?.prompt_tokens }
    return sent(true)
  }
  return sent(
    true,
    whole.id === undefined ? undefined : { id: whole.id, family: draft.family === "videos" ? "videos" : "messages" }
  )
}
