import type { Hostile } from "./Hostile.ts"
import { adminKey, startProbed } from "./server.ts"
import type { Probed } from "./server.ts"
import { besideStreams } from "./streams.ts"
import type { Waits } from "./streams.ts"

/** What a hostile body did to the process that it was sent to. */
export interface Measured {
  /** The HTTP status; undefined where none came within a minute. */
  readonly status: number | undefined
  /** The longest pause of the event loop; infinite where it did not end within a minute. */
  readonly pauseMs: number
  readonly grownBytes: number
}

const deadline = 60_000
/**
 * A pause on a machine that others use too may be theirs, and memory grows by garbage that is still to be collected: the best of
 * so many rounds counts.
 */
const rounds = 3

/** How much a body may make the process grow. */
export const mostGrownBytes = 300 * 1_048_576

/** How long a body may keep the loop. */
export const mayPauseMs = (hostile: Hostile, body: string): number => 20 + 12 * mebibytesOf(hostile, body)

/** How much there is to be worked on, in MiB: the body, what it goes on from, and an upstream's answer. */
export const mebibytesOf = ({ answerBytes = 0, earlier }: Hostile, body: string): number =>
  (body.length + (earlier?.body().length ?? 0) + (typeof answerBytes === "number" ? answerBytes : answerBytes())) /
  1_048_576

/** Sends bodies to a gateway, and begins another where one has stopped it. */
export class Measuring {
  readonly #main: string
  readonly #upstream: string
  #probed: Probed | undefined

  /** @param main the program: its first source, or its bundle */
  constructor(main: string, upstream: string) {
    this.#main = main
    this.#upstream = upstream
  }

  async measure(hostile: Hostile, body: string): Promise<Measured> {
    let best: Measured | undefined
    for (let round = 0; round < rounds; round++) {
      const measured = await this.once(hostile, body)
      if (best === undefined || measured.pauseMs < best.pauseMs) best = measured
      const isKept = measured.pauseMs <= mayPauseMs(hostile, body) && measured.grownBytes <= mostGrownBytes
      if (isKept) return measured
      if (best.pauseMs > 1_000) break
    }
    return best ?? { status: undefined, pauseMs: Infinity, grownBytes: 0 }
  }

  /** How long the process takes to hear SIGTERM while it answers, in ms; infinite where it does not within a minute. */
  async hearsStop(hostile: Hostile, body: string): Promise<number> {
    const probed = (this.#probed ??= await this.#start())
    const answered = post(probed, await prepared(probed, hostile, body)).catch(() => undefined)
    await Bun.sleep(50)
    const sent = Date.now()
    probed.gateway.signal("SIGTERM")
    while (probed.stoppedAt() === undefined && Date.now() - sent < deadline) await Bun.sleep(5)
    const heard = probed.stoppedAt()
    await this.dispose()
    await answered
    return heard === undefined ? Infinity : Math.max(0, heard - sent)
  }

  /** How long others wait beside long streams, and the longest pause of the loop meanwhile. */
  async besideStreams(): Promise<Waits & { readonly pauseMs: number }> {
    const probed = (this.#probed ??= await this.#start())
    await probed.seen()
    const waits = await besideStreams(probed.gateway)
    return { ...waits, pauseMs: (await probed.seen()).pauseMs }
  }

  async dispose(): Promise<void> {
    await this.#probed?.dispose()
    this.#probed = undefined
  }

  async once(hostile: Hostile, body: string): Promise<Measured> {
    const probed = (this.#probed ??= await this.#start())
    try {
      const request = await prepared(probed, hostile, body)
      const before = await probed.seen()
      const { status } = await post(probed, request)
      const after = await probed.seen()
      return { status, pauseMs: after.pauseMs, grownBytes: Math.max(0, after.mostBytes - before.mostBytes) }
    } catch {
      await this.dispose()
      return { status: undefined, pauseMs: Infinity, grownBytes: 0 }
    }
  }

  async #start(): Promise<Probed> {
    const probed = await startProbed(this.#main, this.#upstream)
    // What is loaded with the first request is not a body's doing.
    for (const path of ["/v1/messages", "/v1/responses", "/v1/chat/completions"]) {
      const body = JSON.stringify({ model: "sandbox-text", max_tokens: 10, input: "Hi", messages: "Hi" })
      await post(probed, { path, body })
    }
    await Bun.sleep(1_500)
    return probed
  }
}

/** A request as it is sent. */
interface Sent extends Pick<Hostile, "path" | "asAdmin"> {
  readonly type?: string | undefined
  readonly method?: "PATCH" | undefined
  readonly body: string
}

/** The request, behind what it goes on from. */
const prepared = async (probed: Probed, hostile: Hostile, body: string): Promise<Sent> => {
  const { earlier } = hostile
  if (earlier === undefined) return { ...hostile, body }
  const { text } = await post(probed, {
    ...hostile,
    ...earlier,
    method: undefined,
    type: undefined,
    body: earlier.body()
  })
  const id = /"id":"([^"]+)"/.exec(text)?.[1] ?? "nothing"
  const item = `${id.replace("resp_", "msg_")}i0`
  return {
    ...hostile,
    path: hostile.path.replace("{earlier}", id),
    body: body.replaceAll("{earlier item}", item).replaceAll("{earlier}", id)
  }
}

const post = async ({ gateway }: Probed, { asAdmin, body, method, path, type = "application/json" }: Sent) => {
  const response = await fetch(gateway.url + path, {
    method: method ?? "POST",
    headers: {
      authorization: `Bearer ${asAdmin === true ? adminKey : gateway.key}`,
      "content-type": type
    },
    body,
    signal: AbortSignal.timeout(deadline)
  })
  let text = ""
  const utf8 = new TextDecoder()
  // Read and forgotten but for its beginning: a long answer is not kept.
  for await (const chunk of response.body ?? []) if (text.length < 10_000) text += utf8.decode(chunk, { stream: true })
  return { status: response.status, text }
}
