import type { App } from "../app.ts"
import { jsonBody } from "../calls.ts"
import { Refused } from "../client.ts"
import { bodyOf, formOf } from "./bodies.ts"
import { isStreamed, pathOf } from "./draft.ts"
import type { Input, Draft } from "./draft.ts"
import type { Exchange, Media } from "./exchange.ts"
import { readFile } from "./readFile.ts"
import { frames, noAnswer, step } from "./stream.ts"

interface Whole {
  readonly id?: string
  readonly text?: string
  readonly data?: ReadonlyArray<{
    readonly embedding?: ReadonlyArray<number>
    readonly b64_json?: string | null
    readonly url?: string | null
  }>
  readonly output_format?: string
  readonly usage?: { readonly prompt_tokens?: number; readonly input_tokens?: number; readonly output_tokens?: number }
}

const imagesOf = ({ data = [], output_format: format = "png" }: Whole): ReadonlyArray<Media> =>
  data.flatMap(({ b64_json: bytes, url }) => {
    const at = bytes ? `data:image/${format};base64,${bytes}` : url
    return at ? [{ kind: "image" as const, url: at }] : []
  })

/** The key that an operator acts as; undefined for an account's session, which has its own. */
export const actingKey = (app: App, key: string): string | undefined =>
  app.session.kind === "operator" ? key : undefined

const given = (text: string | null, name: "adapted" | "requestId") => (text === null ? {} : { [name]: text })

/**
 * Sends a draft and reports its progress. A refusal ends the exchange as failed.
 *
 * @throws if it was stopped
 */
export const sendDraft = async (
  app: App,
  {
    asked,
    draft,
    key,
    signal
  }: { readonly asked: Input; readonly draft: Draft; readonly key: string; readonly signal: AbortSignal },
  tell: (exchange: Exchange) => void
): Promise<Exchange> => {
  const began = performance.now()
  let exchange: Exchange = { asked, model: draft.model, state: "running", answer: noAnswer, ms: 0 }
  const change = (more: Partial<Exchange>): Exchange => {
    exchange = { ...exchange, ms: performance.now() - began, ...more }
    tell(exchange)
    return exchange
  }
  change({})
  const acting = actingKey(app, key)
  const isForm = draft.family === "transcriptions"
  const init = isForm ? { method: "POST", body: formOf(draft) } : jsonBody(bodyOf(draft))
  const headers = new Headers(init.headers)
  if (acting !== undefined) headers.set("x-gateway-key-id", acting)
  try {
    const response = await app.client.send(pathOf(draft.family), { ...init, headers, signal })
    const cost = response.headers.get("x-gateway-cost-usd")
    change({
      status: response.status,
      ...given(response.headers.get("x-request-id"), "requestId"),
      ...given(response.headers.get("x-gateway-adapted"), "adapted"),
      ...(cost !== null && { cost: Number(cost) })
    })
    if (isStreamed(draft.family) && response.body !== null) {
      for await (const frame of frames(response.body)) {
        const answer = step(draft.family, exchange.answer, frame)
        change({ answer, firstMs: exchange.firstMs ?? performance.now() - began })
      }
      return change({ state: exchange.answer.error === undefined ? "finished" : "failed" })
    }
    const firstMs = performance.now() - began
    if (draft.family === "speech") {
      const url = await readFile(await response.blob())
      return change({ firstMs, state: "finished", media: [{ kind: "audio", url }] })
    }
    const whole: Whole = await response.json()
    if (isForm) {
      const { input_tokens: input, output_tokens: output } = whole.usage ?? {}
      return change({ firstMs, state: "finished", answer: { ...noAnswer, text: whole.text ?? "", input, output } })
    }
    if (draft.family === "images") {
      const { input_tokens: input, output_tokens: output } = whole.usage ?? {}
      return change({ firstMs, state: "finished", media: imagesOf(whole), answer: { ...noAnswer, input, output } })
    }
    const vector = whole.data?.[0]?.embedding
    if (vector === undefined)
      return change({ firstMs, state: "finished", ...(whole.id !== undefined && { task: whole.id }) })
    const some = vector.slice(0, 8).map((value) => value.toFixed(4))
    const text = `[${some.join(", ")}, …]\n${vector.length}`
    return change({ firstMs, state: "finished", answer: { ...noAnswer, text, input: whole.usage?.prompt_tokens } })
  } catch (error) {
    if (signal.aborted) throw error
    const refused = error instanceof Refused ? error : undefined
    return change({
      state: "failed",
      answer: { ...exchange.answer, error: error instanceof Error ? error.message : String(error) },
      ...(refused !== undefined && { code: refused.code, status: refused.status }),
      ...given(refused?.requestId ?? exchange.requestId ?? null, "requestId")
    })
  }
}
