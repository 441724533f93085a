import { computed, signal } from "@preact/signals"
import type { App } from "../app.ts"
import type { Input, Draft } from "./draft.ts"
import { messagesOf } from "./exchange.ts"
import type { Exchange } from "./exchange.ts"
import { costOf, followVideo } from "./follow.ts"
import { sendDraft } from "./send.ts"
import { noAnswer } from "./stream.ts"

/** One model's conversation: its exchanges, and the one under way. */
export const makeLane = (app: App, before: ReadonlyArray<Exchange>) => {
  const exchanges = signal(before)
  let running: AbortController | undefined

  /** Runs one exchange, which replaces the last one as it goes. */
  const run = async (first: Exchange, key: string, work: (mine: AbortController, tell: Tell) => Promise<Exchange>) => {
    running?.abort()
    const mine = new AbortController()
    running = mine
    const earlier = exchanges.value
    let last = first
    const tell: Tell = (exchange) => {
      last = exchange
      if (running === mine) exchanges.value = [...earlier, exchange]
    }
    try {
      let over = await work(mine, tell)
      if (over.task !== undefined && over.video !== undefined)
        over = await followVideo(app, { exchange: over, key, signal: mine.signal }, tell)
      tell(over)
      const { cost, requestId, state, task } = over
      if (cost === undefined && requestId !== undefined && task === undefined && state === "finished") {
        const found = await costOf(app, requestId, mine.signal)
        if (found !== undefined) tell({ ...over, cost: found })
      }
    } catch (error) {
      tell(
        mine.signal.aborted
          ? { ...last, state: last.state === "running" ? "stopped" : last.state }
          : { ...last, state: "failed", answer: { ...last.answer, error: String(error) } }
      )
    }
  }

  /** @returns whether it was answered */
  const send = async (asked: Input, draft: Omit<Draft, "messages">, key: string): Promise<boolean> => {
    exchanges.value = exchanges.value.filter(({ state }) => state !== "failed")
    const messages = [...messagesOf(exchanges.value, asked), asked]
    const first: Exchange = { asked, model: draft.model, state: "running", answer: noAnswer, ms: 0 }
    await run(first, key, async (mine, tell) => {
      const sent = await sendDraft(app, { asked, draft: { ...draft, messages }, key, signal: mine.signal }, tell)
      const isVideo = draft.family === "videos" && sent.task !== undefined
      return isVideo ? { ...sent, state: "running", video: { status: "queued" } } : sent
    })
    return exchanges.value.at(-1)?.state === "finished"
  }

  return {
    exchanges,
    isRunning: computed(() => exchanges.value.at(-1)?.state === "running"),
    send,
    /** Goes on with a video that was being made when the page was left. */
    resume: (key: string) => {
      const last = exchanges.value.at(-1)
      if (last?.state !== "running") return
      exchanges.value = exchanges.value.slice(0, -1)
      if (last.video === undefined) exchanges.value = [...exchanges.value, { ...last, state: "stopped" }]
      else void run(last, key, async () => last)
    },
    stop: () => running?.abort(),
    clear: () => {
      running?.abort()
      running = undefined
      exchanges.value = []
    }
  }
}
export type Lane = ReturnType<typeof makeLane>

type Tell = (exchange: Exchange) => void
