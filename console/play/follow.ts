import type { App } from "../app.ts"
import type { Exchange } from "./exchange.ts"
import { actingKey } from "./send.ts"

const everyMs = 1_000
/** The most failed polls in a row. */
const patience = 5
/** The pauses before a finished request's cost is looked up, in ms: its row is written a moment later. */
const costPauses = [400, 1_000, 3_000]

/** @throws if it was stopped */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stopped = () => {
      clearTimeout(timer)
      reject(new Error("stopped"))
    }
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stopped)
      resolve()
    }, ms)
    if (signal.aborted) stopped()
    signal.addEventListener("abort", stopped, { once: true })
  })

const taskCost = async (app: App, id: string): Promise<number | undefined> => {
  if (app.session.kind === "operator") {
    return (await app.client.admin((admin) => admin.adminOperations.showTask({ path: { id } }))).cost_usd
  }
  const { data } = await app.client.own((own) => own.account.tasks({ urlParams: { limit: 100 } }))
  return data.find((task) => task.id === id)?.cost_usd
}

/** The cost of a finished request, once it is known. */
export const costOf = async (app: App, id: string, signal: AbortSignal): Promise<number | undefined> => {
  for (const ms of costPauses) {
    await pause(ms, signal)
    const path = { id }
    const request = await (
      app.session.kind === "operator"
        ? app.client.admin((admin) => admin.adminOperations.showRequest({ path }))
        : app.client.own((own) => own.account.request({ path }))
    ).catch(() => undefined)
    if (typeof request?.cost_usd === "number") return request.cost_usd
  }
  return undefined
}

/**
 * Follows a video task to its end.
 *
 * @throws if it was stopped
 */
export const followVideo = async (
  app: App,
  { exchange, key, signal }: { readonly exchange: Exchange; readonly key: string; readonly signal: AbortSignal },
  tell: (exchange: Exchange) => void
): Promise<Exchange> => {
  const { task: id = "" } = exchange
  const began = performance.now() - exchange.ms
  let failures = 0
  for (;;) {
    const record = await app.client
      .own((own) => own.videos.find({ path: { id } }), actingKey(app, key))
      .catch((error: unknown) => {
        if (++failures >= patience) throw error
      })
    if (record !== undefined) {
      failures = 0
      const { content, error, progress, status } = record
      const isOver = status !== "queued" && status !== "running"
      const shown: Exchange = {
        ...exchange,
        ms: performance.now() - began,
        state: !isOver ? "running" : status === "succeeded" ? "finished" : "failed",
        answer: {
          ...exchange.answer,
          error: error?.message ?? (isOver && status !== "succeeded" ? status : undefined)
        },
        video: { status, progress, url: content?.video_url }
      }
      tell(shown)
      if (isOver) {
        const cost = await taskCost(app, id).catch(() => undefined)
        return cost === undefined ? shown : { ...shown, cost }
      }
    }
    await pause(everyMs, signal)
  }
}
