import { resolve } from "node:path"
import { tellsTokens } from "../load.ts"
import { cores, on } from "./running.ts"
import { paths, wholeBodies } from "./System.ts"
import type { Dialect } from "./System.ts"

/** The upstream of all, on the core of the load, and what a right answer of it has in it. */
export interface Upstream {
  readonly url: string
  readonly pid: number
  /** The text of its whole answers, as JSON, by dialect. */
  readonly texts: Readonly<Record<Dialect, string>>
  /** Whether an answer that came through a gateway is what it sent. */
  readonly isRight: (dialect: Dialect, answer: string) => boolean
  readonly stop: () => void
}

export const startUpstream = async (): Promise<Upstream> => {
  const command = on(cores.rest, [process.execPath, resolve(import.meta.dirname, "../upstream.ts")])
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "inherit" })
  const { value } = await child.stdout.getReader().read()
  const url = /listens on (\S+)/.exec(new TextDecoder().decode(value))?.[1]
  if (url === undefined) throw new Error("the upstream did not start")
  const asked = async (dialect: Dialect): Promise<string> => {
    const answer = await fetch(url + paths[dialect], { method: "POST", body: JSON.stringify(wholeBodies[dialect]) })
    return /"(word )+"/.exec(await answer.text())?.[0] ?? "no text"
  }
  const texts = { messages: await asked("messages"), chat: await asked("chat"), responses: await asked("responses") }
  return {
    url,
    pid: child.pid,
    texts,
    isRight: (dialect, body) => body.includes(texts[dialect]) && tellsTokens.test(body),
    stop: () => child.kill()
  }
}
